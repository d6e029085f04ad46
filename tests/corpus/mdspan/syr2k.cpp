// The lower triangle of C = alpha (A B' + B A') + beta C.
#include "mdspan.hpp"

void syr2k(double alpha, double beta, mdspan<double, 2> c, mdspan<const double, 2> a, mdspan<const double, 2> b) {
    const std::size_t n = c.extent(0);
    const std::size_t m = a.extent(1);
    for (std::size_t i = 0; i < n; i++) {
        for (std::size_t j = 0; j <= i; j++) {
            c(i, j) *= beta;
        }
        for (std::size_t k = 0; k < m; k++) {
            for (std::size_t j = 0; j <= i; j++) {
                c(i, j) += alpha * (a(i, k) * b(j, k) + b(i, k) * a(j, k));
            }
        }
    }
}
