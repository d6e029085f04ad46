// Loops over ranges: `std::span` and `std::vector`, subspans as rows, several iterators at once.
#include "../c/check.h"
#include <span>
#include <vector>


// transformed: yes
KERNEL void k_columns(std::span<const double> a, std::span<double> sums) {
    long j = 0;
    for (double &sum : sums) {
        for (std::size_t i = 0; i < sums.size(); i++)
            sum += a[i * sums.size() + j];
        j++;
    }
}

// transformed: yes
KERNEL void k_rows(std::size_t n, std::span<const double> a, std::span<const double> b, std::span<double> c) {
    for (std::size_t i = 0; i < n; i++) {
        std::size_t j = 0;
        for (double &sum : c.subspan(i * n, n)) {
            std::size_t k = 0;
            for (double x : a.subspan(i * n, n))
                sum += x * b[k++ * n + j];
            j++;
        }
    }
}

// transformed: any
KERNEL void k_vector(const std::vector<double> &x, const std::vector<double> &y, std::span<double> a) {
    std::size_t j = 0;
    for (double u : y) {
        std::size_t i = 0;
        for (double v : x)
            a[i++ * y.size() + j] += u * v;
        j++;
    }
}

// transformed: any
KERNEL void k_iterators(std::size_t n, std::span<double> a, std::span<const double> b) {
    for (std::size_t j = 0; j < n; j++) {
        auto x = b.begin();
        for (auto at = a.begin() + j; at < a.end() && x != b.end(); at += n, ++x)
            *at += *x;
    }
}

MAIN {
    FOR_SIZES(n) {
        std::size_t size = n;
        double *a = (double *)A, *b = (double *)B, *c = (double *)C;
        RUN(f64, k_columns, n, std::span<const double>(a, size * size), std::span<double>(b, size));
        RUN(f64, k_rows, n, size, std::span<const double>(a, size * size), std::span<const double>(b, size * size),
            std::span<double>(c, size * size));
        // The vector that is read must not change with the pools.
        std::vector<double> x(size, 0.25), y(size, 3.0);
        RUN(f64, k_vector, n, x, y, std::span<double>(a, size * size));
        for (std::size_t cut = 0; cut <= size; cut += 1 + size / 2) {
            RUN(f64, k_iterators, n, size, std::span<double>(a, size * size), std::span<const double>(b, size - cut));
            RUN(f64, k_iterators, n, size, std::span<double>(a, size * (size - cut)), std::span<const double>(b, size));
        }
    }
    return 0;
}
