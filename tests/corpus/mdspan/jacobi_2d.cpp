// Each element becomes the mean of itself and its four neighbours, from one array to the other and back.
#include "mdspan.hpp"

void jacobi_2d(std::size_t steps, mdspan<double, 2> a, mdspan<double, 2> b) {
    const std::size_t n = a.extent(0);
    for (std::size_t t = 0; t < steps; t++) {
        for (std::size_t i = 1; i + 1 < n; i++) {
            for (std::size_t j = 1; j + 1 < n; j++) {
                b[i][j] = 0.2 * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
            }
        }
        for (std::size_t i = 1; i + 1 < n; i++) {
            for (std::size_t j = 1; j + 1 < n; j++) {
                a[i][j] = 0.2 * (b[i][j] + b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1]);
            }
        }
    }
}
