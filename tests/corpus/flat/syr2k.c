// The lower triangle of C = alpha (A B' + B A') + beta C.
void syr2k(long n, long m, double alpha, double beta, double *c, const double *a, const double *b) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j <= i; j++) {
            c[i * n + j] *= beta;
        }
        for (long k = 0; k < m; k++) {
            for (long j = 0; j <= i; j++) {
                c[i * n + j] += alpha * (a[i * m + k] * b[j * m + k] + b[i * m + k] * a[j * m + k]);
            }
        }
    }
}
