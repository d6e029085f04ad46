void AddressSpaces(long n, int __seg_gs *A, int *B) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            A[j * n + i] = B[j * n + i] + 1;
}
