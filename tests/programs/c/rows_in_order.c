/* Products whose rows lie in the order in which they are read: copied where loops run 150 times, used in place where they are shorter. */
#include "check.h"

// transformed: yes
KERNEL void k_plain(long m, long n, long p, float c[m][n], float a[m][p], float b[p][n]) {
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < p; k++)
                c[i][j] += a[i][k] * b[k][j];
}

/* Rows with gaps, that begin inside of them, and a sum in a variable. */
// transformed: yes
KERNEL void k_inside(int m, int n, int p, int ld, double *c, const float *a, const float *b) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < p; k++)
                sum += a[i * p + k] * b[(k + 1) * ld + j + 3];
            c[i * n + j] = sum;
        }
}

/* Bytes: more than one tile of rows. */
// transformed: yes
KERNEL void k_bytes(long m, long n, long p, unsigned c[m][n], const unsigned char a[m][p], const unsigned char b[p][n]) {
    for (long i = 0; i < m; i++)
        for (long k = 0; k < p; k++)
            for (long j = 0; j < n; j++)
                c[i][j] += a[i][k] * b[k][j];
}

/* Two products with the same rows. */
// transformed: yes
KERNEL void k_twice(long m, long n, long p, float c[m][n], float d[m][n], float a[m][p], float b[p][n]) {
    for (long i = 0; i < m; i++)
        for (long k = 0; k < p; k++)
            for (long j = 0; j < n; j++) {
                c[i][j] += a[i][k] * b[k][j];
                d[i][j] -= a[i][k] * b[k][j];
            }
}

/* Constant sizes: the choice is known. */
// transformed: yes
KERNEL void k_constant(float c[20][160], const float a[20][170], const float b[170][160]) {
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 160; j++)
            for (int k = 0; k < 170; k++)
                c[i][j] += a[i][k] * b[k][j];
}

/* The rows overlap what is written where the pools do. */
// transformed: yes
KERNEL void k_perhaps(long m, long n, long p, float *c, const float *a, const float *b) {
    for (long i = 0; i < m; i++)
        for (long k = 0; k < p; k++)
            for (long j = 0; j < n; j++)
                c[i * n + j] += a[i * p + k] * b[k * n + j];
}

/* Rows of a batch: a loop outside of the nest moves them. */
// transformed: any
KERNEL void k_batch(long z, long m, long n, long p, float c[z][m][n], float a[z][m][p], float b[z][p][n]) {
    for (long l = 0; l < z; l++)
        for (long i = 0; i < m; i++)
            for (long j = 0; j < n; j++)
                for (long k = 0; k < p; k++)
                    c[l][i][j] += a[l][i][k] * b[l][k][j];
}

MAIN {
    const long sizes[][3] = {{7, 149, 150}, {7, 150, 149}, {7, 150, 150}, {9, 170, 190}, {130, 160, 151}, {1, 157, 200}, {20, 40, 50}, {3, 1, 160}};
    for (int s = 0; s < 8; s++) {
        long m = sizes[s][0], n = sizes[s][1], p = sizes[s][2];
        RUN(f32, k_plain, m * 1000 + n, m, n, p, (void *)A, (void *)B, (void *)C);
        RUN(f32, k_twice, m * 1000 + n, m, n, p, (void *)A, (void *)D, (void *)B, (void *)C);
        RUN(f32, k_perhaps, m * 1000 + n, m, n, p, (void *)A, (void *)B, (void *)C);
        RUN(f32, k_perhaps, m * 1000 + n, m, n, p, (void *)A, (void *)B, (float *)(void *)A + m * n);
        RUN(f32, k_perhaps, m * 1000 + n, m, n, p, (void *)A, (void *)B, (float *)(void *)A + m * n - 1);
        RUN(bits, k_bytes, m * 1000 + n, m, n, p, (void *)A, (void *)B, (void *)C);
        RUN(f32, k_batch, m * 1000 + n, 1, m, n, p, (void *)A, (void *)B, (void *)C);
    }
    for (int n = 140; n < 170; n += 5)
        RUN(f32, k_inside, n, 9, n - 1, 160, n + 7, (void *)A, (void *)B, (void *)C);
    RUN(bits, k_bytes, 300, 11, 301, 400, (void *)A, (void *)B, (void *)C);
    RUN(bits, k_bytes, 257, 131, 257, 193, (void *)A, (void *)B, (void *)C);
    RUN(f32, k_constant, 160, (void *)A, (void *)B, (void *)C);
    return 0;
}
