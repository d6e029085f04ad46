// Maxwell's equations in two dimensions on a staggered grid, with a pulse that enters at the edge.
#include <vector>

void fdtd_2d(int steps, int nx, int ny, std::vector<double> &ex, std::vector<double> &ey, std::vector<double> &hz,
             const std::vector<double> &pulse) {
    for (int t = 0; t < steps; t++) {
        for (int j = 0; j < ny; j++) {
            ey[j] = pulse[t];
        }
        for (int i = 1; i < nx; i++) {
            for (int j = 0; j < ny; j++) {
                ey[i * ny + j] -= 0.5 * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
            }
        }
        for (int i = 0; i < nx; i++) {
            for (int j = 1; j < ny; j++) {
                ex[i * ny + j] -= 0.5 * (hz[i * ny + j] - hz[i * ny + j - 1]);
            }
        }
        for (int i = 0; i < nx - 1; i++) {
            for (int j = 0; j < ny - 1; j++) {
                hz[i * ny + j] -= 0.7 * (ex[i * ny + j + 1] - ex[i * ny + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
            }
        }
    }
}
