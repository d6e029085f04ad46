/* `switch` inside of nests: by counters, by data, with gaps, with falling through, with an end that is never reached. */
#include "check.h"

// transformed: yes
KERNEL void k_dense(long n, double *restrict a, const double *restrict b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            switch (i) {
            case 0:
                a[i * n + j] = b[j * n + i];
                break;
            case 1:
                a[i * n + j] += 2.0;
                break;
            case 2:
            case 3:
                a[i * n + j] *= 3.0;
                break;
            default:
                a[i * n + j] -= b[i * n + j];
            }
}

// transformed: yes
KERNEL void k_diagonals(long n, double *restrict a, const double *restrict b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            switch (i - j) {
            case -40:
                a[i * n + j] += 1.0;
                break;
            case 0:
                a[i * n + j] *= 0.5;
                break;
            case 7:
                a[i * n + j] = b[i * n + j];
            }
}

// transformed: yes
KERNEL void k_fall_through(long n, long m, double *restrict a, const double *restrict b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            double sum = a[i * n + j];
            switch (i + m) {
            case 4:
                sum += b[i];
            case 9:
                sum *= 0.5;
            case 3:
                sum -= 1.0;
                break;
            case 12:
                sum = 8.0;
            }
            a[i * n + j] = sum;
        }
}

// By data: all ways between are one statement.
// transformed: yes
KERNEL void k_data(long n, double *restrict a, const int *restrict b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            switch (b[i * n + j] & 7) {
            case 0:
                a[i * n + j] += 1.0;
                break;
            case 1:
                a[i * n + j] *= 0.25;
                break;
            case 2:
            case 5:
                a[i * n + j] = 3.0;
                break;
            case 6:
                a[i * n + j] -= a[(n - 1 - i) * n + j];
                break;
            default:
                break;
            }
}

// The same, but only a value is chosen, and some numbers lead to one place.
// transformed: yes
KERNEL void k_choice(long n, double *restrict a, const int *restrict b, const double *restrict c) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            double value;
            switch (b[i * n + j] & 15) {
            case 1:
            case 4:
            case 11:
                value = c[i * n + j] / 3.0;
                break;
            case 2:
                value = c[j];
                break;
            case 3:
                value = 0.5;
                break;
            default:
                value = c[i];
            }
            a[i * n + j] += value;
        }
}

// No other number is possible.
// transformed: yes
KERNEL void k_never(long n, double *restrict a, const int *restrict b, const double *restrict c) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            switch (b[i * n + j] & 3) {
            case 0:
                a[i * n + j] += c[i * n + j];
                break;
            case 1:
                a[i * n + j] -= c[j * n + i];
                break;
            case 2:
                a[i * n + j] = c[i * n + j] * c[j];
                break;
            case 3:
                a[i * n + j] = 0.0;
                break;
            default:
                __builtin_unreachable();
            }
}

// Some numbers leave the nest.
// transformed: yes
KERNEL long k_leaves(long n, long limit, double *restrict a, const double *restrict b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            switch (limit - i) {
            case 0:
            case -1:
            case -2:
                return i + j;
            default:
                break;
            }
            a[i * n + j] += b[i * n + j];
        }
    return -1;
}

// transformed: yes
KERNEL long k_leaves_above(long n, int shift, double *restrict a, const double *restrict b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            switch (j + shift) {
            case 0:
                a[i * n + j] += b[i];
                break;
            case 1:
                a[i * n + j] -= b[i];
                break;
            case 2:
                a[i * n + j] *= b[i];
                break;
            case 3:
                a[i * n + j] = b[i];
                break;
            default:
                return j;
            }
        }
    return -1;
}

static void fill(void) {
    int *numbers = (int *)B;
    for (int at = 0; at < 2 * LENGTH; at++)
        numbers[at] = (int)(at * 2654435761u >> 7);
}

#define RUN_FILLED(kernel, n, ...)                                                                                     \
    do {                                                                                                               \
        reset_f64();                                                                                                   \
        fill();                                                                                                        \
        kernel(n, __VA_ARGS__);                                                                                        \
        report(#kernel, n);                                                                                            \
    } while (0)

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_dense, n, n, A, B);
        RUN(f64, k_diagonals, n, n, A, B);
        for (int m = -3; m < 8; m += 5)
            RUN(f64, k_fall_through, n, n, m, A, B);
        RUN_FILLED(k_data, n, A, (const int *)B);
        RUN_FILLED(k_choice, n, A, (const int *)B, C);
        RUN_FILLED(k_never, n, A, (const int *)B, C);
        for (int limit = -3; limit < 70; limit += 24) {
            RUN_VALUE(f64, k_leaves, n, n, limit, A, B);
            RUN_VALUE(f64, k_leaves_above, n, n, limit / 24, A, B);
        }
    }
    return 0;
}
