// x += A u and y += A' v.
#include "mdspan.hpp"

void mvt(std::span<double> x, std::span<double> y, mdspan<const double, 2> a, std::span<const double> u,
         std::span<const double> v) {
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; i++) {
        for (std::size_t j = 0; j < n; j++) {
            x[i] += a(i, j) * u[j];
        }
    }
    for (std::size_t i = 0; i < n; i++) {
        for (std::size_t j = 0; j < n; j++) {
            y[i] += a(j, i) * v[j];
        }
    }
}
