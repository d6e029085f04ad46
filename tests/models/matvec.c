void matvec(long n, double *A, double *x, double *y) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            y[i] += A[j * n + i] * x[j];
}
