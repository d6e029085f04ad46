// A = Q R by the modified Gram-Schmidt process; A ends as what is left of its columns.
#include "mdspan.hpp"

#include <cmath>

void gramschmidt(mdspan<double, 2> a, mdspan<double, 2> q, mdspan<double, 2> r) {
    const std::size_t m = a.extent(0);
    const std::size_t n = a.extent(1);
    for (std::size_t k = 0; k < n; k++) {
        double norm = 0.0;
        for (std::size_t i = 0; i < m; i++) {
            norm += a(i, k) * a(i, k);
        }
        r(k, k) = std::sqrt(norm);
        for (std::size_t i = 0; i < m; i++) {
            q(i, k) = a(i, k) / r(k, k);
        }
        for (std::size_t j = k + 1; j < n; j++) {
            r(k, j) = 0.0;
            for (std::size_t i = 0; i < m; i++) {
                r(k, j) += q(i, k) * a(i, j);
            }
            for (std::size_t i = 0; i < m; i++) {
                a(i, j) -= q(i, k) * r(k, j);
            }
        }
    }
}
