// Solves L x = b for a lower triangular L.
void trisolv(long n, double *x, const double *l, const double *b) {
    for (long i = 0; i < n; i++) {
        double rest = b[i];
        for (long j = 0; j < i; j++) {
            rest -= l[i * n + j] * x[j];
        }
        x[i] = rest / l[i * n + i];
    }
}
