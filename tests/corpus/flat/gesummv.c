// y = alpha A x + beta B x.
void gesummv(long n, double alpha, double beta, double *y, const double *a, const double *b, const double *x) {
    for (long i = 0; i < n; i++) {
        double ax = 0.0;
        double bx = 0.0;
        for (long j = 0; j < n; j++) {
            ax += a[i * n + j] * x[j];
            bx += b[i * n + j] * x[j];
        }
        y[i] = alpha * ax + beta * bx;
    }
}
