/* Stencils: two-array sweeps in both orders, in-place sweeps whose dependences forbid most changes, three dimensions. */
#include "check.h"

// transformed: yes
KERNEL void k_jacobi(long steps, long n, double *a, double *b) {
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                b[i * n + j] = 0.2 * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i + 1) * n + j] + a[(i - 1) * n + j]);
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                a[i * n + j] = 0.2 * (b[i * n + j] + b[i * n + j - 1] + b[i * n + j + 1] + b[(i + 1) * n + j] + b[(i - 1) * n + j]);
    }
}

// transformed: yes
KERNEL void k_columns(long n, double *a, const double *b) {
    for (long j = 1; j < n - 1; j++)
        for (long i = 1; i < n - 1; i++)
            a[i * n + j] = 0.2 * (b[i * n + j] + b[i * n + j - 1] + b[i * n + j + 1] + b[(i + 1) * n + j] + b[(i - 1) * n + j]);
}

// transformed: any
KERNEL void k_seidel(int steps, int n, double a[n][n]) {
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j - 1] +
                           a[i + 1][j] + a[i + 1][j + 1]) / 9.0;
}

// transformed: any
KERNEL void k_seidel_columns(int steps, int n, double a[n][n]) {
    for (int t = 0; t < steps; t++)
        for (int j = 1; j < n - 1; j++)
            for (int i = 1; i < n - 1; i++)
                a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j - 1] +
                           a[i + 1][j] + a[i + 1][j + 1]) / 9.0;
}

// transformed: yes
KERNEL void k_jacobi_1d(long steps, long n, double *a, double *b) {
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
        for (long i = 1; i < n - 1; i++)
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1]);
    }
}

// transformed: yes
KERNEL void k_fdtd(int steps, int n, double ex[n][n], double ey[n][n], double hz[n][n], const double *source) {
    for (int t = 0; t < steps; t++) {
        for (int j = 0; j < n; j++)
            ey[0][j] = source[t];
        for (int i = 1; i < n; i++)
            for (int j = 0; j < n; j++)
                ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
        for (int i = 0; i < n; i++)
            for (int j = 1; j < n; j++)
                ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < n - 1; j++)
                hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}

// transformed: any
KERNEL void k_heat_3d(int steps, int n, double a[n][n][n], double b[n][n][n]) {
    for (int t = 0; t < steps; t++)
        for (int k = 1; k < n - 1; k++)
            for (int j = 1; j < n - 1; j++)
                for (int i = 1; i < n - 1; i++) {
                    b[i][j][k] = 0.125 * (a[i + 1][j][k] - 2.0 * a[i][j][k] + a[i - 1][j][k]) + a[i][j][k];
                    a[i][j][k] = 0.5 * b[i][j][k];
                }
}

// transformed: any
KERNEL void k_ping_pong(long steps, long n, double *a, double *b) {
    double *from = a, *to = b;
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                to[j * n + i] = 0.25 * (from[(j - 1) * n + i] + from[(j + 1) * n + i] + from[j * n + i - 1] + from[j * n + i + 1]);
        double *swap = from;
        from = to;
        to = swap;
    }
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_jacobi, n, 3, n, A, B);
        RUN(f64, k_columns, n, n, A, B);
        RUN(f64, k_seidel, n, 3, n, A);
        RUN(f64, k_seidel_columns, n, 3, n, A);
        RUN(f64, k_jacobi_1d, n, 5, n, A, B);
        RUN(f64, k_fdtd, n, 3, n, A, B, C, D);
        if (n < 26)
            RUN(f64, k_heat_3d, n, 2, n, A, B);
        RUN(f64, k_ping_pong, n, 5, n, A, B);
    }
    RUN(f64, k_heat_3d, 25, 2, 25, A, B);
    return 0;
}
