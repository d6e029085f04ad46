/* Dependences that run against a loop: the loops may change places once it runs backwards. */
#include "check.h"

/* The distance is (1, -1): rows become the inner loop, columns run backwards. */
// transformed: yes
KERNEL void k_diagonal(long n, double *a) {
    for (long i = 1; i < n; i++)
        for (long j = 0; j < n - 1; j++)
            a[j * n + i] = 0.5 * a[(j + 1) * n + i - 1] + 1.0;
}

/* Two distances, (1, -1) and (2, -3), and one inside the inner loop's way: (0, -1) read before it is written. */
// transformed: yes
KERNEL void k_knight(long n, double *a) {
    for (long i = 2; i < n; i++)
        for (long j = 0; j < n - 3; j++)
            a[j * n + i] = 0.25 * a[(j + 1) * n + i - 1] + a[(j + 3) * n + i - 2];
}

/* Values are read before they are overwritten: an anti-dependence with the distance (1, -2). */
// transformed: yes
KERNEL void k_before_overwritten(long n, double *a, const double *b) {
    for (long i = 0; i < n - 1; i++)
        for (long j = 2; j < n; j++)
            a[j * n + i] = 0.5 * a[(j - 2) * n + i + 1] + b[j * n + i];
}

/* Distances of both signs along the columns: nothing runs backwards. */
// transformed: no
KERNEL void k_both_ways(long n, double *a) {
    for (long i = 1; i < n; i++)
        for (long j = 1; j < n - 1; j++)
            a[j * n + i] = 0.5 * (a[(j + 1) * n + i - 1] + a[(j - 1) * n + i - 1]);
}

/* A triangle, and a counter that falls: the dependences run against the other loop then. */
// transformed: any
KERNEL void k_falling(long n, double *a) {
    for (long i = n - 2; i >= 0; i--)
        for (long j = 0; j < n - 1 - i / 2; j++)
            a[j * n + i] = 0.5 * a[(j + 1) * n + i + 1] + 1.0;
}

/* Three loops, integers: the middle one has to run backwards. */
// transformed: any
KERNEL void k_planes(long n, long m, int *a) {
    for (long i = 1; i < n; i++)
        for (long j = 0; j < n - 1; j++)
            for (long k = 0; k < m; k++)
                a[(k * n + j) * n + i] = 3 * a[(k * n + j + 1) * n + i - 1] + 1;
}

/* A product with sums that run down in one of its loops. */
// transformed: any
KERNEL void k_carried_product(long n, double *c, const double *a, const double *b) {
    for (long i = 1; i < n; i++)
        for (long j = 0; j < n - 1; j++)
            for (long k = 0; k < n; k++)
                c[k * n + i] = c[k * n + i] + a[i * n + j] * b[(n - 1 - j) * n + k];
}

/* A row is a product of parameters: with it, a subscript that counts from the end is no longer affine. */
// transformed: any
KERNEL void k_rows_of_products(long n, long m, double *restrict c, const double *restrict b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            c[(i + 1) * (n * m) - j - 1] += b[j * n + i];
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_diagonal, n, n, A);
        RUN(f64, k_knight, n, n, A);
        RUN(f64, k_before_overwritten, n, n, A, B);
        RUN(f64, k_before_overwritten, -n, n, A, (double *)A + 3);
        RUN(f64, k_both_ways, n, n, A);
        RUN(f64, k_falling, n, n, A);
        RUN(bits, k_planes, n, n, 3, A);
        RUN(f64, k_carried_product, n, n, C, A, B);
        RUN(f64, k_rows_of_products, n, n, 2, C, A);
    }
    return 0;
}
