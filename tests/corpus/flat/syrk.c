// The lower triangle of C = alpha A A' + beta C.
void syrk(long n, long m, double alpha, double beta, double *c, const double *a) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j <= i; j++) {
            c[i * n + j] *= beta;
            for (long k = 0; k < m; k++) {
                c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
            }
        }
    }
}
