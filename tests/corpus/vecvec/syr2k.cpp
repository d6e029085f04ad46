// The lower triangle of C = alpha (A B' + B A') + beta C.
#include <vector>

void syr2k(int n, int m, double alpha, double beta, std::vector<std::vector<double>> &c,
           const std::vector<std::vector<double>> &a, const std::vector<std::vector<double>> &b) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            c[i][j] *= beta;
        }
        for (int k = 0; k < m; k++) {
            for (int j = 0; j <= i; j++) {
                c[i][j] += alpha * (a[i][k] * b[j][k] + b[i][k] * a[j][k]);
            }
        }
    }
}
