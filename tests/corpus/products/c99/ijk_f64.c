// C += A B, loops in the order i, j, k.
void ijk_f64(long n, double c[n][n], const double a[n][n], const double b[n][n]) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            for (long k = 0; k < n; k++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}
