/* Little room: copies of scalars must not be in the frame of the function. A recursion of depth 1000 in 8 MB, and five nests of one
 * function in a thread with 64 KiB. */
#include "check.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#define PRODUCT(beta)                                                                                                  \
    for (long i = 0; i < n; i++)                                                                                       \
        for (long j = 0; j < n; j++) {                                                                                 \
            double sum = 0;                                                                                            \
            for (long k = 0; k < n; k++)                                                                               \
                sum += a[i * n + k] * b[k * n + j];                                                                    \
            c[i * n + j] = alpha * sum + beta * c[i * n + j];                                                          \
        }

// transformed: yes
KERNEL double k_recursive(int depth, long n, double *c, const double *a, const double *b, double alpha) {
    PRODUCT(0.5)
    double below = depth > 0 ? k_recursive(depth - 1, n, c, a, b, alpha) : 0;
    return below + c[depth % 16];
}

// transformed: yes
KERNEL void k_five(long n, double *c, const double *a, const double *b, double alpha) {
    PRODUCT(0.5)
    PRODUCT(0.25)
    PRODUCT(0.125)
    PRODUCT(0.75)
    PRODUCT(0.375)
}

FRAME void *in_thread(void *n) {
    k_five(*(long *)n, C, A, B, 0.125);
    return NULL;
}

MAIN {
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur > 8 << 20)
        limit.rlim_cur = 8 << 20;
    setrlimit(RLIMIT_STACK, &limit);
    RUN_VALUE(f64, k_recursive, 40, 1000, 40, C, A, B, 0.0625);
    FOR_SIZES(n) {
        long size = n;
        pthread_attr_t attributes;
        pthread_t thread;
        reset_f64();
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, 64 << 10);
        if (pthread_create(&thread, &attributes, in_thread, &size) || pthread_join(thread, NULL))
            exit(99);
        report("k_five", n);
    }
}
