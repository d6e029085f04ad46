/* Systems of equations with triangular matrices and many right sides, one after the other and row by row, forwards and back; and matrices of few
   columns, which are not worth another order. */
#include "check.h"

// transformed: yes
KERNEL void k_back(long n, long m, const double *restrict u, double *restrict b) {
    for (long c = 0; c < m; c++)
        for (long i = n - 1; i >= 0; i--) {
            double x = b[i * m + c];
            for (long k = i + 1; k < n; k++)
                x -= u[i * n + k] * b[k * m + c];
            b[i * m + c] = x / u[i * n + i];
        }
}

// transformed: yes
KERNEL void k_back_in_memory(int n, int m, double u[n][n], double b[n][m]) {
    for (int c = 0; c < m; c++)
        for (int i = n - 1; i >= 0; i--) {
            for (int k = i + 1; k < n; k++)
                b[i][c] -= u[i][k] * b[k][c];
            b[i][c] /= u[i][i];
        }
}

// transformed: yes
KERNEL void k_back_by_rows(long n, long m, const double *restrict u, double *restrict b) {
    for (long i = n - 1; i >= 0; i--)
        for (long c = 0; c < m; c++) {
            double x = b[i * m + c];
            for (long k = i + 1; k < n; k++)
                x -= u[i * n + k] * b[k * m + c];
            b[i * m + c] = x / u[i * n + i];
        }
}

// transformed: any
KERNEL void k_forwards(long n, long m, const double *restrict l, double *restrict b) {
    for (long c = 0; c < m; c++)
        for (long i = 0; i < n; i++) {
            double x = b[i * m + c];
            for (long k = 0; k < i; k++)
                x -= l[i * n + k] * b[k * m + c];
            b[i * m + c] = x / l[i * n + i];
        }
}

/* Each right side needs the one before it. */
// transformed: any
KERNEL void k_one_after_the_other(long n, long m, const double *restrict u, double *restrict b) {
    for (long c = 1; c < m; c++)
        for (long i = n - 1; i >= 0; i--) {
            double x = b[i * m + c];
            for (long k = i + 1; k < n; k++)
                x -= u[i * n + k] * b[k * m + c];
            b[i * m + c] = x / u[i * n + i] + b[(n - 1 - i) * m + c - 1];
        }
}

/* Two steps of a recurrence for each column, in a loop over time. */
// transformed: any
KERNEL void k_recurrence(long n, long m, long steps, double *restrict a, double *restrict b) {
    for (long c = 0; c < m; c++)
        for (long t = 0; t < steps; t++) {
            for (long i = 1; i < n; i++)
                a[i * m + c] = 0.5 * a[i * m - m + c] + b[i * m + c];
            for (long i = 1; i < n; i++)
                b[i * m + c] = 0.25 * a[i * m - m + c] - b[i * m - m + c];
        }
}

/* The outermost of three loops, whose iterations share nothing. */
// transformed: any
KERNEL void k_batch(long n, long m, long batches, const double *restrict u, double *restrict b) {
    for (long c = 0; c < m; c++)
        for (long h = 0; h < batches; h++)
            for (long i = n - 1; i >= 0; i--) {
                double x = b[(h * n + i) * m + c];
                for (long k = i + 1; k < n; k++)
                    x -= u[i * n + k] * b[(h * n + k) * m + c];
                b[(h * n + i) * m + c] = x;
            }
}

/* Not all right sides have all rows. */
// transformed: any
KERNEL void k_trapezium(long n, const double *restrict u, double *restrict b) {
    for (long c = 0; c < n; c++)
        for (long i = c; i >= 0; i--) {
            double x = b[i * n + c];
            for (long k = i + 1; k <= c; k++)
                x -= u[i * n + k] * b[k * n + c];
            b[i * n + c] = x / u[i * n + i];
        }
}

// transformed: yes
KERNEL void k_columns(long n, long m, double *restrict s, const double *restrict a) {
    for (long c = 0; c < m; c++)
        for (long i = 0; i < n; i++)
            s[c] += a[i * m + c];
}

MAIN {
    static const int rows[] = {0, 1, 2, 3, 17, 33, 40, 64, 65, 80}, columns[] = {0, 1, 2, 3, 4, 5, 9, 16, 33, 70};
    for (int at = 0; at < (int)(sizeof rows / sizeof *rows); at++)
        for (int of = 0; of < (int)(sizeof columns / sizeof *columns); of++) {
            int n = rows[at], m = columns[of];
            RUN(f64, k_back, n, n, m, A, B);
            RUN(f64, k_back_in_memory, n, n, m, A, B);
            RUN(f64, k_back_by_rows, n, n, m, A, B);
            RUN(f64, k_forwards, n, n, m, A, B);
            RUN(f64, k_one_after_the_other, n, n, m, A, B);
            RUN(f64, k_recurrence, n, n, m, 3, A, B);
            RUN(f64, k_batch, n, n, m, 2, A, B);
            RUN(f64, k_columns, n, n, m, B, A);
        }
    for (int at = 0; at < (int)(sizeof rows / sizeof *rows); at++)
        RUN(f64, k_trapezium, rows[at], rows[at], A, B);
    RUN(f64, k_columns, 8000, 8000, 2, B, A);
    RUN(f64, k_columns, 3000, 3000, 5, B, A);
    return 0;
}
