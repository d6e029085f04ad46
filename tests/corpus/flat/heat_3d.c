// The heat equation in three dimensions, explicit, from one array to the other and back.
void heat_3d(long steps, long n, double *a, double *b) {
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++) {
            for (long j = 1; j < n - 1; j++) {
                for (long k = 1; k < n - 1; k++) {
                    b[(i * n + j) * n + k] = 0.25 * a[(i * n + j) * n + k] +
                                             0.125 * (a[((i - 1) * n + j) * n + k] + a[((i + 1) * n + j) * n + k]) +
                                             0.125 * (a[(i * n + j - 1) * n + k] + a[(i * n + j + 1) * n + k]) +
                                             0.125 * (a[(i * n + j) * n + k - 1] + a[(i * n + j) * n + k + 1]);
                }
            }
        }
        for (long i = 1; i < n - 1; i++) {
            for (long j = 1; j < n - 1; j++) {
                for (long k = 1; k < n - 1; k++) {
                    a[(i * n + j) * n + k] = 0.25 * b[(i * n + j) * n + k] +
                                             0.125 * (b[((i - 1) * n + j) * n + k] + b[((i + 1) * n + j) * n + k]) +
                                             0.125 * (b[(i * n + j - 1) * n + k] + b[(i * n + j + 1) * n + k]) +
                                             0.125 * (b[(i * n + j) * n + k - 1] + b[(i * n + j) * n + k + 1]);
                }
            }
        }
    }
}
