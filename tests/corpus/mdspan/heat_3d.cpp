// The heat equation in three dimensions, explicit, from one array to the other and back.
#include "mdspan.hpp"

void heat_3d(std::size_t steps, mdspan<double, 3> a, mdspan<double, 3> b) {
    const std::size_t n = a.extent(0);
    for (std::size_t t = 0; t < steps; t++) {
        for (std::size_t i = 1; i + 1 < n; i++) {
            for (std::size_t j = 1; j + 1 < n; j++) {
                for (std::size_t k = 1; k + 1 < n; k++) {
                    b[i][j][k] = 0.25 * a[i][j][k] + 0.125 * (a[i - 1][j][k] + a[i + 1][j][k]) +
                                 0.125 * (a[i][j - 1][k] + a[i][j + 1][k]) + 0.125 * (a[i][j][k - 1] + a[i][j][k + 1]);
                }
            }
        }
        for (std::size_t i = 1; i + 1 < n; i++) {
            for (std::size_t j = 1; j + 1 < n; j++) {
                for (std::size_t k = 1; k + 1 < n; k++) {
                    a[i][j][k] = 0.25 * b[i][j][k] + 0.125 * (b[i - 1][j][k] + b[i + 1][j][k]) +
                                 0.125 * (b[i][j - 1][k] + b[i][j + 1][k]) + 0.125 * (b[i][j][k - 1] + b[i][j][k + 1]);
                }
            }
        }
    }
}
