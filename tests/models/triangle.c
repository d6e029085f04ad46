void triangle(long n, double *A, double *B) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i <= j; i++)
            B[i * n + j] += 2.0 * A[i * n + j];
}
