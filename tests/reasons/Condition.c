void Condition(long n, long m, double *A, double *B) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            if (A[j * n + i] > 0.0)
                B[j * n + i] = A[j * n + i];
}
