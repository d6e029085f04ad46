long MultipleExits(long n, long m, double *A) {
    double sum = 0.0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) {
            if (A[i * m + j] < 0.0)
                return i;
            A[i * m + j] = 0.0;
        }
    return n;
}
