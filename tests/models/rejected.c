double rejected(long n, long *index, double *A) {
    double sum = 0.0;
    for (long i = 0; i < n; i++)
        sum += A[index[i]];
    while (A[0] < 1.0)
        A[0] *= 2.0;
    return sum;
}
