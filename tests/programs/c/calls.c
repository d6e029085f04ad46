/* Calls in the body: mathematical functions, pure functions, functions with effects. */
#include "check.h"
#include <math.h>

// transformed: any
KERNEL void k_sqrt(long n, double *a, const double *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = sqrt(fabs(b[i * n + j])) + fma(b[i * n + j], 0.5, a[i * n + j]);
}

// transformed: any
KERNEL void k_sin(long n, double *a, const double *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = sin(b[i * n + j]);
}

__attribute__((const, noinline)) double half(double x) { return 0.5 * x; }

// transformed: any
KERNEL void k_const_function(long n, double *a, const double *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = half(b[i * n + j]);
}

__attribute__((pure, noinline)) double sum_of_two(const double *x) { return x[0] + x[1]; }

// transformed: any
KERNEL void k_pure_function(long n, double *a, const double *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = sum_of_two(b + i * n + j);
}

static unsigned calls;
__attribute__((noinline)) double count(double x) { return x + 0.001 * (double)++calls; }

// transformed: no
KERNEL void k_effect(long n, double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = count(a[i * n + j]);
}

// transformed: no
KERNEL void k_function_pointer(long n, double *a, double (*f)(double)) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = f(a[i * n + j]);
}

// transformed: no
KERNEL void k_print(long n, const double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if (a[i * n + j] > 0.999)
                printf("%ld %ld\n", i, j);
}

// transformed: any
KERNEL void k_memset_and_memcpy(long n, double *a, const double *b) {
    for (long i = 0; i < n; i++)
        memset(a + i * n, 0, (size_t)n * sizeof(double));
    for (long i = 0; i < n; i++)
        memcpy(a + i * n, b + i * n, (size_t)n / 2 * sizeof(double));
}

// transformed: any
KERNEL void k_minimum(long n, double *a, const double *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = fmin(a[i * n + j], fmax(b[i * n + j], floor(4.0 * a[j * n + i])));
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_sqrt, n, n, A, B);
        RUN(f64, k_sin, n, n, A, B);
        RUN(f64, k_const_function, n, n, A, B);
        RUN(f64, k_pure_function, n, n, A, B);
        RUN(f64, k_effect, n, n, A);
        RUN(f64, k_function_pointer, n, n, A, count);
        RUN(f64, k_print, n, n, A);
        RUN(f64, k_memset_and_memcpy, n, n, A, B);
        RUN(f64, k_minimum, n, n, A, B);
    }
    return 0;
}
