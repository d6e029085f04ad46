/* A five-point stencil, two sweeps for each time step, rows walked in storage order: little to gain without time tiling. */
#include "example.h"

KERNEL jacobi2d(long steps, long n, double *A, double *B) {
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                B[i * n + j] = 0.2 * (A[i * n + j] + A[i * n + j - 1] + A[i * n + j + 1] + A[(i + 1) * n + j] +
                                      A[(i - 1) * n + j]);
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                A[i * n + j] = 0.2 * (B[i * n + j] + B[i * n + j - 1] + B[i * n + j + 1] + B[(i + 1) * n + j] +
                                      B[(i - 1) * n + j]);
    }
}

int main(int argc, char **argv) {
    long n = size_argument(argc, argv, 1300);
    double *A = new_array(n * n, 1), *B = new_array(n * n, 2);
    double start = seconds_now();
    jacobi2d(200, n, A, B);
    return finish(argc, argv, A, n * n, seconds_now() - start);
}
