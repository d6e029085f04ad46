// x += A u and y += A' v.
void mvt(long n, double *x, double *y, const double *a, const double *u, const double *v) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            x[i] += a[i * n + j] * u[j];
        }
    }
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            y[i] += a[j * n + i] * v[j];
        }
    }
}
