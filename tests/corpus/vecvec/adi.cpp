// The heat equation by alternating directions: tridiagonal systems along the columns, then along the rows.
#include <vector>

void adi(int steps, int n, std::vector<std::vector<double>> &u, std::vector<std::vector<double>> &v,
         std::vector<std::vector<double>> &p, std::vector<std::vector<double>> &q) {
    double r = 0.5 * (double)n / (double)steps;
    double side = -r;
    double middle = 1.0 + 2.0 * r;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            v[0][i] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = 1.0;
            for (int j = 1; j < n - 1; j++) {
                double pivot = side * p[i][j - 1] + middle;
                p[i][j] = -side / pivot;
                q[i][j] = (r * u[j][i - 1] + (1.0 - 2.0 * r) * u[j][i] + r * u[j][i + 1] - side * q[i][j - 1]) / pivot;
            }
            v[n - 1][i] = 1.0;
            for (int j = n - 2; j >= 1; j--) {
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
            }
        }
        for (int i = 1; i < n - 1; i++) {
            u[i][0] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = 1.0;
            for (int j = 1; j < n - 1; j++) {
                double pivot = side * p[i][j - 1] + middle;
                p[i][j] = -side / pivot;
                q[i][j] = (r * v[i - 1][j] + (1.0 - 2.0 * r) * v[i][j] + r * v[i + 1][j] - side * q[i][j - 1]) / pivot;
            }
            u[i][n - 1] = 1.0;
            for (int j = n - 2; j >= 1; j--) {
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
            }
        }
    }
}
