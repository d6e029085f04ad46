/* Scalars that cannot live in an element of the result: they get copies for each tile. And scalars that can, because the
 * element is overwritten at the end. */
#include "check.h"

// transformed: yes
KERNEL void k_gemm(long n, double alpha, double beta, double *c, const double *a, const double *b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0.0;
            for (long k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = alpha * sum + beta * c[i * n + j];
        }
}

// transformed: yes
KERNEL void k_add_product(long n, float *c, const float *a, const float *b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            float sum = 0.0f;
            for (long k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] += sum;
        }
}

/* Two scalars, whose copies share a tile; the second one takes part in the inner loop of the first. */
// transformed: yes
KERNEL void k_two_sums(long n, double *c, const double *a, const double *b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 1.0, absolute = 0.5;
            for (long k = 0; k < n; k++) {
                sum += a[i * n + k] * b[k * n + j];
                absolute = absolute * 0.5 + b[k * n + j] * sum;
            }
            c[i * n + j] = c[i * n + j] * absolute - sum;
        }
}

/* The columns are the outer loop: the tile runs over them from the inside. */
// transformed: yes
KERNEL void k_transposed(long n, double *y, const double *a, const double *x) {
    for (long i = 0; i < n; i++) {
        double sum = 0.0;
        for (long j = 0; j < n; j++)
            sum += a[j * n + i] * x[j];
        y[i] = 2.0 * sum - y[i];
    }
}

/* A triangle: the copies of one tile have inner loops of different lengths. */
// transformed: any
KERNEL void k_triangle(long n, double *c, const double *a, const double *b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++) {
            double sum = 0.0;
            for (long k = j; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = c[i * n + j] + 0.5 * sum;
        }
}

/* The scalar is handed from one iteration to the next: no copies. */
// transformed: no
KERNEL void k_handed_on(long n, double *c, const double *a, const double *b) {
    double sum = 0.0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            for (long k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = c[i * n + j] + sum;
        }
}

/* The result is read by later sums: the order of rows must stay. */
// transformed: yes
KERNEL void k_feedback(long n, double *c, const double *b) {
    for (long i = 1; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0.0;
            for (long k = 0; k < n; k++)
                sum += c[(i - 1) * n + k] * b[k * n + j];
            c[i * n + j] = 0.25 * sum + c[i * n + j];
        }
}

/* Every sum reads the results of the row so far: copies would be wrong in any other order. */
// transformed: any
KERNEL void k_same_row(long n, double *c, const double *b) {
    for (long i = 0; i < n; i++)
        for (long j = 1; j < n; j++) {
            double sum = 0.0;
            for (long k = 0; k < n; k++)
                sum += c[i * n + j - 1] * b[k * n + j];
            c[i * n + j] = 0.25 * sum + c[i * n + j];
        }
}

// transformed: yes
KERNEL void k_trmm(long n, double alpha, double *b, const double *a) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            for (long k = i + 1; k < n; k++)
                b[i * n + j] += a[k * n + i] * b[k * n + j];
            b[i * n + j] = alpha * b[i * n + j];
        }
}

// transformed: yes
KERNEL void k_lu(long n, double *a) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < i; j++) {
            for (long k = 0; k < j; k++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
            a[i * n + j] /= a[j * n + j] + 3.0;
        }
        for (long j = i; j < n; j++)
            for (long k = 0; k < i; k++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}

/* The element is stored at the end without being read before, and another statement reads its old value meanwhile. */
// transformed: any
KERNEL void k_old_value(long n, double *c, const double *a, const double *b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0.0;
            for (long k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j] + c[i * n + j];
            c[i * n + j] = 0.5 * sum;
        }
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_gemm, n, n, 1.5, -0.25, C, A, B);
        RUN(f32, k_add_product, n, n, C, A, B);
        RUN(f64, k_two_sums, n, n, C, A, B);
        RUN(f64, k_transposed, n, n, C, A, B);
        RUN(f64, k_triangle, n, n, C, A, B);
        RUN(f64, k_handed_on, n, n, C, A, B);
        RUN(f64, k_feedback, n, n, C, B);
        RUN(f64, k_same_row, n, n, C, B);
        RUN(f64, k_trmm, n, n, 1.5, C, A);
        RUN(f64, k_lu, n, n, C);
        RUN(f64, k_old_value, n, n, C, A, B);
    }
    /* The result overlaps an operand: the guard must refuse. */
    RUN(f64, k_gemm, 1000, 60, 1.5, -0.25, C, A, C);
    RUN(f64, k_trmm, 1000, 60, 1.5, C, (double *)C + 17);
    /* Longer than one tile of copies. */
    RUN(f64, k_transposed, 2000, 127, C, A, B);
    return 0;
}
