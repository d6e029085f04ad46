// Solves A x = b: A = L U row by row, then y by forward and x by backward substitution.
void ludcmp(long n, double *a, double *x, double *y, const double *b) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < i; j++) {
            double rest = a[i * n + j];
            for (long k = 0; k < j; k++) {
                rest -= a[i * n + k] * a[k * n + j];
            }
            a[i * n + j] = rest / a[j * n + j];
        }
        for (long j = i; j < n; j++) {
            double rest = a[i * n + j];
            for (long k = 0; k < i; k++) {
                rest -= a[i * n + k] * a[k * n + j];
            }
            a[i * n + j] = rest;
        }
    }
    for (long i = 0; i < n; i++) {
        double rest = b[i];
        for (long j = 0; j < i; j++) {
            rest -= a[i * n + j] * y[j];
        }
        y[i] = rest;
    }
    for (long i = n - 1; i >= 0; i--) {
        double rest = y[i];
        for (long j = i + 1; j < n; j++) {
            rest -= a[i * n + j] * x[j];
        }
        x[i] = rest / a[i * n + i];
    }
}
