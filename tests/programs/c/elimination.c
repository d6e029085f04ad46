/* Eliminations that change all rows with one of them, step by step: in blocks of steps, whose rows are saved as the steps read them. */
#include "check.h"

// transformed: yes
KERNEL void k_in_place(long n, double a[n][n]) {
    for (long k = 0; k < n; k++) {
        for (long j = k + 1; j < n; j++)
            a[k][j] /= 2.0 + a[k][k] * a[k][k];
        for (long i = 0; i < n; i++)
            if (i != k)
                for (long j = k + 1; j < n; j++)
                    a[i][j] -= a[i][k] * a[k][j];
    }
}

// transformed: yes
KERNEL void k_factor(int n, double a[n][n]) {
    for (int k = 0; k < n; k++) {
        double pivot = 2.0 + a[k][k] * a[k][k];
        for (int j = k; j < n; j++)
            a[k][j] /= pivot;
        for (int i = 0; i < n; i++)
            if (i != k) {
                double factor = a[i][k];
                for (int j = k; j < n; j++)
                    a[i][j] -= factor * a[k][j];
            }
    }
}

// transformed: yes
KERNEL void k_two_loops(long n, float a[n][n]) {
    for (long k = 0; k < n; k++) {
        for (long j = k + 1; j < n; j++)
            a[k][j] *= 0.25f;
        for (long i = 0; i < k; i++)
            for (long j = k + 1; j < n; j++)
                a[i][j] -= 0.03125f * a[i][k] * a[k][j];
        for (long i = k + 1; i < n; i++)
            for (long j = k + 1; j < n; j++)
                a[i][j] -= 0.03125f * a[i][k] * a[k][j];
    }
}

// transformed: yes
KERNEL void k_both(long n, double *restrict a, double *restrict b) {
    for (long k = 0; k < n; k++)
        for (long i = 0; i < n; i++)
            if (i != k) {
                double factor = a[i * n + k] * 0.125;
                for (long j = 0; j < n; j++) {
                    a[i * n + j] -= factor * a[k * n + j];
                    b[i * n + j] -= factor * b[k * n + j];
                }
            }
}

// transformed: yes
KERNEL void k_integers(long n, unsigned a[n][n]) {
    for (long k = 0; k < n; k++)
        for (long i = 0; i < n; i++)
            if (i != k)
                for (long j = k + 1; j < n; j++)
                    a[i][j] ^= a[i][k] * a[k][j];
}

/* The row of the step is changed as well, while the others read it. */
// transformed: any
KERNEL void k_own_row_too(long n, double a[n][n]) {
    for (long k = 0; k < n; k++)
        for (long i = 0; i < n; i++)
            for (long j = k + 1; j < n; j++)
                a[i][j] -= 0.125 * a[i][k] * a[k][j];
}

/* Not the row of the step, but the next one. */
// transformed: any
KERNEL void k_next_row(long n, double a[n][n]) {
    for (long k = 0; k < n - 1; k++)
        for (long i = 0; i < n; i++)
            if (i != k)
                for (long j = 0; j < n; j++)
                    a[i][j] -= 0.0625 * a[k + 1][j];
}

/* The sum is outside. */
// transformed: yes
KERNEL void k_sum_outside(long n, double c[restrict n][n], const double a[n][n], const double b[n][n]) {
    for (long k = 0; k < n; k++)
        for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j++)
                c[i][j] -= a[i][k] * b[k][j];
}

/* Memory of a segment has no calls that copy. */
#ifdef __SEG_GS
#define SEGMENT __seg_gs
#else
#define SEGMENT
#endif
// transformed: any
KERNEL void k_nothing_in_segments(long n, double SEGMENT *restrict a) {
    for (long k = 0; k < n; k++)
        for (long i = 0; i < n; i++)
            if (i != k)
                for (long j = k + 1; j < n; j++)
                    a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_in_place, n, n, A);
        RUN(f64, k_factor, n, n, A);
        RUN(f32, k_two_loops, n, n, A);
        RUN(f64, k_both, n, n, A, B);
        RUN(bits, k_integers, n, n, A);
        RUN(f64, k_own_row_too, n, n, A);
        RUN(f64, k_next_row, n, n, A);
        RUN(f64, k_sum_outside, n, n, A, B, C);
    }
    k_nothing_in_segments(0, 0);
    return 0;
}
