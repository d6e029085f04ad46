// The heat equation by alternating directions: tridiagonal systems along the columns, then along the rows.
#include "mdspan.hpp"

void adi(std::size_t steps, mdspan<double, 2> u, mdspan<double, 2> v, mdspan<double, 2> p, mdspan<double, 2> q) {
    const std::size_t n = u.extent(0);
    double r = 0.5 * (double)n / (double)steps;
    double side = -r;
    double middle = 1.0 + 2.0 * r;
    for (std::size_t t = 0; t < steps; t++) {
        for (std::size_t i = 1; i + 1 < n; i++) {
            v(0, i) = 1.0;
            p(i, 0) = 0.0;
            q(i, 0) = 1.0;
            for (std::size_t j = 1; j + 1 < n; j++) {
                double pivot = side * p(i, j - 1) + middle;
                p(i, j) = -side / pivot;
                q(i, j) = (r * u(j, i - 1) + (1.0 - 2.0 * r) * u(j, i) + r * u(j, i + 1) - side * q(i, j - 1)) / pivot;
            }
            v(n - 1, i) = 1.0;
            for (std::size_t j = n - 1; --j > 0;) {
                v(j, i) = p(i, j) * v(j + 1, i) + q(i, j);
            }
        }
        for (std::size_t i = 1; i + 1 < n; i++) {
            u(i, 0) = 1.0;
            p(i, 0) = 0.0;
            q(i, 0) = 1.0;
            for (std::size_t j = 1; j + 1 < n; j++) {
                double pivot = side * p(i, j - 1) + middle;
                p(i, j) = -side / pivot;
                q(i, j) = (r * v(i - 1, j) + (1.0 - 2.0 * r) * v(i, j) + r * v(i + 1, j) - side * q(i, j - 1)) / pivot;
            }
            u(i, n - 1) = 1.0;
            for (std::size_t j = n - 1; --j > 0;) {
                u(i, j) = p(i, j) * u(i, j + 1) + q(i, j);
            }
        }
    }
}
