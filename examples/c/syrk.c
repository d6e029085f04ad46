/* C = beta * C + alpha * A * A^T on the lower triangle: a triangular nest that reads A along its columns. */
#include "example.h"

KERNEL syrk(long n, long m, double alpha, double beta, double *C, const double *A) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j <= i; j++)
            C[i * n + j] *= beta;
        for (long k = 0; k < m; k++)
            for (long j = 0; j <= i; j++)
                C[i * n + j] += alpha * A[i * m + k] * A[j * m + k];
    }
}

int main(int argc, char **argv) {
    long n = size_argument(argc, argv, 1400), m = n;
    double *A = new_array(n * m, 1), *C = new_array(n * n, 2);
    double start = seconds_now();
    syrk(n, m, 1.5, 1.25, C, A);
    return finish(argc, argv, C, n * n, seconds_now() - start);
}
