// C = alpha A B + beta C; A is symmetric, only its lower triangle is stored.
#include "mdspan.hpp"

void symm(double alpha, double beta, mdspan<double, 2> c, mdspan<const double, 2> a, mdspan<const double, 2> b) {
    const std::size_t m = c.extent(0);
    const std::size_t n = c.extent(1);
    for (std::size_t i = 0; i < m; i++) {
        for (std::size_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (std::size_t k = 0; k <= i; k++) {
                sum += a(i, k) * b(k, j);
            }
            for (std::size_t k = i + 1; k < m; k++) {
                sum += a(k, i) * b(k, j);
            }
            c(i, j) = alpha * sum + beta * c(i, j);
        }
    }
}
