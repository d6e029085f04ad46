// D = alpha A B C + beta D, through T = alpha A B; each element is summed in a variable.
#include "mdspan.hpp"

void mm2(double alpha, double beta, mdspan<double, 2> d, mdspan<double, 2> t, mdspan<const double, 2> a,
         mdspan<const double, 2> b, mdspan<const double, 2> c) {
    const std::size_t ni = d.extent(0);
    const std::size_t nj = t.extent(1);
    const std::size_t nk = a.extent(1);
    const std::size_t nl = d.extent(1);
    for (std::size_t i = 0; i < ni; i++) {
        for (std::size_t j = 0; j < nj; j++) {
            double sum = 0.0;
            for (std::size_t k = 0; k < nk; k++) {
                sum += a(i, k) * b(k, j);
            }
            t(i, j) = alpha * sum;
        }
    }
    for (std::size_t i = 0; i < ni; i++) {
        for (std::size_t l = 0; l < nl; l++) {
            double sum = beta * d(i, l);
            for (std::size_t j = 0; j < nj; j++) {
                sum += t(i, j) * c(j, l);
            }
            d(i, l) = sum;
        }
    }
}
