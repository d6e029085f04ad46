// B = alpha A B in place; A is upper triangular, so that row i needs only rows that still hold old values.
#include "mdspan.hpp"

void trmm(double alpha, mdspan<double, 2> b, mdspan<const double, 2> a) {
    const std::size_t m = b.extent(0);
    const std::size_t n = b.extent(1);
    for (std::size_t i = 0; i < m; i++) {
        for (std::size_t j = 0; j < n; j++) {
            double sum = a(i, i) * b(i, j);
            for (std::size_t k = i + 1; k < m; k++) {
                sum += a(i, k) * b(k, j);
            }
            b(i, j) = alpha * sum;
        }
    }
}
