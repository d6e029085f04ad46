// q = A p and s = A' r in one pass over A, as the biconjugate gradient method needs them.
#include "mdspan.hpp"

void bicg(std::span<double> q, std::span<double> s, mdspan<const double, 2> a, std::span<const double> p,
          std::span<const double> r) {
    const std::size_t m = q.size();
    const std::size_t n = s.size();
    for (std::size_t j = 0; j < n; j++) {
        s[j] = 0.0;
    }
    for (std::size_t i = 0; i < m; i++) {
        q[i] = 0.0;
        for (std::size_t j = 0; j < n; j++) {
            s[j] += r[i] * a[i][j];
            q[i] += a[i][j] * p[j];
        }
    }
}
