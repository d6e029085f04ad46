// Solves A x = b: A = L U row by row, then y by forward and x by backward substitution.
#include "mdspan.hpp"

void ludcmp(mdspan<double, 2> a, std::span<double> x, std::span<double> y, std::span<const double> b) {
    const std::size_t n = a.extent(0);
    for (std::size_t i = 0; i < n; i++) {
        for (std::size_t j = 0; j < i; j++) {
            double rest = a(i, j);
            for (std::size_t k = 0; k < j; k++) {
                rest -= a(i, k) * a(k, j);
            }
            a(i, j) = rest / a(j, j);
        }
        for (std::size_t j = i; j < n; j++) {
            double rest = a(i, j);
            for (std::size_t k = 0; k < i; k++) {
                rest -= a(i, k) * a(k, j);
            }
            a(i, j) = rest;
        }
    }
    for (std::size_t i = 0; i < n; i++) {
        double rest = b[i];
        for (std::size_t j = 0; j < i; j++) {
            rest -= a(i, j) * y[j];
        }
        y[i] = rest;
    }
    for (std::size_t i = n; i-- > 0;) {
        double rest = y[i];
        for (std::size_t j = i + 1; j < n; j++) {
            rest -= a(i, j) * x[j];
        }
        x[i] = rest / a(i, i);
    }
}
