// x += A u and y += A' v.
#include <vector>

void mvt(int n, std::vector<double> &x, std::vector<double> &y, const std::vector<std::vector<double>> &a,
         const std::vector<double> &u, const std::vector<double> &v) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            x[i] += a[i][j] * u[j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            y[i] += a[j][i] * v[j];
        }
    }
}
