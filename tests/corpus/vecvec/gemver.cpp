// A += u v' + s t', then x += beta A' y + z, then w += alpha A x.
#include <vector>

void gemver(int n, double alpha, double beta, std::vector<std::vector<double>> &a, std::vector<double> &x,
            std::vector<double> &w, const std::vector<double> &u, const std::vector<double> &v,
            const std::vector<double> &s, const std::vector<double> &t, const std::vector<double> &y,
            const std::vector<double> &z) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i][j] += u[i] * v[j] + s[i] * t[j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            x[i] += beta * a[j][i] * y[j];
        }
    }
    for (int i = 0; i < n; i++) {
        x[i] += z[i];
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            w[i] += alpha * a[i][j] * x[j];
        }
    }
}
