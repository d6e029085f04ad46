/* Wishes about loops (pragmas), where statements have loops that the program does not have: a `memset`, a `memcpy`, copies of scalars. */
#include "check.h"

#ifndef WISH
#define WISH _Pragma("clang loop unroll(disable)")
#endif

// transformed: yes
KERNEL void k_scaled(long n, double alpha, double beta, double *restrict c, const double *restrict a, const double *restrict b) {
    WISH for (long i = 0; i < n; i++)
        WISH for (long j = 0; j < n; j++) {
            double sum = 0;
            WISH for (long k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = alpha * sum + beta * c[i * n + j];
        }
}

// transformed: yes
KERNEL void k_cleared(long n, double *restrict c, const double *restrict a, const double *restrict b) {
    WISH for (long i = 0; i < n; i++) {
        memset(&c[i * n], 0, n * sizeof *c);
        WISH for (long j = 0; j < n; j++)
            WISH for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

// transformed: yes
KERNEL void k_copied(long n, double *restrict c, const double *restrict a, const double *restrict b, const double *restrict d) {
    WISH for (long i = 0; i < n; i++) {
        memcpy(&c[i * n], &d[i * n], n * sizeof *c);
        WISH for (long j = 0; j < n; j++)
            WISH for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

// transformed: any
KERNEL void k_loop_cleared(int n, int m, float *c, const float *a, const float *b) {
    WISH for (int i = 0; i < n; i++) {
        WISH for (int j = 0; j < m; j++)
            c[i * m + j] = 0;
        WISH for (int k = 0; k < n; k++)
            WISH for (int j = 0; j < m; j++)
                c[i * m + j] += a[i * n + k] * b[k * m + j];
    }
}

// transformed: any
KERNEL void k_two_sums(long n, double alpha, double *restrict c, double *restrict d, const double *restrict a) {
    WISH for (long i = 0; i < n; i++)
        WISH for (long j = 0; j < n; j++) {
            double sum = 0, other = 1;
            WISH for (long k = 0; k < n; k++) {
                sum += a[i * n + k] * a[k * n + j];
                other -= a[k * n + i] * a[k * n + j];
            }
            c[i * n + j] = alpha * sum;
            d[i * n + j] = other - d[i * n + j];
        }
}

// transformed: any
KERNEL void k_only_cleared(long n, unsigned char *c) {
    WISH for (long i = 0; i < n; i++)
        memset(&c[i * 100], 7, n);
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_scaled, n, n, 1.5, 0.75, C, A, B);
        RUN(f64, k_cleared, n, n, C, A, B);
        RUN(f64, k_copied, n, n, C, A, B, D);
        RUN(f32, k_loop_cleared, n, n, n / 2, C, A, B);
        RUN(f64, k_two_sums, n, n, 0.5, C, D, A);
        RUN(bits, k_only_cleared, n, n, C);
    }
    return 0;
}
