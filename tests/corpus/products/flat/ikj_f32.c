// C += A B, loops in the order i, k, j.
void ikj_f32(long n, float *c, const float *a, const float *b) {
    for (long i = 0; i < n; i++) {
        for (long k = 0; k < n; k++) {
            for (long j = 0; j < n; j++) {
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            }
        }
    }
}
