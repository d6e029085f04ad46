// Each element becomes the mean of its three by three surroundings, in place.
#include "mdspan.hpp"

void seidel_2d(std::size_t steps, mdspan<double, 2> a) {
    const std::size_t n = a.extent(0);
    for (std::size_t t = 0; t < steps; t++) {
        for (std::size_t i = 1; i + 1 < n; i++) {
            for (std::size_t j = 1; j + 1 < n; j++) {
                double above = a(i - 1, j - 1) + a(i - 1, j) + a(i - 1, j + 1);
                double same = a(i, j - 1) + a(i, j) + a(i, j + 1);
                double below = a(i + 1, j - 1) + a(i + 1, j) + a(i + 1, j + 1);
                a(i, j) = (above + same + below) / 9.0;
            }
        }
    }
}
