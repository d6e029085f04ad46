/* D = beta * D + alpha * A * B * C: two matrix products, the second one reads what the first one writes. */
#include "example.h"

KERNEL two_mm(int n, double alpha, double beta, double *tmp, const double *A, const double *B, const double *C, double *D) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            tmp[i * n + j] = 0.0;
            for (int k = 0; k < n; k++)
                tmp[i * n + j] += alpha * A[i * n + k] * B[k * n + j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            D[i * n + j] *= beta;
            for (int k = 0; k < n; k++)
                D[i * n + j] += tmp[i * n + k] * C[k * n + j];
        }
}

int main(int argc, char **argv) {
    long n = size_argument(argc, argv, 1000);
    double *A = new_array(n * n, 1), *B = new_array(n * n, 2), *C = new_array(n * n, 3), *D = new_array(n * n, 4);
    double *tmp = new_array(n * n, 5);
    double start = seconds_now();
    two_mm((int)n, 1.5, 1.25, tmp, A, B, C, D);
    return finish(argc, argv, D, n * n, seconds_now() - start);
}
