void TooLarge(long n, long m, double *A) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            A[j * n * (long)3e18 * 3 + i] = 0;
}
