/* y1 += A * x1 and y2 += A^T * x2. The second nest walks A along its columns. */
#include "example.h"

KERNEL matvec(long n, const double *A, double *y1, double *y2, const double *x1, const double *x2) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            y1[i] += A[i * n + j] * x1[j];
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            y2[i] += A[j * n + i] * x2[j];
}

int main(int argc, char **argv) {
    long n = size_argument(argc, argv, 4000);
    double *A = new_array(n * n, 1), *x = new_array(2 * n, 2), *y = new_array(2 * n, 3);
    double start = seconds_now();
    for (int repetition = 0; repetition < 10; repetition++)
        matvec(n, A, y, y + n, x, x + n);
    return finish(argc, argv, y, 2 * n, seconds_now() - start);
}
