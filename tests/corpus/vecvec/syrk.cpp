// The lower triangle of C = alpha A A' + beta C.
#include <vector>

void syrk(int n, int m, double alpha, double beta, std::vector<std::vector<double>> &c,
          const std::vector<std::vector<double>> &a) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            c[i][j] *= beta;
            for (int k = 0; k < m; k++) {
                c[i][j] += alpha * a[i][k] * a[j][k];
            }
        }
    }
}
