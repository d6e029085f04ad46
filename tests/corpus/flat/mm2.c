// D = alpha A B C + beta D, through T = alpha A B; each element is summed in a variable.
void mm2(long ni, long nj, long nk, long nl, double alpha, double beta, double *d, double *t, const double *a,
         const double *b, const double *c) {
    for (long i = 0; i < ni; i++) {
        for (long j = 0; j < nj; j++) {
            double sum = 0.0;
            for (long k = 0; k < nk; k++) {
                sum += a[i * nk + k] * b[k * nj + j];
            }
            t[i * nj + j] = alpha * sum;
        }
    }
    for (long i = 0; i < ni; i++) {
        for (long l = 0; l < nl; l++) {
            double sum = beta * d[i * nl + l];
            for (long j = 0; j < nj; j++) {
                sum += t[i * nj + j] * c[j * nl + l];
            }
            d[i * nl + l] = sum;
        }
    }
}
