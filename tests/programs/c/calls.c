/* Calls in the body: mathematical functions, pure functions, functions with effects. */
#include "check.h"
#include <errno.h>
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

/* A column is normalised: `errno` is the same in any order, and so is everything else. */
// transformed: yes
KERNEL double k_columns(long n, double *a, double *norm) {
    errno = 0;
    for (long j = 0; j < n; j++) {
        double sum = 0.0;
        for (long i = 0; i < n; i++)
            sum += a[i * n + j] * a[i * n + j];
        norm[j] = sqrt(sum - 1.0);
    }
    return errno;
}

/* Range and domain errors: the last one stays in `errno`. */
// transformed: no
KERNEL double k_two_errors(long n, double *a, const double *b) {
    errno = 0;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = sqrt(b[i * n + j]) + exp(900.0 * b[i * n + j]);
    return errno;
}

/* The value is used only sometimes, but `errno` is set whenever the argument is negative. */
// transformed: no
KERNEL double k_used_sometimes(long n, double *a, const double *b) {
    errno = 0;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            double root = sqrt(b[i * n + j]);
            if (i > j)
                a[i * n + j] = root;
        }
    return errno;
}

/* An array of `int` may be where `errno` is. */
// transformed: no
KERNEL double k_number_of_errors(long n, double *a, const double *b, int *c) {
    errno = 0;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            a[i * n + j] = sqrt(b[i * n + j]);
            c[i * n + j] += 1;
        }
    return errno;
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
    FOR_SIZES(n) {
        RUN_VALUE(f64, k_columns, n, n, A, B);
        RUN_VALUE(f64, k_two_errors, n, n, A, B);
        RUN_VALUE(f64, k_used_sometimes, n, n, A, B);
        RUN_VALUE(f64, k_number_of_errors, n, n, A, B, C);
    }
    return 0;
}
