// A = L L' for a positive definite A, row by row; L replaces the lower triangle.
#include "mdspan.hpp"

#include <cmath>

void cholesky(mdspan<double, 2> a) {
    const std::size_t n = a.extent(0);
    for (std::size_t i = 0; i < n; i++) {
        for (std::size_t j = 0; j < i; j++) {
            double rest = a(i, j);
            for (std::size_t k = 0; k < j; k++) {
                rest -= a(i, k) * a(j, k);
            }
            a(i, j) = rest / a(j, j);
        }
        double rest = a(i, i);
        for (std::size_t k = 0; k < i; k++) {
            rest -= a(i, k) * a(i, k);
        }
        a(i, i) = std::sqrt(rest);
    }
}
