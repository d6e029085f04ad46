void Scalar(long n, long m, double *restrict A, double *restrict C, double *restrict D) {
    for (long i = 0; i < n; i++) {
        double t = 0.0;
        for (long j = 0; j < m; j++) {
            if (j < i) {
                t = A[j * n + i] + 1.0;
                D[j * n + i] = t;
            } else {
                t = C[j * n + i] * 2.0;
                C[j * n + i] = t;
            }
        }
        D[i] = t;
    }
}
