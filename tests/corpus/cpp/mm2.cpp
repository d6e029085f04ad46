// D = alpha A B C + beta D, through T = alpha A B; each element is summed in a variable.
#include <vector>

void mm2(int ni, int nj, int nk, int nl, double alpha, double beta, std::vector<double> &d, std::vector<double> &t,
         const std::vector<double> &a, const std::vector<double> &b, const std::vector<double> &c) {
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++) {
            double sum = 0.0;
            for (int k = 0; k < nk; k++) {
                sum += a[i * nk + k] * b[k * nj + j];
            }
            t[i * nj + j] = alpha * sum;
        }
    }
    for (int i = 0; i < ni; i++) {
        for (int l = 0; l < nl; l++) {
            double sum = beta * d[i * nl + l];
            for (int j = 0; j < nj; j++) {
                sum += t[i * nj + j] * c[j * nl + l];
            }
            d[i * nl + l] = sum;
        }
    }
}
