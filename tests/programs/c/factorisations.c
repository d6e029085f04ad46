/* Factorisations and solves in place: row by row from the rows in front (left-looking), or a row at a time into all rows behind
 * (right-looking), with sums in memory and in variables. They are cut into blocks of rows. */
#include "check.h"
#include <math.h>

// transformed: yes
KERNEL void k_lu_right(long n, double a[n][n]) {
    for (long k = 0; k < n; k++)
        for (long i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (long j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
}

// transformed: yes
KERNEL void k_lu_left(int n, float a[n][n]) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[k][j];
            a[i][j] /= a[j][j];
        }
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}

// transformed: yes
KERNEL void k_lu_rows(long n, double a[n][n]) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < i; k++) {
            a[i][k] /= a[k][k];
            for (long j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
}

// transformed: yes
KERNEL void k_cholesky_left(long n, double a[n][n]) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < i; j++) {
            double rest = a[i][j];
            for (long k = 0; k < j; k++)
                rest -= a[i][k] * a[j][k];
            a[i][j] = rest / a[j][j];
        }
        double rest = a[i][i];
        for (long k = 0; k < i; k++)
            rest -= a[i][k] * a[i][k];
        a[i][i] = sqrt(fabs(rest)) + 1.0;
    }
}

// transformed: yes
KERNEL void k_cholesky_right(long n, float a[n][n]) {
    for (long k = 0; k < n; k++) {
        a[k][k] = a[k][k] * 0.5f + 1.0f;
        for (long i = k + 1; i < n; i++)
            a[i][k] /= a[k][k];
        for (long i = k + 1; i < n; i++)
            for (long j = k + 1; j <= i; j++)
                a[i][j] -= a[i][k] * a[j][k];
    }
}

/* The diagonal in an array of its own: what begins the sum of its element runs in front of the block, too. */
// transformed: yes
KERNEL void k_ldl_rows(long n, double a[n][n], double d[n]) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < i; j++) {
            double rest = a[i][j];
            for (long k = 0; k < j; k++)
                rest -= a[i][k] * d[k] * a[j][k];
            a[i][j] = rest / d[j];
        }
        double rest = a[i][i];
        for (long k = 0; k < i; k++)
            rest -= a[i][k] * a[i][k] * d[k];
        d[i] = rest;
    }
}

/* The same, where each row begins with a row of another matrix, and its element of the diagonal with a constant. */
// transformed: yes
KERNEL void k_ldl_elsewhere(long n, double a[n][n], double b[n][n], double d[n]) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j <= i; j++)
            a[i][j] = b[j][i] * 0.5;
        for (long j = 0; j < i; j++) {
            for (long k = 0; k < j; k++)
                a[i][j] -= a[i][k] * d[k] * a[j][k];
            a[i][j] *= d[j];
        }
        d[i] = 1.0;
        for (long k = 0; k < i; k++)
            d[i] -= a[i][k] * a[i][k];
    }
}

/* Column by column, with linear subscripts; the diagonal of the factor is a part of every product. The compiler makes the first column a case of its
 * own, from which the next value of `j` comes as the constant 1. */
// transformed: yes
KERNEL void k_ldl_columns(long n, double *restrict a) {
    for (long j = 0; j < n; j++) {
        double rest = a[j * n + j];
        for (long k = 0; k < j; k++)
            rest -= a[j * n + k] * a[j * n + k] * a[k * n + k];
        a[j * n + j] = rest;
        for (long i = j + 1; i < n; i++) {
            double sum = a[i * n + j];
            for (long k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k] * a[k * n + k];
            a[i * n + j] = sum / rest;
        }
    }
}

/* Right-looking, with a factor that is computed anew in every row. */
// transformed: yes
KERNEL void k_ldl_right(long n, double a[n][n]) {
    for (long k = 0; k < n; k++) {
        for (long i = k + 1; i < n; i++) {
            double factor = a[i][k] / a[k][k];
            for (long j = k + 1; j <= i; j++)
                a[i][j] -= factor * a[j][k];
        }
        for (long i = k + 1; i < n; i++)
            a[i][k] /= a[k][k];
    }
}

/* A triangular system from the right, for as many right-hand sides as there are rows of `x`. */
// transformed: yes
KERNEL void k_from_the_right(long m, long n, double x[m][n], double u[n][n]) {
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++) {
            double rest = x[i][j];
            for (long k = 0; k < j; k++)
                rest -= x[i][k] * u[k][j];
            x[i][j] = rest / (u[j][j] + 2.0);
        }
}

// transformed: yes
KERNEL void k_integers(long n, uint32_t a[n][n]) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < i; j++) {
            for (long k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[k][j];
            a[i][j] *= a[j][j];
        }
        for (long j = i; j < n; j++)
            for (long k = 0; k < i; k++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}

/* One off: the row itself is read, too. */
// transformed: any
KERNEL void k_own_row(long n, double a[n][n]) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < i; j++) {
            for (long k = 0; k <= j; k++)
                a[i][j] -= a[i][k] * a[k][j];
            a[i][j] *= a[j][j];
        }
}

/* Rows behind are read, too: no row of a block is done before the others. */
// transformed: any
KERNEL void k_both_sides(long n, double a[n][n]) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < i; j++) {
            for (long k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[n - 1 - k][j];
            a[i][j] *= a[j][j];
        }
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_lu_right, n, n, A);
        RUN(f32, k_lu_left, n, n, A);
        RUN(f64, k_lu_rows, n, n, A);
        RUN(f64, k_cholesky_left, n, n, A);
        RUN(f32, k_cholesky_right, n, n, A);
        RUN(f64, k_ldl_rows, n, n, A, D);
        RUN(f64, k_ldl_elsewhere, n, n, A, B, D);
        RUN(f64, k_ldl_columns, n, n, A);
        RUN(f64, k_ldl_right, n, n, A);
        RUN(f64, k_from_the_right, n, n, n, A, B);
        RUN(f64, k_from_the_right, n, n > 24 ? 90 : 7, n, A, B);
        RUN(f64, k_from_the_right, n, 5, n, A, B);
        RUN(bits, k_integers, n, n, A);
        RUN(f64, k_own_row, n, n, A);
        RUN(f64, k_both_sides, n, n, A);
    }
    return 0;
}
