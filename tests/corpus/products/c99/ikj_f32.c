// C += A B, loops in the order i, k, j.
void ikj_f32(long n, float c[n][n], const float a[n][n], const float b[n][n]) {
    for (long i = 0; i < n; i++) {
        for (long k = 0; k < n; k++) {
            for (long j = 0; j < n; j++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}
