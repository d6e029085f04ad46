// y = A' (A x), one row of A at a time.
void atax(long m, long n, double *y, const double *a, const double *x) {
    for (long j = 0; j < n; j++) {
        y[j] = 0.0;
    }
    for (long i = 0; i < m; i++) {
        double t = 0.0;
        for (long j = 0; j < n; j++) {
            t += a[i * n + j] * x[j];
        }
        for (long j = 0; j < n; j++) {
            y[j] += a[i * n + j] * t;
        }
    }
}
