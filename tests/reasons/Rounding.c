// flags: --target=i686-linux-gnu -march=pentium3
void Rounding(int n, double A[n][n], const double B[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[j][i] += 0.5 * B[j][i];
}
