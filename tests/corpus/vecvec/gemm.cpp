// C = alpha A B + beta C.
#include <vector>

void gemm(int ni, int nj, int nk, double alpha, double beta, std::vector<std::vector<double>> &c,
          const std::vector<std::vector<double>> &a, const std::vector<std::vector<double>> &b) {
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++) {
            c[i][j] *= beta;
            for (int k = 0; k < nk; k++) {
                c[i][j] += alpha * a[i][k] * b[k][j];
            }
        }
    }
}
