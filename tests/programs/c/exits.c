/* Early exits that do not depend on data: the guard proves that none is taken, or the original loops run. */
#include "check.h"
#include <setjmp.h>

static jmp_buf out;
static long failed;
__attribute__((noreturn, noinline, cold)) static void fail(long place) {
    failed = place;
    longjmp(out, 1);
}

// transformed: yes
KERNEL void k_checked(long n, long length, double *restrict a, const double *restrict b, const double *restrict c) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++) {
                if ((unsigned long)(i * n + j) >= (unsigned long)length)
                    fail(i * n + j);
                a[i * n + j] += b[i * n + k] * c[k * n + j];
            }
}

// transformed: yes
KERNEL void k_both_sides(int n, int low, int high, double *restrict a, const double *restrict b) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            if (i - j < low || i + j > high)
                fail(i * 1000L + j);
            a[(long)i * n + j] = a[(long)i * n + j] * 0.5 + b[(long)i * n + j];
        }
}

// transformed: yes
KERNEL long k_return(long n, long limit, double *restrict a, const double *restrict b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            if (i + 2 * j > limit)
                return i * n + j;
            a[i * n + j] = a[i * n + j] * 0.5 + b[i * n + j];
        }
    return -1;
}

// transformed: any
KERNEL double k_value(long n, long limit, double *restrict a, const double *restrict b) {
    double last = 0.0;
    long i, j = 0;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            if (j > limit)
                return last + (double)i;
            last = b[i * n + j] * 3.0;
            a[j * n + i] = last;
        }
    return last - (double)j;
}

// transformed: yes
KERNEL void k_goto(long n, long limit, double *restrict a, const double *restrict b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            if (i + j == limit)
                goto done;
            a[i * n + j] += b[i * n + j];
        }
    a[0] = 17.0;
done:
    a[1] += 1.0;
}

// transformed: any
KERNEL void k_inner_break(long n, long limit, double *restrict a, const double *restrict b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            if (i + j > limit)
                break;
            a[i * n + j] += b[i * n + j];
        }
}

#define TRY(kernel, n, ...)                                                                                            \
    do {                                                                                                               \
        reset_f64();                                                                                                   \
        failed = -1;                                                                                                   \
        if (!setjmp(out))                                                                                              \
            kernel(n, __VA_ARGS__);                                                                                    \
        printf("failed %ld ", failed);                                                                                 \
        report(#kernel, n);                                                                                            \
    } while (0)

MAIN {
    FOR_SIZES(n) {
        const long cuts[] = {0, 1, n, (long)n * n / 2, (long)n * n};
        for (int at = 0; at < 5; at++) {
            long cut = cuts[at];
            TRY(k_checked, n, (long)n * n - cut, A, B, C);
            TRY(k_both_sides, n, (int)(cut - n), 2 * n, A, B);
            TRY(k_both_sides, n, -n, (int)(2 * n - cut), A, B);
            RUN_VALUE(f64, k_return, n, n, 3 * n - cut, A, B);
            RUN_VALUE(f64, k_value, n, n, n - cut, A, B);
            RUN(f64, k_goto, n, n, 2 * n - cut, A, B);
            RUN(f64, k_inner_break, n, n, 2 * n - cut, A, B);
        }
    }
    return 0;
}
