// C = alpha A B + beta C; A is symmetric, only its lower triangle is stored.
#include <vector>

void symm(int m, int n, double alpha, double beta, std::vector<std::vector<double>> &c,
          const std::vector<std::vector<double>> &a, const std::vector<std::vector<double>> &b) {
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k <= i; k++) {
                sum += a[i][k] * b[k][j];
            }
            for (int k = i + 1; k < m; k++) {
                sum += a[k][i] * b[k][j];
            }
            c[i][j] = alpha * sum + beta * c[i][j];
        }
    }
}
