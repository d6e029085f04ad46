/* Rows that are longer than a parameter says: borders around grids, matrices with a few more columns than they use, and images that
 * are smaller than their inputs. Diagonals look the same. */
#include "check.h"

/* A grid with a border of one element. */
// transformed: any
KERNEL void k_grid(int rows, int columns, int times, double *restrict a, double *restrict b) {
    int width = columns + 2;
    for (int t = 0; t < times; t++) {
        for (int y = 1; y <= rows; y++)
            for (int x = 1; x <= columns; x++)
                b[y * width + x] = 0.2 * (a[y * width + x] + a[y * width + x - 1] + a[y * width + x + 1] +
                                          a[(y - 1) * width + x] + a[(y + 1) * width + x]);
        for (int y = 1; y <= rows; y++)
            for (int x = 1; x <= columns; x++)
                a[y * width + x] = b[y * width + x];
    }
}

/* Every matrix has rows of its own length. */
// transformed: yes
KERNEL void k_padded(int n, double *c, const double *a, const double *b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * (n + 1) + k] * b[(k + 1) * (2 * n + 3) + j + 1];
            c[i * (n + 8) + j] = sum;
        }
}

/* Two sizes with borders in three dimensions, backwards. */
// transformed: yes
KERNEL void k_backwards(int n, int m, float *restrict c, const float *restrict a, const float *restrict b) {
    for (int p = 3; p >= 0; p--)
        for (int i = m - 1; i >= 0; i--)
            for (int j = n - 1; j >= 0; j--)
                for (int k = m; k >= 0; k--)
                    c[(p * (m + 1) + i) * (n - 1 + 2) + j] += a[(p * (m + 1) + i) * (m + 2) + k] * b[k * (n + 3) + j];
}

/* Images whose sides are two shorter than those of their inputs. */
// transformed: yes
KERNEL void k_convolution(int n, float *restrict out, const float *restrict in, const float *restrict w) {
    int m = n - 2;
    for (int o = 0; o < 16; o++)
        for (int y = 0; y < m; y++)
            for (int x = 0; x < m; x++) {
                float sum = 0;
                for (int c = 0; c < 16; c++)
                    for (int p = 0; p < 3; p++)
                        for (int q = 0; q < 3; q++)
                            sum += w[((o * 16 + c) * 3 + p) * 3 + q] * in[(c * n + y + p) * n + x + q];
                out[(o * m + y) * m + x] = sum;
            }
}

/* The same with the channels innermost, where rows are constants apart. */
// transformed: yes
KERNEL void k_channels(int n, float *restrict out, const float *restrict in, const float *restrict w) {
    int m = n - 2;
    for (int y = 0; y < m; y++)
        for (int x = 0; x < m; x++)
            for (int o = 0; o < 8; o++) {
                float sum = 0;
                for (int p = 0; p < 3; p++)
                    for (int q = 0; q < 3; q++)
                        for (int c = 0; c < 8; c++)
                            sum += w[((p * 3 + q) * 8 + c) * 8 + o] * in[((y + p) * n + x + q) * 8 + c];
                out[(y * m + x) * 8 + o] = sum;
            }
}

/* Rows of n elements from the diagonal on, to both sides. */
// transformed: any
KERNEL void k_diagonal(int n, double *restrict c, const double *restrict a, const double *restrict b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n - i; j++)
            for (int k = 0; k <= i; k++)
                c[i * (n + 1) + j] += a[i * (n + 1) - k] * b[k * (n + 1) + j];
}

/* Rows that end where the next ones have begun: not what the strides say. */
// transformed: any
KERNEL void k_overlapping(int n, int m, double *c, const double *a, const double *b) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < m; j++)
                c[i * (n + 1) + j] += a[i * n + k] * b[k * (n + 2) + j];
}

MAIN {
    FOR_SIZES(n) {
        int m = n < 48 ? n : 48;
        RUN(f64, k_grid, n, m, n, 6, A, B);
        RUN(f64, k_padded, n, m, A, B, C);
        RUN(f32, k_backwards, n, n % 48, m, A, B, C);
        if (m > 2) {
            RUN(f32, k_convolution, n, m < 40 ? m : 40, A, B, C);
            RUN(f32, k_channels, n, m, A, B, C);
        }
        RUN(f64, k_diagonal, n, m, A, B, C);
        RUN(f64, k_overlapping, n, m, m, A, B, C);
        RUN(f64, k_overlapping, n, m, m + 9, A, B, C);
    }
    return 0;
}
