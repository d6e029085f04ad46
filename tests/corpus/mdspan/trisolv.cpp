// Solves L x = b for a lower triangular L.
#include "mdspan.hpp"

void trisolv(std::span<double> x, mdspan<const double, 2> l, std::span<const double> b) {
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; i++) {
        double rest = b[i];
        for (std::size_t j = 0; j < i; j++) {
            rest -= l[i][j] * x[j];
        }
        x[i] = rest / l[i][i];
    }
}
