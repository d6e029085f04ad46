// Solves L x = b for a lower triangular L.
#include <vector>

void trisolv(int n, std::vector<double> &x, const std::vector<std::vector<double>> &l, const std::vector<double> &b) {
    for (int i = 0; i < n; i++) {
        double rest = b[i];
        for (int j = 0; j < i; j++) {
            rest -= l[i][j] * x[j];
        }
        x[i] = rest / l[i][i];
    }
}
