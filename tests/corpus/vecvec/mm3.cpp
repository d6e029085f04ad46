// G = (A B) (C D), with E = A B and F = C D kept.
#include <vector>

void mm3(int ni, int nj, int nk, int nl, int nm, std::vector<std::vector<double>> &g,
         std::vector<std::vector<double>> &e, std::vector<std::vector<double>> &f,
         const std::vector<std::vector<double>> &a, const std::vector<std::vector<double>> &b,
         const std::vector<std::vector<double>> &c, const std::vector<std::vector<double>> &d) {
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++) {
            e[i][j] = 0.0;
            for (int k = 0; k < nk; k++) {
                e[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    for (int j = 0; j < nj; j++) {
        for (int l = 0; l < nl; l++) {
            f[j][l] = 0.0;
            for (int m = 0; m < nm; m++) {
                f[j][l] += c[j][m] * d[m][l];
            }
        }
    }
    for (int i = 0; i < ni; i++) {
        for (int l = 0; l < nl; l++) {
            g[i][l] = 0.0;
            for (int j = 0; j < nj; j++) {
                g[i][l] += e[i][j] * f[j][l];
            }
        }
    }
}
