/* Loops over time around sweeps over rows, which become tiles of many sweeps. */
#include <stdio.h>
#include <stdlib.h>

#define ROWS 1100

__attribute__((noinline)) static void three_points(int steps, int n, double *restrict a, double *restrict b) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
        for (int i = 1; i < n - 1; i++)
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1]);
    }
}

__attribute__((noinline)) static void one_side(int steps, int n, float *restrict a, float *restrict b) {
    for (int t = 0; t < steps; t++) {
        for (int i = 2; i < n; i++)
            b[i] = 0.5f * a[i - 2] + 0.25f * a[i];
        for (int i = 0; i < n; i++)
            a[i] = b[i];
    }
}

__attribute__((noinline)) static void wide(int steps, int n, unsigned *restrict a, unsigned *restrict b) {
    for (int t = 1; t <= steps; t++) {
        for (int i = 4; i < n - 4; i++)
            b[i] = 3 * a[i - 4] + 5 * a[i + 4] + a[i] + (unsigned)t;
        for (int i = 4; i < n - 4; i++)
            a[i] = b[i];
    }
}

__attribute__((noinline)) static void three_arrays(int steps, int n, double *restrict e, double *restrict h,
                                                   const double *restrict g) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n; i++)
            e[i] = e[i] - g[i] * (h[i] - h[i - 1]);
        for (int i = 1; i < n - 1; i++)
            h[i] = h[i] - 0.7 * (e[i + 1] - e[i]);
    }
}

int main(void) {
    static const int steps[] = {0, 1, 2, 15, 33, 100}, sizes[] = {0, 1, 3, 7, 255, 256, 700, ROWS};
    static double a[ROWS], b[ROWS], c[ROWS];
    static float f[ROWS], g[ROWS];
    static unsigned u[ROWS], v[ROWS];
    for (int i = 0; i < ROWS; i++) {
        a[i] = f[i] = (float)(i * i % 17) + 0.5f;
        b[i] = g[i] = (float)(-i % 5);
        c[i] = 0.125 * (i % 3);
        u[i] = (unsigned)i, v[i] = 7;
    }
    for (unsigned s = 0; s < sizeof steps / sizeof *steps; s++)
        for (unsigned n = 0; n < sizeof sizes / sizeof *sizes; n++) {
            three_points(steps[s], sizes[n], a, b);
            one_side(steps[s], sizes[n], f, g);
            wide(steps[s], sizes[n], u, v);
            three_arrays(steps[s], sizes[n], a, b, c);
            double sum = 0;
            unsigned bits = 0;
            for (int i = 0; i < ROWS; i++) {
                sum = sum * 0.999 + a[i] - b[i] * c[i] + f[i] * g[i];
                bits = bits * 31 + u[i] + v[i];
            }
            printf("%d %d %a %u\n", steps[s], sizes[n], sum, bits);
        }
}
