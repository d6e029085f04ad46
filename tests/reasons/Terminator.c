void Terminator(long n, long m, double *A) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) {
            __asm__ goto("" : : : : next);
            A[j * n + i] = 0.0;
        next:;
        }
}
