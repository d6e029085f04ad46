// Maxwell's equations in two dimensions on a staggered grid, with a pulse that enters at the edge.
#include "mdspan.hpp"

void fdtd_2d(mdspan<double, 2> ex, mdspan<double, 2> ey, mdspan<double, 2> hz, std::span<const double> pulse) {
    const std::size_t steps = pulse.size();
    const std::size_t nx = ex.extent(0);
    const std::size_t ny = ex.extent(1);
    for (std::size_t t = 0; t < steps; t++) {
        for (std::size_t j = 0; j < ny; j++) {
            ey(0, j) = pulse[t];
        }
        for (std::size_t i = 1; i < nx; i++) {
            for (std::size_t j = 0; j < ny; j++) {
                ey(i, j) -= 0.5 * (hz(i, j) - hz(i - 1, j));
            }
        }
        for (std::size_t i = 0; i < nx; i++) {
            for (std::size_t j = 1; j < ny; j++) {
                ex(i, j) -= 0.5 * (hz(i, j) - hz(i, j - 1));
            }
        }
        for (std::size_t i = 0; i + 1 < nx; i++) {
            for (std::size_t j = 0; j + 1 < ny; j++) {
                hz(i, j) -= 0.7 * (ex(i, j + 1) - ex(i, j) + ey(i + 1, j) - ey(i, j));
            }
        }
    }
}
