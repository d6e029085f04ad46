// Each element becomes the mean of itself and its two neighbours, from one array to the other and back.
void jacobi_1d(long steps, long n, double *a, double *b) {
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++) {
            b[i] = (a[i - 1] + a[i] + a[i + 1]) * (1.0 / 3.0);
        }
        for (long i = 1; i < n - 1; i++) {
            a[i] = (b[i - 1] + b[i] + b[i + 1]) * (1.0 / 3.0);
        }
    }
}
