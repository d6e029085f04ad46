// Each element becomes the mean of itself and its four neighbours, from one array to the other and back.
void jacobi_2d(long steps, long n, double *a, double *b) {
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++) {
            for (long j = 1; j < n - 1; j++) {
                b[i * n + j] = 0.2 * (a[i * n + j] + a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] +
                                      a[i * n + j + 1]);
            }
        }
        for (long i = 1; i < n - 1; i++) {
            for (long j = 1; j < n - 1; j++) {
                a[i * n + j] = 0.2 * (b[i * n + j] + b[(i - 1) * n + j] + b[(i + 1) * n + j] + b[i * n + j - 1] +
                                      b[i * n + j + 1]);
            }
        }
    }
}
