/* Statements that are never executed: they go, and their arrays stay. */
#include "check.h"

// transformed: yes
KERNEL void k_never_read(long n, double *c, const double *a, const double *b, const double *d) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            if (i + j > 3 && i - j > 2 && j > i)
                c[i] = d[j];
        }
}

// transformed: yes
KERNEL void k_never_written(long n, double *c, const double *a, const double *b, double *d) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            if (i > n && j < 3)
                d[i] = a[j];
        }
}

// transformed: any
KERNEL void k_never_entered(long n, double *c, const double *a, const double *b, double *d) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++) {
                c[i * n + j] += a[i * n + k] * b[k * n + j];
                if (k >= 2 * n)
                    d[k] = c[j];
            }
        for (long j = n; j < i; j++)
            d[j] = b[j];
    }
}

// transformed: any
KERNEL void k_never_filled(long n, double *c, const double *a, double *d) {
    for (long j = 0; j < n; j++) {
        if (j > n + 1)
            memset(&d[j * n], 0, n * sizeof *d);
        for (long i = 0; i < n; i++)
            c[i * n + j] += a[i * n + j];
    }
}

// transformed: any
KERNEL void k_never_in_rows(long n, double **c, const double *a, double **d) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            c[i][j] += a[i * n + j];
            if (i + 1 > n + j && j > n)
                d[i][j] = 0;
        }
}

/* Where a pointer to the data is read in the loop, and what would overwrite it is never executed. */
struct holder {
    double *data;
    long size;
};

// transformed: any
KERNEL void k_never_replaced(struct holder *h, long n, const double *a, double **d) {
    for (long j = 0; j < h->size; j++)
        for (long i = 0; i < n; i++) {
            h->data[i * n + j] += a[i * n + j];
            if (i > n)
                d[i] = 0;
        }
}

MAIN {
    static double *rows[100];
    FOR_SIZES(n) {
        RUN(f64, k_never_read, n, n, C, A, B, D);
        RUN(f64, k_never_read, n, n, C, A, B, C);
        RUN(f64, k_never_written, n, n, C, A, B, D);
        RUN(f64, k_never_written, n, n, C, A, B, C);
        RUN(f64, k_never_entered, n, n, C, A, B, D);
        RUN(f64, k_never_entered, n, n, C, A, B, A);
        RUN(f64, k_never_filled, n, n, C, A, D);
        for (int i = 0; i < n; i++)
            rows[i] = (double *)C + i * n;
        RUN(f64, k_never_in_rows, n, n, rows, A, rows);
        struct holder h = {C, n};
        RUN(f64, k_never_replaced, n, &h, n, A, (double **)&h);
    }
    return 0;
}
