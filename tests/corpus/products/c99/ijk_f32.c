// C += A B, loops in the order i, j, k.
void ijk_f32(long n, float c[n][n], const float a[n][n], const float b[n][n]) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            for (long k = 0; k < n; k++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}
