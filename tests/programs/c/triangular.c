/* Triangular domains: bounds that depend on outer iterators, from both sides. */
#include "check.h"
#include <math.h>

// transformed: yes
KERNEL void k_syrk(long n, long m, double alpha, double beta, double *c, const double *a) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j <= i; j++)
            c[i * n + j] *= beta;
        for (long k = 0; k < m; k++)
            for (long j = 0; j <= i; j++)
                c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
    }
}

// transformed: any
KERNEL void k_trmm(int m, int n, double alpha, double a[m][m], double b[m][n]) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            for (int k = i + 1; k < m; k++)
                b[i][j] += a[k][i] * b[k][j];
            b[i][j] = alpha * b[i][j];
        }
}

// transformed: any
KERNEL void k_symm(int m, int n, double alpha, double beta, double c[m][n], double a[m][m], double b[m][n]) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double temp = 0;
            for (int k = 0; k < i; k++) {
                c[k][j] += alpha * b[i][j] * a[i][k];
                temp += b[k][j] * a[i][k];
            }
            c[i][j] = beta * c[i][j] + alpha * b[i][j] * a[i][i] + alpha * temp;
        }
}

// transformed: any
KERNEL void k_upper_columns(long n, double *c, const double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i <= j; i++)
            c[i * n + j] += 2.0 * a[i * n + j];
}

// transformed: any
KERNEL void k_lu(int n, double a[n][n]) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[k][j];
            a[i][j] /= a[j][j] + 3.0;
        }
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}

// transformed: any
KERNEL void k_cholesky(int n, double a[n][n]) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j] + 2.0;
        }
        for (int k = 0; k < i; k++)
            a[i][i] -= a[i][k] * a[i][k];
        a[i][i] = sqrt(fabs(a[i][i]));
    }
}

// transformed: any
KERNEL void k_solve(int n, double l[n][n], double *x, const double *b) {
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= l[i][j] * x[j];
        x[i] = x[i] / (l[i][i] + 3.0);
    }
}

// transformed: any
KERNEL void k_band(long n, long width, double *c, const double *a) {
    for (long i = 0; i < n; i++)
        for (long j = i - width; j <= i + width; j++)
            if (j >= 0 && j < n)
                c[j * n + i] += a[i * n + j];
}

// transformed: any
KERNEL void k_trapezoid(long n, long m, double *c, const double *a) {
    for (long i = 0; i < n; i++)
        for (long j = 2 * i - m; j < m - i; j++)
            c[(j + m) * n + i] += a[i * n + (j + m) % n] + a[(j + m) * n + i];
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_syrk, n, n, n + 2, 1.5, 0.75, C, A);
        RUN(f64, k_trmm, n, n, n + 1, 1.5, A, B);
        RUN(f64, k_symm, n, n, n + 2, 0.5, 0.75, C, A, B);
        RUN(f64, k_upper_columns, n, n, C, A);
        RUN(f64, k_lu, n, n, A);
        RUN(f64, k_cholesky, n, n, A);
        RUN(f64, k_solve, n, n, A, C, B);
        RUN(f64, k_band, n, n, 5, C, A);
        RUN(f64, k_trapezoid, n, n, n / 2, C, A);
    }
    return 0;
}
