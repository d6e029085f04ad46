void observe(double);
void Call(long n, long m, double *A) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            observe(A[j * n + i]);
}
