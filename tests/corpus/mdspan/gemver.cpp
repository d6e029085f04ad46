// A += u v' + s t', then x += beta A' y + z, then w += alpha A x.
#include "mdspan.hpp"

void gemver(double alpha, double beta, mdspan<double, 2> a, std::span<double> x, std::span<double> w,
            std::span<const double> u, std::span<const double> v, std::span<const double> s, std::span<const double> t,
            std::span<const double> y, std::span<const double> z) {
    const std::size_t n = a.extent(0);
    for (std::size_t i = 0; i < n; i++) {
        for (std::size_t j = 0; j < n; j++) {
            a(i, j) += u[i] * v[j] + s[i] * t[j];
        }
    }
    for (std::size_t i = 0; i < n; i++) {
        for (std::size_t j = 0; j < n; j++) {
            x[i] += beta * a(j, i) * y[j];
        }
    }
    for (std::size_t i = 0; i < n; i++) {
        x[i] += z[i];
    }
    for (std::size_t i = 0; i < n; i++) {
        for (std::size_t j = 0; j < n; j++) {
            w[i] += alpha * a(i, j) * x[j];
        }
    }
}
