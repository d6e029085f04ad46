// C = alpha A B + beta C.
#include "mdspan.hpp"

void gemm(double alpha, double beta, mdspan<double, 2> c, mdspan<const double, 2> a, mdspan<const double, 2> b) {
    const std::size_t ni = c.extent(0);
    const std::size_t nj = c.extent(1);
    const std::size_t nk = a.extent(1);
    for (std::size_t i = 0; i < ni; i++) {
        for (std::size_t j = 0; j < nj; j++) {
            c(i, j) *= beta;
            for (std::size_t k = 0; k < nk; k++) {
                c(i, j) += alpha * a(i, k) * b(k, j);
            }
        }
    }
}
