// G = (A B) (C D), with E = A B and F = C D kept.
#include "mdspan.hpp"

void mm3(mdspan<double, 2> g, mdspan<double, 2> e, mdspan<double, 2> f, mdspan<const double, 2> a,
         mdspan<const double, 2> b, mdspan<const double, 2> c, mdspan<const double, 2> d) {
    const std::size_t ni = g.extent(0);
    const std::size_t nj = e.extent(1);
    const std::size_t nk = a.extent(1);
    const std::size_t nl = g.extent(1);
    const std::size_t nm = c.extent(1);
    for (std::size_t i = 0; i < ni; i++) {
        for (std::size_t j = 0; j < nj; j++) {
            e(i, j) = 0.0;
            for (std::size_t k = 0; k < nk; k++) {
                e(i, j) += a(i, k) * b(k, j);
            }
        }
    }
    for (std::size_t j = 0; j < nj; j++) {
        for (std::size_t l = 0; l < nl; l++) {
            f(j, l) = 0.0;
            for (std::size_t m = 0; m < nm; m++) {
                f(j, l) += c(j, m) * d(m, l);
            }
        }
    }
    for (std::size_t i = 0; i < ni; i++) {
        for (std::size_t l = 0; l < nl; l++) {
            g(i, l) = 0.0;
            for (std::size_t j = 0; j < nj; j++) {
                g(i, l) += e(i, j) * f(j, l);
            }
        }
    }
}
