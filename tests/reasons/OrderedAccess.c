void OrderedAccess(long n, long m, volatile double *A) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            A[j * n + i] = 0.0;
}
