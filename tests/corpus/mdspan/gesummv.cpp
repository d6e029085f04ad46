// y = alpha A x + beta B x.
#include "mdspan.hpp"

void gesummv(double alpha, double beta, std::span<double> y, mdspan<const double, 2> a, mdspan<const double, 2> b,
             std::span<const double> x) {
    const std::size_t n = y.size();
    for (std::size_t i = 0; i < n; i++) {
        double ax = 0.0;
        double bx = 0.0;
        for (std::size_t j = 0; j < n; j++) {
            ax += a[i][j] * x[j];
            bx += b[i][j] * x[j];
        }
        y[i] = alpha * ax + beta * bx;
    }
}
