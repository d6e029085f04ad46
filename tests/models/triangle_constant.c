// Rows of 300: with constant sizes, the places in `a` look like rows of 301, as the compiler counts `k` from zero.
void triangle_constant(double b[300][320], const double a[300][300]) {
    for (long i = 0; i < 300; i++)
        for (long j = 0; j < 320; j++)
            for (long k = i + 1; k < 300; k++)
                b[i][j] += a[i][k] * b[k][j];
}
