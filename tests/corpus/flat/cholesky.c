// A = L L' for a positive definite A, row by row; L replaces the lower triangle.
#include <math.h>

void cholesky(long n, double *a) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < i; j++) {
            double rest = a[i * n + j];
            for (long k = 0; k < j; k++) {
                rest -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = rest / a[j * n + j];
        }
        double rest = a[i * n + i];
        for (long k = 0; k < i; k++) {
            rest -= a[i * n + k] * a[i * n + k];
        }
        a[i * n + i] = sqrt(rest);
    }
}
