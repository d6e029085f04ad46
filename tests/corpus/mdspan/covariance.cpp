// Covariances of the columns of a table of n observations of m variables; the table ends centred.
#include "mdspan.hpp"

void covariance(mdspan<double, 2> data, std::span<double> mean, mdspan<double, 2> cov) {
    const std::size_t m = data.extent(1);
    const std::size_t n = data.extent(0);
    for (std::size_t j = 0; j < m; j++) {
        double sum = 0.0;
        for (std::size_t i = 0; i < n; i++) {
            sum += data[i][j];
        }
        mean[j] = sum / (double)n;
    }
    for (std::size_t i = 0; i < n; i++) {
        for (std::size_t j = 0; j < m; j++) {
            data[i][j] -= mean[j];
        }
    }
    for (std::size_t i = 0; i < m; i++) {
        for (std::size_t j = i; j < m; j++) {
            double sum = 0.0;
            for (std::size_t k = 0; k < n; k++) {
                sum += data[k][i] * data[k][j];
            }
            cov[i][j] = sum / (double)n;
            cov[j][i] = cov[i][j];
        }
    }
}
