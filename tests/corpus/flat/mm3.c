// G = (A B) (C D), with E = A B and F = C D kept.
void mm3(long ni, long nj, long nk, long nl, long nm, double *g, double *e, double *f, const double *a, const double *b,
         const double *c, const double *d) {
    for (long i = 0; i < ni; i++) {
        for (long j = 0; j < nj; j++) {
            e[i * nj + j] = 0.0;
            for (long k = 0; k < nk; k++) {
                e[i * nj + j] += a[i * nk + k] * b[k * nj + j];
            }
        }
    }
    for (long j = 0; j < nj; j++) {
        for (long l = 0; l < nl; l++) {
            f[j * nl + l] = 0.0;
            for (long m = 0; m < nm; m++) {
                f[j * nl + l] += c[j * nm + m] * d[m * nl + l];
            }
        }
    }
    for (long i = 0; i < ni; i++) {
        for (long l = 0; l < nl; l++) {
            g[i * nl + l] = 0.0;
            for (long j = 0; j < nj; j++) {
                g[i * nl + l] += e[i * nj + j] * f[j * nl + l];
            }
        }
    }
}
