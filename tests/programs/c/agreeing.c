/* PHIs whose incoming values are one expression after all, as the compiler leaves them behind a loop that it skips where it
 * has no iterations; and PHIs that only look like that. */
#include "check.h"

// transformed: yes
KERNEL void k_rows(long n, double c[n][n], const double a[n][n], const double b[n][n]) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < i; j++)
            for (long k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
        c[i][i] = 0.5 * c[i][i];
    }
}

// transformed: any
KERNEL void k_cholesky(long n, double *a) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < i; j++) {
            double rest = a[i * n + j];
            for (long k = 0; k < j; k++)
                rest -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = rest / (2.0 + a[j * n + j] * a[j * n + j]);
        }
        double rest = a[i * n + i];
        for (long k = 0; k < i; k++)
            rest -= a[i * n + k] * a[i * n + k];
        a[i * n + i] = rest;
    }
}

// transformed: any
KERNEL void k_solve(long n, double x[n], const double l[n][n], const double b[n]) {
    for (long i = 0; i < n; i++) {
        double rest = b[i];
        for (long j = 0; j < i; j++)
            rest -= l[i][j] * x[j];
        x[i] = rest / (2.0 + l[i][i] * l[i][i]);
    }
}

/* The first row is not where the formula has it. */
// transformed: no
KERNEL void k_other_row(long n, double *c, const double *a, const double *b) {
    for (long i = 0; i < n; i++) {
        long at = 7;
        if (i != 0) {
            at = i * n;
            for (long j = 0; j < n; j++)
                for (long k = 0; k < n; k++)
                    c[i * n + j] += a[i * n + k] * b[k * n + j];
        }
        c[at + i] = 0.5;
    }
}

/* The values agree where the last row is, and the condition is about the first one. */
// transformed: no
KERNEL void k_other_condition(long n, double *c, const double *a, const double *b) {
    for (long i = 0; i < n; i++) {
        long at = (n - 1) * n;
        if (i != 0) {
            at = i * n;
            for (long j = 0; j < n; j++)
                for (long k = 0; k < n; k++)
                    c[i * n + j] += a[i * n + k] * b[k * n + j];
        }
        c[at + i] = 0.5;
    }
}

/* The same with the right condition. */
// transformed: yes
KERNEL void k_last_row(long n, double *c, const double *a, const double *b) {
    for (long i = 0; i < n; i++) {
        long at = (n - 1) * n;
        if (i != n - 1) {
            at = i * n;
            for (long j = 0; j < n; j++)
                for (long k = 0; k < n; k++)
                    c[i * n + j] += a[i * n + k] * b[k * n + j];
        }
        c[at + i] = 0.5;
    }
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_rows, n, n, C, A, B);
        RUN(f64, k_cholesky, n, n, A);
        RUN(f64, k_solve, n, n, C, A, B);
        RUN(f64, k_other_row, n, n, C, A, B);
        RUN(f64, k_other_condition, n, n, C, A, B);
        RUN(f64, k_last_row, n, n, C, A, B);
    }
    return 0;
}
