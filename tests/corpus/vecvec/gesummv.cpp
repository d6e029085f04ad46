// y = alpha A x + beta B x.
#include <vector>

void gesummv(int n, double alpha, double beta, std::vector<double> &y, const std::vector<std::vector<double>> &a,
             const std::vector<std::vector<double>> &b, const std::vector<double> &x) {
    for (int i = 0; i < n; i++) {
        double ax = 0.0;
        double bx = 0.0;
        for (int j = 0; j < n; j++) {
            ax += a[i][j] * x[j];
            bx += b[i][j] * x[j];
        }
        y[i] = alpha * ax + beta * bx;
    }
}
