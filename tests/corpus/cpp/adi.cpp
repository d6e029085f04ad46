// The heat equation by alternating directions: tridiagonal systems along the columns, then along the rows.
#include <vector>

void adi(int steps, int n, std::vector<double> &u, std::vector<double> &v, std::vector<double> &p,
         std::vector<double> &q) {
    double r = 0.5 * (double)n / (double)steps;
    double side = -r;
    double middle = 1.0 + 2.0 * r;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            v[i] = 1.0;
            p[i * n] = 0.0;
            q[i * n] = 1.0;
            for (int j = 1; j < n - 1; j++) {
                double pivot = side * p[i * n + j - 1] + middle;
                p[i * n + j] = -side / pivot;
                q[i * n + j] = (r * u[j * n + i - 1] + (1.0 - 2.0 * r) * u[j * n + i] + r * u[j * n + i + 1] -
                                side * q[i * n + j - 1]) / pivot;
            }
            v[(n - 1) * n + i] = 1.0;
            for (int j = n - 2; j >= 1; j--) {
                v[j * n + i] = p[i * n + j] * v[(j + 1) * n + i] + q[i * n + j];
            }
        }
        for (int i = 1; i < n - 1; i++) {
            u[i * n] = 1.0;
            p[i * n] = 0.0;
            q[i * n] = 1.0;
            for (int j = 1; j < n - 1; j++) {
                double pivot = side * p[i * n + j - 1] + middle;
                p[i * n + j] = -side / pivot;
                q[i * n + j] = (r * v[(i - 1) * n + j] + (1.0 - 2.0 * r) * v[i * n + j] + r * v[(i + 1) * n + j] -
                                side * q[i * n + j - 1]) / pivot;
            }
            u[i * n + n - 1] = 1.0;
            for (int j = n - 2; j >= 1; j--) {
                u[i * n + j] = p[i * n + j] * u[i * n + j + 1] + q[i * n + j];
            }
        }
    }
}
