/* Scalars: reductions, values that live after the nest, values carried from one iteration to the next. */
#include "check.h"

// transformed: any
KERNEL double k_sum(long n, const double *a) {
    double sum = 0.0;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            sum += a[i * n + j];
    return sum;
}

// transformed: any
KERNEL double k_integer_sum(long n, const uint32_t *a) {
    uint32_t sum = 1;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            sum += a[i * n + j];
    return sum;
}

// transformed: any
KERNEL double k_maximum(long n, const double *a) {
    double best = -2.0;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if (a[i * n + j] > best)
                best = a[i * n + j];
    return best;
}

// transformed: any
KERNEL double k_position(long n, const double *a) {
    double best = -2.0;
    long at = -1;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if (a[i * n + j] > best) {
                best = a[i * n + j];
                at = i * n + j;
            }
    return (double)at;
}

// transformed: any
KERNEL double k_last_value(long n, double *a, const double *b) {
    double last = -1.0;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            last = 0.5 * b[i * n + j];
            a[i * n + j] = last;
        }
    return last;
}

// transformed: any
KERNEL double k_counters_after(int n, double *a) {
    int i = 0, j = 0;
    for (j = 0; j < n; j++)
        for (i = 0; i < n; i++)
            a[i * n + j] *= 0.5;
    return i * 1000.0 + j;
}

// transformed: any
KERNEL void k_previous(long n, double *a, const double *b) {
    double previous = 0.0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            a[i * n + j] = previous;
            previous = b[i * n + j];
        }
}

// transformed: any
KERNEL void k_row_sums(long n, const double *a, double *row, double *column) {
    for (long i = 0; i < n; i++) {
        double sum = 0.25;
        for (long j = 0; j < n; j++) {
            sum += a[i * n + j];
            column[j] += a[j * n + i];
        }
        row[i] = sum;
    }
}

// transformed: any
KERNEL void k_two_accumulators(long n, const double *a, const double *b, double *c, double *d) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0.0, product = 1.0;
            for (long k = 0; k < n; k++) {
                sum += a[i * n + k] * b[k * n + j];
                product *= 1.0 + 0.01 * b[k * n + j];
            }
            c[i * n + j] = sum;
            d[i * n + j] = product;
        }
}

// transformed: any
KERNEL void k_polynomial(long n, const double *a, double *c) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double value = 0.0, x = 0.5;
            for (long k = 0; k < n; k++) {
                value = value * x + a[k * n + j];
                x = -x;
            }
            c[i * n + j] = value;
        }
}

// transformed: any
KERNEL void k_fibonacci(long n, uint64_t *a) {
    for (long j = 0; j < n; j++) {
        uint64_t x = 0, y = 1;
        for (long i = 0; i < n; i++) {
            a[i * n + j] += x;
            uint64_t next = x + y;
            x = y;
            y = next;
        }
    }
}

// transformed: any
KERNEL void k_temporary(long n, const double *a, double *b, double *c) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            double t = a[i * n + j] * 0.5;
            b[i * n + j] = t + 1.0;
            c[i * n + j] = t * t - b[j * n + i];
        }
}

// transformed: any
KERNEL void k_running_pointer(long n, const double *a, double *b) {
    const double *from = a;
    for (long i = 0; i < n; i++) {
        double *to = b + i;
        for (long j = 0; j < n; j++) {
            *to = *from++;
            to += n;
        }
    }
}

MAIN {
    FOR_SIZES(n) {
        RUN_VALUE(f64, k_sum, n, n, A);
        RUN_VALUE(bits, k_integer_sum, n, n, A);
        RUN_VALUE(f64, k_maximum, n, n, A);
        RUN_VALUE(f64, k_position, n, n, A);
        RUN_VALUE(f64, k_last_value, n, n, A, B);
        RUN_VALUE(f64, k_counters_after, n, n, A);
        RUN(f64, k_previous, n, n, A, B);
        RUN(f64, k_row_sums, n, n, A, B, C);
        RUN(f64, k_two_accumulators, n, n, A, B, C, D);
        RUN(f64, k_polynomial, n, n, A, C);
        RUN(bits, k_fibonacci, n, n, A);
        RUN(f64, k_temporary, n, n, A, B, C);
        RUN(f64, k_running_pointer, n, n, A, B);
    }
    return 0;
}
