/* Conditions on data: what they decide about is one statement, whose stores may happen. */
#include "check.h"

// transformed: yes
KERNEL void k_store(long n, double *a, const double *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if (b[i * n + j] > 0.0)
                a[i * n + j] += b[i * n + j];
}

// transformed: yes
KERNEL void k_both_arms(long n, double *restrict a, const double *restrict b, double *restrict c) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if (b[i * n + j] > 0.0)
                a[i * n + j] = b[i * n + j];
            else
                c[i * n + j] = 0.5 * a[i * n + j];
}

// transformed: yes
KERNEL void k_nested(long n, int *restrict a, const int *restrict b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if (b[i * n + j] > 0) {
                a[i * n + j] += 3;
                if (a[i * n + j] % 5 == 0)
                    a[i * n + j] = b[i * n + j] / (b[i * n + j] & 7 ? b[i * n + j] & 7 : 3);
                else if (i < j)
                    a[i * n + j] ^= 77;
            }
}

/* The value leaves the branch: loads in it must not be done otherwise. */
// transformed: yes
KERNEL void k_value(long n, double *restrict a, const double *restrict b, const double *restrict c) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            double x = b[i * n + j];
            if (x > 0.0)
                x = x * c[i * n + j] + c[i * n + j + 1];
            a[i * n + j] = x;
        }
}

/* A value and a store. */
// transformed: any
KERNEL void k_value_and_store(long n, double *restrict a, const double *restrict b, double *restrict c) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            double x = b[i * n + j];
            if (x > 0.0) {
                c[i * n + j] = x;
                x = 0.25 * a[i * n + j];
            }
            a[i * n + j] += x;
        }
}

/* The largest element and where it is: two values that one condition chooses, and that it reads. */
// transformed: any
KERNEL double k_largest(long n, const double *a) {
    double most = -1e300;
    long where = -1;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if (a[i * n + j] > most && a[i * n + j + 1] > 0.0) {
                most = a[i * n + j];
                where = i * n + j;
            }
    return most + (double)where;
}

// transformed: any
KERNEL void k_shortest_paths(long n, int *path) {
    for (long k = 0; k < n; k++)
        for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j++) {
                int through = (path[i * n + k] & 0xffff) + (path[k * n + j] & 0xffff);
                if (through < path[i * n + j])
                    path[i * n + j] = through;
            }
}

/* A store that may happen does not take away what was stored before. */
// transformed: yes
KERNEL void k_kept(long n, double *restrict a, const double *restrict b, double *restrict c) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            a[j] = b[i * n + j];
            if (b[i * n + j] > 0.25)
                a[j] = 2.0;
            c[i * n + j] = a[j];
        }
}

/* Column by column, each element needs the one above: the rows keep their order. */
// transformed: yes
KERNEL void k_recurrence(long n, double *restrict a, const double *restrict b) {
    for (long j = 0; j < n; j++)
        for (long i = 1; i < n; i++)
            if (b[i * n + j] > 0.0)
                a[i * n + j] = 0.5 * a[(i - 1) * n + j] + b[i * n + j];
}

/* The wrong way round, whichever way the inner loop runs: the elements on the left, below and above, are written in between. */
// transformed: no
KERNEL void k_illegal(long n, double *restrict a, const double *restrict b) {
    for (long j = 1; j < n; j++)
        for (long i = 1; i < n - 1; i++)
            if (b[i * n + j] > 0.0)
                a[i * n + j] = 0.5 * a[(i + 1) * n + j - 1] + 0.25 * a[(i - 1) * n + j - 1] + b[i * n + j];
}

/* The condition and an affine one decide about the same store. */
// transformed: yes
KERNEL void k_mixed(long n, double *restrict a, const double *restrict b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            if (i > j && b[i * n + j] > 0.0)
                a[i * n + j] = 1.0;
            if (i + j < n || b[i * n + j] < 0.5)
                a[i * n + j] *= 0.5;
        }
}

/* A loop behind a condition on data has no place in the model. */
// transformed: no
KERNEL void k_loop_inside(long n, double *restrict a, const double *restrict b) {
    for (long j = 0; j < n; j++)
        if (b[j] > 0.0)
            for (long i = 0; i < n; i++)
                a[i * n + j] += b[i];
}

/* The products are skipped where a factor is zero. */
// transformed: yes
KERNEL void k_sparse_product(long n, double *restrict c, const double *restrict a, const double *restrict b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                if (a[i * n + k] > 0.5)
                    c[i * n + j] += a[i * n + k] * b[k * n + j];
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_store, n, n, C, A);
        RUN(f64, k_both_arms, n, n, C, A, B);
        RUN(bits, k_nested, n, n, C, A);
        RUN(f64, k_value, n, n, C, A, B);
        RUN(f64, k_value_and_store, n, n, C, A, B);
        RUN_VALUE(f64, k_largest, n, n, A);
        RUN(bits, k_shortest_paths, n, n, A);
        RUN(f64, k_kept, n, n, C, A, B);
        RUN(f64, k_recurrence, n, n, C, A);
        RUN(f64, k_illegal, n, n, C, A);
        RUN(f64, k_mixed, n, n, C, A);
        RUN(f64, k_loop_inside, n, n, C, A);
        RUN(f64, k_sparse_product, n, n, C, A, B);
    }
    return 0;
}
