/* C = A * B with C99 array arguments and an accumulator in a local variable. */
#include "example.h"

KERNEL gemm(int n, double C[n][n], double A[n][n], double B[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += A[i][k] * B[k][j];
            C[i][j] = sum;
        }
}

int main(int argc, char **argv) {
    long n = size_argument(argc, argv, 1400);
    double *A = new_array(n * n, 1), *B = new_array(n * n, 2), *C = new_array(n * n, 3);
    double start = seconds_now();
    gemm((int)n, (void *)C, (void *)A, (void *)B);
    return finish(argc, argv, C, n * n, seconds_now() - start);
}
