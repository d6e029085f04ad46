// Each element becomes the mean of itself and its two neighbours, from one array to the other and back.
#include "mdspan.hpp"

void jacobi_1d(std::size_t steps, std::span<double> a, std::span<double> b) {
    const std::size_t n = a.size();
    for (std::size_t t = 0; t < steps; t++) {
        for (std::size_t i = 1; i + 1 < n; i++) {
            b[i] = (a[i - 1] + a[i] + a[i + 1]) * (1.0 / 3.0);
        }
        for (std::size_t i = 1; i + 1 < n; i++) {
            a[i] = (b[i - 1] + b[i] + b[i + 1]) * (1.0 / 3.0);
        }
    }
}
