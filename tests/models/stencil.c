void stencil(long n, double A[1000][1000], double B[1000][1000]) {
    for (long j = 1; j < n - 1; j++)
        for (long i = 1; i < n - 1; i++)
            B[i][j] = 0.25 * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);
}
