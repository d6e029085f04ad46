// The lower triangle of C = alpha A A' + beta C.
#include <vector>

void syrk(int n, int m, double alpha, double beta, std::vector<double> &c, const std::vector<double> &a) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            c[i * n + j] *= beta;
            for (int k = 0; k < m; k++) {
                c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
            }
        }
    }
}
