void Dependences(long n, double A[][1000]) {
    for (long i = 1; i < n; i++)
        for (long j = 1; j < 999; j++)
            A[j][i] = A[j - 1][i - 1] + A[j + 1][i - 1] + A[j][i - 1];
}
