void ChangingBase(long n, long m, double **A, const long *which) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            A[which[j]][i] = 0.0;
}
