// G = (A B) (C D), with E = A B and F = C D kept.
#include <vector>

void mm3(int ni, int nj, int nk, int nl, int nm, std::vector<double> &g, std::vector<double> &e, std::vector<double> &f,
         const std::vector<double> &a, const std::vector<double> &b, const std::vector<double> &c,
         const std::vector<double> &d) {
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++) {
            e[i * nj + j] = 0.0;
            for (int k = 0; k < nk; k++) {
                e[i * nj + j] += a[i * nk + k] * b[k * nj + j];
            }
        }
    }
    for (int j = 0; j < nj; j++) {
        for (int l = 0; l < nl; l++) {
            f[j * nl + l] = 0.0;
            for (int m = 0; m < nm; m++) {
                f[j * nl + l] += c[j * nm + m] * d[m * nl + l];
            }
        }
    }
    for (int i = 0; i < ni; i++) {
        for (int l = 0; l < nl; l++) {
            g[i * nl + l] = 0.0;
            for (int j = 0; j < nj; j++) {
                g[i * nl + l] += e[i * nj + j] * f[j * nl + l];
            }
        }
    }
}
