// Every row of a three-dimensional array times a matrix, in place through one row of scratch memory.
#include "mdspan.hpp"

void doitgen(mdspan<double, 3> a, std::span<double> row, mdspan<const double, 2> c) {
    const std::size_t nr = a.extent(0);
    const std::size_t nq = a.extent(1);
    const std::size_t np = a.extent(2);
    for (std::size_t r = 0; r < nr; r++) {
        for (std::size_t q = 0; q < nq; q++) {
            for (std::size_t p = 0; p < np; p++) {
                row[p] = 0.0;
                for (std::size_t s = 0; s < np; s++) {
                    row[p] += a[r][q][s] * c[s][p];
                }
            }
            for (std::size_t p = 0; p < np; p++) {
                a[r][q][p] = row[p];
            }
        }
    }
}
