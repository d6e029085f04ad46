void TripCount(long n, double *A) {
    for (long i = 0; i < n; i++)
        for (long j = 1; j < n; j *= 2)
            A[j * n + i] = 0.0;
}
