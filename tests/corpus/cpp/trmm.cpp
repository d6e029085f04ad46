// B = alpha A B in place; A is upper triangular, so that row i needs only rows that still hold old values.
#include <vector>

void trmm(int m, int n, double alpha, std::vector<double> &b, const std::vector<double> &a) {
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = a[i * m + i] * b[i * n + j];
            for (int k = i + 1; k < m; k++) {
                sum += a[i * m + k] * b[k * n + j];
            }
            b[i * n + j] = alpha * sum;
        }
    }
}
