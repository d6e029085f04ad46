// Loops whose first iteration differs: flags, numbers to skip, other exits.

#include "check.h"

// A flag selects what happens.
// transformed: yes
KERNEL void k_flag(long n, const double *a, const double *b, double *c) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            int first = 1;
            for (long k = 0; k < n; k++) {
                if (first)
                    c[i * n + j] = 0.5;
                else
                    c[i * n + j] += a[i * n + k] * b[k * n + j];
                first = 0;
            }
        }
    }
}

// The condition of the last iteration is used after the loop: it was the first one only if there was no other.
// transformed: yes
KERNEL void k_last(long n, long m, const double *a, double *c) {
    for (long i = 0; i < n; i++) {
        int first = 1, last = 0;
        for (long j = 0; j < m; j++) {
            last = first;
            c[j * n + i] += first ? 2.0 * a[j] : a[j * n + i];
            first = 0;
        }
        if (last)
            c[i] = -c[i];
    }
}

// Data say whether there is something that the first iteration does.
// transformed: yes
KERNEL void k_data(long n, const long *x, const double *a, double *c) {
    for (long i = 0; i < n; i++) {
        long first = x[i];
        for (long j = 0; j < n; j++) {
            c[j * n + i] += first ? 2.0 * a[j] : a[j * n + i];
            first = 0;
        }
    }
}

// A parameter says so: nothing is different where it is zero, and a negative number counts too.
// transformed: yes
KERNEL void k_parameter(long n, int x, const double *a, double *c) {
    for (long i = 0; i < n; i++) {
        int first = x;
        for (long j = 0; j < n; j++) {
            c[j * n + i] += first ? 2.0 * a[j] : a[j * n + i];
            first = 0;
        }
    }
}

// So many elements are skipped, and the loop is left elsewhere in the first iteration than in others.
// transformed: yes
KERNEL void k_skip(long n, unsigned some, const double *a, double *c) {
    for (long i = 0; i < n; i++) {
        unsigned rest = some;
        for (long j = 0; j < n; j++) {
            if (rest) {
                j += rest;
                rest = 0;
                if (j >= n)
                    break;
            }
            c[j * n + i] += a[j * n + i];
        }
    }
}

// The first iteration has another bound.
// transformed: yes
KERNEL void k_bounds(long n, long m, const double *a, double *c) {
    for (long i = 0; i < n; i++) {
        int first = 1;
        for (long j = 0;; j++) {
            if (first ? j >= m : j >= n)
                break;
            c[j * n + i] += a[j * n + i];
            first = 0;
        }
    }
}

MAIN {
    long counts[100];
    FOR_SIZES(n) {
        RUN(f64, k_flag, n, n, A, B, C);
        int others[] = {-3, 0, 1, 2, 7, n};
        for (int at = 0; at < 6; at++) {
            int some = others[at];
            RUN(f64, k_last, n, n, some, A, C);
            RUN(f64, k_parameter, n, n, some, A, C);
            RUN(f64, k_skip, n, n, some < 0 ? 1000 : some, A, C);
            RUN(f64, k_bounds, n, n, some, A, C);
            for (int i = 0; i < n; i++)
                counts[i] = some == 7 ? i % 2 : some;
            RUN(f64, k_data, n, n, counts, A, C);
        }
    }
    return 0;
}
