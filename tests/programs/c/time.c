/* Time tiling: loops over time steps around sweeps over data, near and far neighbours, boundaries, and what must be refused. */
#include "check.h"

// Two neighbours on each side: data travels two rows in each sweep.
// transformed: yes
KERNEL void k_wide(long steps, long n, double *a, double *b) {
    for (long t = 0; t < steps; t++) {
        for (long i = 2; i < n - 2; i++)
            for (long j = 0; j < n; j++)
                b[i * n + j] = 0.2 * (a[(i - 2) * n + j] + a[(i - 1) * n + j] + a[i * n + j] + a[(i + 1) * n + j] + a[(i + 2) * n + j]);
        for (long i = 2; i < n - 2; i++)
            for (long j = 0; j < n; j++)
                a[i * n + j] = b[i * n + j] - 0.1 * b[(i + 2) * n + j];
    }
}

// The wave equation: three arrays, copied.
// transformed: yes
KERNEL void k_wave(int steps, int n, double now[n][n], double before[n][n], double after[n][n]) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                after[i][j] = 2.0 * now[i][j] - before[i][j] +
                              0.1 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1] - 4.0 * now[i][j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                before[i][j] = now[i][j];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                now[i][j] = after[i][j];
    }
}

// Data travels in one direction only.
// transformed: yes
KERNEL void k_upwind(long steps, long n, float *a, float *b) {
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n; i++)
            b[i] = a[i] - 0.25f * (a[i] - a[i - 1]);
        for (long i = 1; i < n; i++)
            a[i] = b[i];
    }
}

// Boundary rows and columns that change with time; a source that is read once in each step.
// transformed: yes
KERNEL void k_boundaries(int steps, int n, double a[n][n], double b[n][n], const double *source) {
    for (int t = 0; t < steps; t++) {
        for (int j = 0; j < n; j++)
            a[0][j] = source[t];
        for (int j = 0; j < n; j++)
            a[n - 1][j] = -source[t];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = b[i][j];
    }
}

// The whole is done several times, each with a step count of its own.
// transformed: yes
KERNEL void k_repeated(long rounds, long n, double *a, double *b) {
    for (long r = 0; r < rounds; r++)
        for (long t = 0; t < r + 1; t++) {
            for (long i = 1; i < n - 1; i++)
                for (long j = 1; j < n - 1; j++)
                    b[i * n + j] = 0.5 * (a[(i - 1) * n + j] + a[(i + 1) * n + j - 1]);
            for (long i = 1; i < n - 1; i++)
                for (long j = 1; j < n - 1; j++)
                    a[i * n + j] = b[i * n + j] + 1.0;
        }
}

// LU factorisation with the pivot loop outside: a row is finished when the pivots above it have been applied.
// transformed: any
KERNEL void k_lu(int n, double a[n][n]) {
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k] + 4.0;
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
}

// Periodic: the last row comes back to the first in the same step, so no tile could be first.
// transformed: no
KERNEL void k_periodic(long steps, long n, double *a, double *b) {
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            b[i] = 0.5 * (a[i - 1] + a[i + 1]);
        for (long i = 1; i < n - 1; i++)
            a[i] = b[i];
        a[0] = a[n - 2];
        a[n - 1] = a[1];
    }
}

// Every element needs all others of the step before.
// transformed: no
KERNEL void k_global(long steps, long n, double *a, double *b) {
    for (long t = 0; t < steps; t++) {
        for (long i = 0; i < n; i++)
            b[i] = a[i] + 0.5 * a[n - 1 - i];
        for (long i = 0; i < n; i++)
            a[i] = b[i];
    }
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_wide, n, 5, n, A, B);
        RUN(f64, k_wave, n, 4, n, A, B, C);
        RUN(f32, k_upwind, n, 9, n, A, B);
        RUN(f64, k_boundaries, n, 5, n, A, B, C);
        RUN(f64, k_repeated, n, 4, n, A, B);
        RUN(f64, k_lu, n, n, A);
        RUN(f64, k_periodic, n, 5, n, A, B);
        RUN(f64, k_global, n, 5, n, A, B);
    }
    return 0;
}
