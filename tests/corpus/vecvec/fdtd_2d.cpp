// Maxwell's equations in two dimensions on a staggered grid, with a pulse that enters at the edge.
#include <vector>

void fdtd_2d(int steps, int nx, int ny, std::vector<std::vector<double>> &ex, std::vector<std::vector<double>> &ey,
             std::vector<std::vector<double>> &hz, const std::vector<double> &pulse) {
    for (int t = 0; t < steps; t++) {
        for (int j = 0; j < ny; j++) {
            ey[0][j] = pulse[t];
        }
        for (int i = 1; i < nx; i++) {
            for (int j = 0; j < ny; j++) {
                ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
            }
        }
        for (int i = 0; i < nx; i++) {
            for (int j = 1; j < ny; j++) {
                ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
            }
        }
        for (int i = 0; i < nx - 1; i++) {
            for (int j = 0; j < ny - 1; j++) {
                hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
            }
        }
    }
}
