// y = A' (A x), one row of A at a time.
#include <vector>

void atax(int m, int n, std::vector<double> &y, const std::vector<std::vector<double>> &a,
          const std::vector<double> &x) {
    for (int j = 0; j < n; j++) {
        y[j] = 0.0;
    }
    for (int i = 0; i < m; i++) {
        double t = 0.0;
        for (int j = 0; j < n; j++) {
            t += a[i][j] * x[j];
        }
        for (int j = 0; j < n; j++) {
            y[j] += a[i][j] * t;
        }
    }
}
