/* Loops whose iterations OpenMP gives to several threads: the outlined functions have nests with bounds of their own. Without
 * -fopenmp the pragmas say nothing. */
#include "check.h"

// transformed: any
KERNEL void k_rows_in_parallel(int n, double *restrict c, const double *restrict a, const double *restrict b) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: any
KERNEL void k_both_in_parallel(long n, double *c, const double *a) {
#pragma omp parallel for collapse(2) schedule(dynamic, 5)
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            for (long k = 0; k < 4; k++)
                c[i * n + j] = c[i * n + j] * 0.5 + a[i * n + j];
}

// transformed: any
KERNEL void k_columns_in_parallel(long n, float *c, const float *a) {
#pragma omp parallel
    {
        long bytes = n * (long)sizeof(float);
#pragma omp for schedule(static, 3) nowait
        for (long j = 0; j < n; j++)
            for (long i = 1; i < n; i++)
                c[i * n + j] += c[(i - 1) * n + j] * a[i * n + j] + (float)bytes;
    }
}

// transformed: any
KERNEL uint32_t k_sum_in_parallel(int n, const uint32_t *a) {
    uint32_t sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(guided)
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            sum += a[i * n + j] * (uint32_t)(i + 1);
    return sum;
}

// transformed: any
KERNEL void k_simd(int n, double *restrict c, const double *restrict a) {
    for (int j = 0; j < n; j++) {
#pragma omp simd
        for (int i = 0; i < n; i++)
            c[i * n + j] += a[i * n + j];
    }
}

// transformed: any
KERNEL void k_private_row(long n, double *c, const double *a) {
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        double row[128];
        for (long j = 0; j < n; j++)
            row[j] = 0;
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                row[j] += a[k * n + j] * (double)(i + 1);
        for (long j = 0; j < n; j++)
            c[i * n + j] = row[j];
    }
}

// transformed: any
KERNEL void k_tasks(long n, double *c, const double *a) {
#pragma omp parallel
#pragma omp single
    for (long from = 0; from < n; from += 20) {
#pragma omp task firstprivate(from)
        for (long j = 0; j < n; j++)
            for (long i = from; i < n && i < from + 20; i++)
                c[i * n + j] -= a[i * n + j];
    }
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_rows_in_parallel, n, n, C, A, B);
        RUN(f64, k_both_in_parallel, n, n, C, A);
        RUN(f32, k_columns_in_parallel, n, n, C, A);
        RUN_VALUE(bits, k_sum_in_parallel, n, n, A);
        RUN(f64, k_simd, n, n, C, A);
        RUN(f64, k_private_row, n, n, C, A);
        RUN(f64, k_tasks, n, n, C, A);
    }
    return 0;
}
