void wavefront(long n, double A[1000][1000]) {
    for (long j = 1; j < n; j++)
        for (long i = 0; i < n - 1; i++)
            A[i][j] = 0.5 * A[i + 1][j - 1];
}
