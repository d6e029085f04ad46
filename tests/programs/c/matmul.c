/* Matrix products as people write them: pointers, restrict, C99 arrays, local accumulators, every order. */
#include "check.h"

// transformed: yes
KERNEL void k_pointers(long n, const double *a, const double *b, double *c) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: yes
KERNEL void k_restrict(int n, const double *restrict a, const double *restrict b, double *restrict c) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: yes
KERNEL void k_c99(int n, double a[n][n], double b[n][n], double c[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}

// transformed: yes
KERNEL void k_accumulator(long n, const double *a, const double *b, double *c) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0.0;
            for (long k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

// transformed: yes
KERNEL void k_init(int n, double a[n][n], double b[n][n], double c[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
        }
}

// transformed: yes
KERNEL void k_beta(long n, double alpha, double beta, const double *a, const double *b, double *c) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            c[i * n + j] *= beta;
            for (long k = 0; k < n; k++)
                c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
        }
}

// The sum would need an array of its own: C cannot hold it while its old value is still wanted.
// transformed: any
KERNEL void k_leading(long m, long n, long k, double alpha, const double *a, long lda, const double *b, long ldb,
                      double beta, double *c, long ldc) {
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0.0;
            for (long l = 0; l < k; l++)
                sum += a[i * lda + l] * b[l * ldb + j];
            c[i * ldc + j] = alpha * sum + beta * c[i * ldc + j];
        }
}

// transformed: yes
KERNEL void k_size_t(size_t n, const double *a, const double *b, double *c) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: any
KERNEL void k_ikj(long n, const double *a, const double *b, double *c) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: yes
KERNEL void k_jki(long n, const double *a, const double *b, double *c) {
    for (long j = 0; j < n; j++)
        for (long k = 0; k < n; k++)
            for (long i = 0; i < n; i++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: any
KERNEL void k_b_transposed(long n, const double *a, const double *b, double *c) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[j * n + k];
}

// transformed: yes
KERNEL void k_column_major(int m, int n, int k, const double *a, int lda, const double *b, int ldb, double *c, int ldc) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < k; l++)
                c[i + j * ldc] += a[i + l * lda] * b[l + j * ldb];
}

// transformed: any
KERNEL void k_constant(double a[64][64], double b[64][64], double c[64][64]) {
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            for (int k = 0; k < 64; k++)
                c[i][j] += a[i][k] * b[k][j];
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_pointers, n, n, A, B, C);
        RUN(f64, k_restrict, n, n, A, B, C);
        RUN(f64, k_c99, n, n, A, B, C);
        RUN(f64, k_accumulator, n, n, A, B, C);
        RUN(f64, k_init, n, n, A, B, C);
        RUN(f64, k_beta, n, n, 1.5, 0.75, A, B, C);
        RUN(f64, k_leading, n, n, n, n, 1.5, A, n, B, n, 0.75, C, n);
        RUN(f64, k_leading, n, n / 2, n, n + 1, -0.5, A, n + 3, B, n + 1, 1.25, C, n + 7);
        RUN(f64, k_size_t, n, n, A, B, C);
        RUN(f64, k_ikj, n, n, A, B, C);
        RUN(f64, k_jki, n, n, A, B, C);
        RUN(f64, k_b_transposed, n, n, A, B, C);
        RUN(f64, k_column_major, n, n, n + 2, n / 3, A, n + 1, B, n + 4, C, n);
    }
    RUN(f64, k_constant, 64, A, B, C);
    return 0;
}
