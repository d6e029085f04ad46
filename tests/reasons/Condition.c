void Condition(long n, double *a, const double *b) {
    for (long j = 0; j < n; j++)
        if (b[j] > 0.0)
            for (long i = 0; i < n; i++)
                a[i * n + j] = 2.0;
}
