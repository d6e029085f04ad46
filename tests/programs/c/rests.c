/* Products whose rows end in the middle of a vector: register tiles, what they leave over, and their rests, in several types. */
#include "check.h"

// transformed: yes
KERNEL void k_floats(long n, long m, float c[n][m], float a[n][n], float b[n][m]) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < m; j++)
                c[i][j] += 1.5f * a[i][k] * b[k][j];
}

/* The numbers that all of a row have are in the array that it is written to. */
// transformed: yes
KERNEL void k_elimination(long n, double a[n][n]) {
    for (long k = 0; k < n; k++)
        for (long i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (long j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
}

/* Rows of floats added up in doubles. */
// transformed: any
KERNEL void k_mixed(long n, long m, double c[n][m], float a[n][n], float b[n][m]) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < m; j++)
                c[i][j] += (double)a[i][k] * b[k][j];
}

/* Integers, and a choice by data. */
// transformed: any
KERNEL void k_integers(int n, int m, int *restrict c, int *restrict a, int *restrict b) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < m; j++)
                c[i * m + j] += a[i * n + k] > b[k * m + j] ? a[i * n + k] : b[k * m + j] * 3;
}

/* Vectors of the program's own, of which each iteration takes an element. */
typedef float four __attribute__((vector_size(16)));

// transformed: any
KERNEL void k_vectors(long n, long m, four by, float *restrict c, float *restrict a, float *restrict b) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < m; j++)
                c[i * m + j] += by[1] * a[i * n + k] * b[k * m + j] + by[2];
}

/* Triangles, of which tiles leave over what is smaller than a vector. */
// transformed: yes
KERNEL void k_rank(long n, long m, double alpha, double c[n][n], double a[n][m]) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < m; k++)
            for (long j = 0; j <= i; j++)
                c[i][j] += alpha * a[i][k] * a[j][k];
}

// transformed: yes
KERNEL void k_rank_of_floats(long n, long m, float alpha, float c[n][n], float a[n][m]) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < m; k++)
            for (long j = i; j < n; j++)
                c[i][j] += alpha * a[i][k] * a[j][k];
}

MAIN {
    for (int n = 1; n < 40; n++) {
        RUN(f64, k_rank, n, n, (n + 17) % 41, -0.5, A, B);
        RUN(f32, k_rank_of_floats, n, n, (n + 17) % 41, -0.5f, A, B);
    }
    FOR_SIZES(n) {
        for (int m = 0; m < 48; m += m < 20 ? 1 : 3) {
            long rows = n < 34 ? n : n % 16;
            RUN(f32, k_floats, m, rows, m, A, B, C);
            RUN(f32, k_mixed, m, rows, m, A, B, C);
            RUN(bits, k_integers, m, rows, m, A, B, C);
            RUN(f32, k_vectors, m, rows, m, (four){1, 2, 3, 4}, A, B, C);
        }
        RUN(f64, k_elimination, n, n, A);
    }
    return 0;
}
