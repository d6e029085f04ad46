void UnstructuredLoop(long n, long m, int start, double *A) {
    for (long i = 0; i < n; i++) {
        long j = 0;
        if (start)
            goto middle;
    top:
        A[i * m + j] = 1.0;
        j++;
    middle:
        A[i * m + j] += 2.0;
        j++;
        if (j < m)
            goto top;
    }
}
