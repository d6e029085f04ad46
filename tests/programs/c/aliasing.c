/* Arguments that overlap at run time: the guard must choose the original loops. */
#include "check.h"

// transformed: yes
KERNEL void k_gemm(long n, const double *a, const double *b, double *c) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += 0.01 * a[i * n + k] * b[k * n + j];
}

// transformed: yes
KERNEL void k_columns(long n, const double *b, double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = 0.5 * b[i * n + j] + 0.125;
}

// transformed: any
KERNEL void k_two_outputs(long n, const double *x, double *y, double *z) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            y[i * n + j] = x[i * n + j] + 1.0;
            z[i * n + j] = x[i * n + j] * 0.5;
        }
}

/* Two views of different element size on the same bytes; a union keeps it defined. */
union word {
    double whole;
    float half[2];
};

// transformed: any
KERNEL void k_views(long n, union word *a, union word *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            a[i * n + j].half[0] = 0.5f * b[j * n + i].half[1];
            b[i * n + j].half[1] = 0.25f + a[j * n + i].half[0];
        }
}

MAIN {
    double *a = A, *b = B, *c = C;
    FOR_SIZES(n) {
        if (n > 65)
            continue;
        long offsets[] = {0, 1, -1, n, -n, n + 1, n * n - 1, n * n, n * n + 1, 1 - n * n, -n * n};
        for (int at = 0; at < (int)(sizeof offsets / sizeof *offsets); at++) {
            long offset = offsets[at];
            double *middle = a + LENGTH / 2;
            if (offset < -LENGTH / 2 || offset + (long)n * n > LENGTH / 2)
                continue;
            RUN(f64, k_gemm, offset, n, middle, b, middle + offset);
            RUN(f64, k_gemm, offset, n, b, middle, middle + offset);
            RUN(f64, k_gemm, offset, n, middle, middle + offset, c);
            RUN(f64, k_columns, offset, n, middle, middle + offset);
            RUN(f64, k_two_outputs, offset, n, b, middle, middle + offset);
            RUN(f64, k_two_outputs, offset, n, middle, middle + offset, c);
        }
        RUN(f32, k_views, n, n, A, A);
        RUN(f32, k_views, n, n, A, B);
    }
    RUN(f64, k_gemm, 3, 40, a, a, a);
    return 0;
}
