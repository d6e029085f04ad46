void Access(long n, long m, long *index, double *A) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            A[index[j] + i] += 1.0;
}
