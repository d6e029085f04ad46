// C = alpha A B + beta C; A is symmetric, only its lower triangle is stored.
#include <vector>

void symm(int m, int n, double alpha, double beta, std::vector<double> &c, const std::vector<double> &a,
          const std::vector<double> &b) {
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k <= i; k++) {
                sum += a[i * m + k] * b[k * n + j];
            }
            for (int k = i + 1; k < m; k++) {
                sum += a[k * m + i] * b[k * n + j];
            }
            c[i * n + j] = alpha * sum + beta * c[i * n + j];
        }
    }
}
