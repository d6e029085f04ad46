// A += u v' + s t', then x += beta A' y + z, then w += alpha A x.
void gemver(long n, double alpha, double beta, double *a, double *x, double *w, const double *u, const double *v,
            const double *s, const double *t, const double *y, const double *z) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            a[i * n + j] += u[i] * v[j] + s[i] * t[j];
        }
    }
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            x[i] += beta * a[j * n + i] * y[j];
        }
    }
    for (long i = 0; i < n; i++) {
        x[i] += z[i];
    }
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            w[i] += alpha * a[i * n + j] * x[j];
        }
    }
}
