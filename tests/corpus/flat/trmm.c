// B = alpha A B in place; A is upper triangular, so that row i needs only rows that still hold old values.
void trmm(long m, long n, double alpha, double *b, const double *a) {
    for (long i = 0; i < m; i++) {
        for (long j = 0; j < n; j++) {
            double sum = a[i * m + i] * b[i * n + j];
            for (long k = i + 1; k < m; k++) {
                sum += a[i * m + k] * b[k * n + j];
            }
            b[i * n + j] = alpha * sum;
        }
    }
}
