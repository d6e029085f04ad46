//! Nests in C that several tests compile.

/// A product of matrices with its sum in a variable; the first line is empty.
pub const SUM_IN_A_VARIABLE: &str = "
void scalar(int n, double *restrict c, const double *restrict a, const double *restrict b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = 2 * sum + c[i * n + j];
        }
}
";
