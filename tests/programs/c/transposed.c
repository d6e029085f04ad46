/* Products in which a matrix is read down its columns: it is copied transposed, tile by tile. */
#include "check.h"

// transformed: yes
KERNEL void k_lower(long n, long m, double alpha, double *c, const double *a) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++)
            for (long k = 0; k < m; k++)
                c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
}

// transformed: yes
KERNEL void k_two(long n, long m, double alpha, double *restrict c, const double *restrict a, const double *restrict b) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < m; k++)
            for (long j = 0; j < i; j++)
                c[i * n + j] += alpha * (a[i * m + k] * b[j * m + k] + b[i * m + k] * a[j * m + k]);
}

// transformed: yes
KERNEL void k_upper(int n, int m, float c[n][n], const float a[n][m]) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = i; j < n; j++)
                c[i][j] -= a[i][k] * a[j][k + 2];
}

// transformed: yes
KERNEL void k_neighbours(int n, int m, int c[n][n], const int a[n][m], const int b[n][m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * (b[j][k] + b[j][k + 1]);
}

/* Both are read down their columns, whichever loop is the innermost one. */
// transformed: any
KERNEL void k_shorts(int n, short c[n][n], const short a[n][n], const short b[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += a[k][i] * b[j][k];
}

/* What is written may not be read from a copy. */
// transformed: any
KERNEL void k_in_place(int n, double a[n][n]) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                a[i][j] += a[i][k] * a[j][k];
}

/* Several products, each with its own tiles. */
// transformed: yes
KERNEL void k_batch(int m, int n, double c[m][n][n], const double a[m][n][n], const double b[m][n][n]) {
    for (int l = 0; l < m; l++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < n; k++)
                    c[l][i][j] += a[l][i][k] * b[l][j][k];
}

// transformed: yes
KERNEL void k_rows(int n, double **c, double **a, double **b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[j][k];
}

static double *rows[3][100];

FRAME void fill(int n) {
    for (int i = 0; i < n; i++) {
        rows[0][i] = (double *)C + i * (n + 1);
        rows[1][i] = (double *)A + i * n;
        rows[2][i] = (double *)B + (n - 1 - i) * n;
    }
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_lower, n, n, n + 2, 1.5, C, A);
        RUN(f64, k_lower, n, n, n + 2, 1.5, A, A);
        RUN(f64, k_two, n, n, n + 1, 0.5, C, A, B);
        RUN(f32, k_upper, n, n, n + 2, C, A);
        RUN(f64, k_neighbours, n, n, n + 1, C, A, B);
        RUN(f64, k_shorts, n, n, C, A, B);
        RUN(f64, k_in_place, n, n, A);
        RUN(f64, k_batch, n, 2, n * 2 / 3, C, A, B);
        fill(n);
        RUN(f64, k_rows, n, n, rows[0], rows[1], rows[2]);
    }
    return 0;
}
