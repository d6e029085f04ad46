// B = alpha A B in place; A is upper triangular, so that row i needs only rows that still hold old values.
#include <vector>

void trmm(int m, int n, double alpha, std::vector<std::vector<double>> &b, const std::vector<std::vector<double>> &a) {
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = a[i][i] * b[i][j];
            for (int k = i + 1; k < m; k++) {
                sum += a[i][k] * b[k][j];
            }
            b[i][j] = alpha * sum;
        }
    }
}
