// A = Q R by the modified Gram-Schmidt process; A ends as what is left of its columns.
#include <math.h>

void gramschmidt(long m, long n, double *a, double *q, double *r) {
    for (long k = 0; k < n; k++) {
        double norm = 0.0;
        for (long i = 0; i < m; i++) {
            norm += a[i * n + k] * a[i * n + k];
        }
        r[k * n + k] = sqrt(norm);
        for (long i = 0; i < m; i++) {
            q[i * n + k] = a[i * n + k] / r[k * n + k];
        }
        for (long j = k + 1; j < n; j++) {
            r[k * n + j] = 0.0;
            for (long i = 0; i < m; i++) {
                r[k * n + j] += q[i * n + k] * a[i * n + j];
            }
            for (long i = 0; i < m; i++) {
                a[i * n + j] -= q[i * n + k] * r[k * n + j];
            }
        }
    }
}
