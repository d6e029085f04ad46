// The Yule-Walker equations by the recursion of Levinson and Durbin.
#include "mdspan.hpp"

void durbin(std::span<double> y, std::span<double> z, std::span<const double> r) {
    const std::size_t n = y.size();
    double error = 1.0;
    for (std::size_t k = 0; k < n; k++) {
        double sum = r[k];
        for (std::size_t i = 0; i < k; i++) {
            sum += r[k - 1 - i] * y[i];
        }
        double reflection = -sum / error;
        for (std::size_t i = 0; i < k; i++) {
            z[i] = y[i] + reflection * y[k - 1 - i];
        }
        for (std::size_t i = 0; i < k; i++) {
            y[i] = z[i];
        }
        y[k] = reflection;
        error *= 1.0 - reflection * reflection;
    }
}
