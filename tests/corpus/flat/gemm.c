// C = alpha A B + beta C.
void gemm(long ni, long nj, long nk, double alpha, double beta, double *c, const double *a, const double *b) {
    for (long i = 0; i < ni; i++) {
        for (long j = 0; j < nj; j++) {
            c[i * nj + j] *= beta;
            for (long k = 0; k < nk; k++) {
                c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
            }
        }
    }
}
