// y = A' (A x), one row of A at a time.
#include "mdspan.hpp"

void atax(std::span<double> y, mdspan<const double, 2> a, std::span<const double> x) {
    const std::size_t m = a.extent(0);
    const std::size_t n = y.size();
    for (std::size_t j = 0; j < n; j++) {
        y[j] = 0.0;
    }
    for (std::size_t i = 0; i < m; i++) {
        double t = 0.0;
        for (std::size_t j = 0; j < n; j++) {
            t += a[i][j] * x[j];
        }
        for (std::size_t j = 0; j < n; j++) {
            y[j] += a[i][j] * t;
        }
    }
}
