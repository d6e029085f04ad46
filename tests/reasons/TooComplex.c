#define TEN(X) X X X X X X X X X X
void TooComplex(long n, long m, double *A) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) {
            long k = 0;
            TEN(TEN(A[(j + k) * n + i] = 0.5 * A[(j - k) * n + i + k]; k++;))
        }
}
