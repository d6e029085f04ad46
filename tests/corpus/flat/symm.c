// C = alpha A B + beta C; A is symmetric, only its lower triangle is stored.
void symm(long m, long n, double alpha, double beta, double *c, const double *a, const double *b) {
    for (long i = 0; i < m; i++) {
        for (long j = 0; j < n; j++) {
            double sum = 0.0;
            for (long k = 0; k <= i; k++) {
                sum += a[i * m + k] * b[k * n + j];
            }
            for (long k = i + 1; k < m; k++) {
                sum += a[k * m + i] * b[k * n + j];
            }
            c[i * n + j] = alpha * sum + beta * c[i * n + j];
        }
    }
}
