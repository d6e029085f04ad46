// C += A B, loops in the order i, j, k.
void ijk_f32(long n, float *c, const float *a, const float *b) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            for (long k = 0; k < n; k++) {
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            }
        }
    }
}
