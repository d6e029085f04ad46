void matmul(long n, double *A, double *B, double *C) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                C[i * n + j] += A[i * n + k] * B[k * n + j];
}
