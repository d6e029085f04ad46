/* Chains of products: the second nest reads what the first one writes. */
#include "check.h"

// transformed: yes
KERNEL void k_2mm(int n, double alpha, double beta, double *tmp, const double *a, const double *b, double *d) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            tmp[i * n + j] = 0.0;
            for (int k = 0; k < n; k++)
                tmp[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            d[i * n + j] *= beta;
            for (int k = 0; k < n; k++)
                d[i * n + j] += tmp[i * n + k] * a[k * n + j];
        }
}

// transformed: any
KERNEL void k_3mm(int n, double a[n][n], double b[n][n], double c[n][n], double d[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            d[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                d[i][j] += b[i][k] * a[k][j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                a[i][j] += c[i][k] * d[k][j];
        }
}

// transformed: any
KERNEL void k_square_in_place(long n, double *a) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                a[i * n + j] += 0.001 * a[i * n + k] * a[k * n + j];
}

// transformed: any
KERNEL void k_atax(long m, long n, const double *a, const double *x, double *y, double *t) {
    for (long i = 0; i < n; i++)
        y[i] = 0.0;
    for (long i = 0; i < m; i++) {
        t[i] = 0.0;
        for (long j = 0; j < n; j++)
            t[i] += a[i * n + j] * x[j];
        for (long j = 0; j < n; j++)
            y[j] += a[i * n + j] * t[i];
    }
}

// A comparison of products with one factor: of the counters where the factor is positive.
// transformed: yes
KERNEL void k_same_products(long n, long m, double *restrict a, const double *restrict b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if (i * m == j * m)
                a[i * n + j] += b[i * n + j];
            else
                a[i * n + j] *= 0.5;
}

// transformed: yes
KERNEL void k_smaller_products(long n, long m, double *restrict a, const double *restrict b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if (i * m < j * m)
                a[i * n + j] += b[i * n + j];
}

// Never, but for a factor of one.
// transformed: yes
KERNEL void k_almost_same_products(long n, long m, double *restrict a, const double *restrict b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if (i * m == j * m + 1)
                a[i * n + j] += b[i * n + j];
            else
                a[i * n + j] *= 0.5;
}

// transformed: yes
KERNEL void k_quotients(long n, unsigned long m, unsigned long l, double *restrict a, const double *restrict b) {
    for (unsigned long j = 0; j < (unsigned long)n; j++)
        for (unsigned long i = 0; i < (l + j * m) / m && i < (unsigned long)n; i++)
            a[i * n + j] += b[i * n + j];
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_2mm, n, n, 1.5, 0.75, C, A, B, D);
        RUN(f64, k_3mm, n, n, A, B, C, D);
        RUN(f64, k_square_in_place, n, n, A);
        RUN(f64, k_atax, n, n, n + 3, A, B, C, D);
    }
    FOR_SIZES(n) {
        for (long m = -1; m < 4; m++) {
            RUN(f64, k_same_products, n, n, m, A, B);
            RUN(f64, k_smaller_products, n, n, m, A, B);
            RUN(f64, k_almost_same_products, n, n, m, A, B);
            if (m > 0)
                RUN(f64, k_quotients, n, n, m, 5 * m - 3, A, B);
        }
    }
    return 0;
}
