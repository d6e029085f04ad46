// C += A B, loops in the order i, k, j.
void ikj_f64(long n, double *c, const double *a, const double *b) {
    for (long i = 0; i < n; i++) {
        for (long k = 0; k < n; k++) {
            for (long j = 0; j < n; j++) {
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            }
        }
    }
}
