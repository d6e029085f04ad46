/* C += A * B, the textbook triple loop: plain pointers without restrict, sizes and leading dimensions at run time. */
#include "example.h"

KERNEL gemm(long m, long n, long k, const double *A, long lda, const double *B, long ldb, double *C, long ldc) {
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++)
            for (long l = 0; l < k; l++)
                C[i * ldc + j] += A[i * lda + l] * B[l * ldb + j];
}

int main(int argc, char **argv) {
    long n = size_argument(argc, argv, 1500), ld = n + 4;
    double *A = new_array(n * ld, 1), *B = new_array(n * ld, 2), *C = new_array(n * ld, 3);
    double start = seconds_now();
    gemm(n, n, n, A, ld, B, ld, C, ld);
    return finish(argc, argv, C, n * ld, seconds_now() - start);
}
