// D = alpha A B C + beta D, through T = alpha A B; each element is summed in a variable.
#include <vector>

void mm2(int ni, int nj, int nk, int nl, double alpha, double beta, std::vector<std::vector<double>> &d,
         std::vector<std::vector<double>> &t, const std::vector<std::vector<double>> &a,
         const std::vector<std::vector<double>> &b, const std::vector<std::vector<double>> &c) {
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++) {
            double sum = 0.0;
            for (int k = 0; k < nk; k++) {
                sum += a[i][k] * b[k][j];
            }
            t[i][j] = alpha * sum;
        }
    }
    for (int i = 0; i < ni; i++) {
        for (int l = 0; l < nl; l++) {
            double sum = beta * d[i][l];
            for (int j = 0; j < nj; j++) {
                sum += t[i][j] * c[j][l];
            }
            d[i][l] = sum;
        }
    }
}
