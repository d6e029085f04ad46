/* Matrix times vector in both orders, transposition, rank-one updates. */
#include "check.h"

// transformed: any
KERNEL void k_rows(long n, const double *a, const double *x, double *y) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            y[i] += a[i * n + j] * x[j];
}

// transformed: yes
KERNEL void k_columns(long n, const double *a, const double *x, double *y) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            y[i] += a[j * n + i] * x[j];
}

// transformed: yes
KERNEL void k_columns_accumulator(int m, int n, double a[m][n], const double *x, double *y) {
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < m; j++)
            sum += a[j][i] * x[j];
        y[i] = sum;
    }
}

// transformed: yes
KERNEL void k_mvt(long n, const double *a, double *y1, double *y2, const double *x1, const double *x2) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            y1[i] += a[i * n + j] * x1[j];
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            y2[i] += a[j * n + i] * x2[j];
}

// transformed: any
KERNEL void k_transpose(long m, long n, const double *a, double *b) {
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++)
            b[j * m + i] = a[i * n + j];
}

// transformed: any
KERNEL void k_transpose_in_place(long n, double *a) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < i; j++) {
            double swap = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = swap;
        }
}

// transformed: yes
KERNEL void k_copy_columns(long n, const double *a, double *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            b[i * n + j] = a[i * n + j];
}

// transformed: any
KERNEL void k_gemver(int n, double a[n][n], const double *u, const double *v, double *x, double *w) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = a[i][j] + u[i] * v[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i] = x[i] + 0.5 * a[j][i] * u[j];
    for (int i = 0; i < n; i++)
        x[i] = x[i] + v[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            w[i] = w[i] + 1.5 * a[i][j] * x[j];
}

// transformed: any
KERNEL double k_dot(long n, const double *x, const double *y) {
    double sum = 0.0;
    for (long i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

MAIN {
    double *b = B, *c = C;
    FOR_SIZES(n) {
        RUN(f64, k_rows, n, n, A, B, C);
        RUN(f64, k_columns, n, n, A, B, C);
        RUN(f64, k_columns_accumulator, n, n, n + 2, A, B, C);
        RUN(f64, k_mvt, n, n, A, c, c + n, b, b + n);
        RUN(f64, k_transpose, n, n, n + 4, A, B);
        RUN(f64, k_transpose_in_place, n, n, A);
        RUN(f64, k_copy_columns, n, n, A, B);
        RUN(f64, k_gemver, n, n, A, b, b + n, C, D);
        RUN_VALUE(f64, k_dot, n, n * 100, A, B);
    }
    return 0;
}
