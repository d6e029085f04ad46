// A = L U in place without pivoting: each step updates what is right of and below the pivot.
void lu(long n, double *a) {
    for (long k = 0; k < n; k++) {
        for (long i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
            for (long j = k + 1; j < n; j++) {
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
            }
        }
    }
}
