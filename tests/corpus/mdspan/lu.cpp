// A = L U in place without pivoting: each step updates what is right of and below the pivot.
#include "mdspan.hpp"

void lu(mdspan<double, 2> a) {
    const std::size_t n = a.extent(0);
    for (std::size_t k = 0; k < n; k++) {
        for (std::size_t i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (std::size_t j = k + 1; j < n; j++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
}
