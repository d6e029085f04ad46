/* Memory that holds one value after the other: cells and rows that every iteration writes and reads. Loops may change places
 * as long as every value stays whole and the last one stays last. */
#include "check.h"

struct frame {
    double before, value, after;
};

/* A field of a structure, which the arrays might overlap. */
// transformed: yes
KERNEL void k_field(long n, double *b, const double *a, struct frame *frame) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            frame->value = a[i * n + j] * 2.0;
            b[i * n + j] = frame->value + 1.0;
        }
}

/* A store in between, so that the value is really read again. */
// transformed: yes
KERNEL void k_read_again(long n, double *b, const double *a, double *t) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            t[0] = a[i * n + j] * 2.0;
            b[i * n + j] = 3.0;
            b[i * n + j] += t[0] - 1.0;
        }
}

/* Two values in one cell. */
// transformed: yes
KERNEL void k_two_values(long n, double *b, double *c, const double *a, double *t) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            t[0] = a[i * n + j] * 2.0;
            b[i * n + j] = t[0];
            t[0] = a[i * n + j] * 3.0 + t[0];
            c[i * n + j] = t[0];
        }
}

/* Fields that depend on each other. */
// transformed: yes
KERNEL void k_fields(long n, double *b, const double *a, struct frame *frame) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            frame->before = a[i * n + j];
            frame->value = frame->before * 0.5;
            b[i * n + j] = frame->value;
            frame->after = frame->value - frame->before;
            b[i * n + j] += frame->after;
        }
}

/* A product whose terms go through memory. */
// transformed: yes
KERNEL void k_product(long n, double *c, const double *a, const double *b, double *t) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++) {
                t[0] = a[i * n + k] * b[k * n + j];
                c[i * n + j] += t[0];
            }
}

static double row[512];

/* One cell for each column. */
// transformed: yes
KERNEL void k_row(long n, double *c, const double *a, const double *b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++) {
                row[j] = a[i * n + k] * b[k * n + j];
                c[i * n + j] += 0.5 * row[j];
            }
    c[0] += row[n / 2];
}

/* The last value is used after the nest. */
// transformed: yes
KERNEL double k_used_after(long n, double *b, const double *a, double *t) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            *t = a[i * n + j] - 0.5;
            b[i * n + j] = *t * *t;
        }
    return *t;
}

/* The last value of a triangle is in its corner whatever the order is. */
// transformed: yes
KERNEL void k_triangle(long n, double *b, const double *a, double *t) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i <= j; i++) {
            t[0] = a[i * n + j] * 2.0;
            b[i * n + j] = t[0] + 1.0;
        }
}

/* The longest row comes first: another order has another last value. */
// transformed: no
KERNEL void k_falling(long n, double *b, const double *a, double *t) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n - j; i++) {
            t[0] = a[i * n + j] * 2.0;
            b[i * n + j] = t[0] + 1.0;
        }
}

/* The value comes from the iteration before. */
// transformed: any
KERNEL void k_from_before(long n, double *b, const double *a, double *t) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            b[i * n + j] = t[0];
            t[0] = a[i * n + j] * 2.0;
        }
}

/* Only the first iteration sees what was there before. */
// transformed: any
KERNEL void k_first_sees_old(long n, double *b, const double *a, double *t) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            if (i + j > 0)
                t[0] = a[i * n + j] * 2.0;
            b[i * n + j] = t[0] + 1.0;
        }
}

/* The first rows see what was there before, and the others write. */
// transformed: any
KERNEL void k_first_rows_see_old(long n, double *b, const double *a, double *t) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            if (i >= 3)
                t[0] = a[i * n + j] * 2.0;
            b[i * n + j] = t[0] + 1.0;
        }
}

/* A sum over all iterations. */
// transformed: any
KERNEL void k_sum(long n, double *b, const double *a, double *t) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            t[0] = t[0] * 0.5 + a[i * n + j];
            b[i * n + j] = t[0];
        }
}

/* Which value is seen depends on data. */
// transformed: no
KERNEL void k_sometimes(long n, double *b, const double *a, double *t) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            if (a[i * n + j] > 0.25)
                t[0] = a[i * n + j];
            b[i * n + j] = t[0];
        }
}

/* Below the diagonal the value is that of another iteration. */
// transformed: any
KERNEL void k_from_the_diagonal(long n, double *b, const double *a, double *t) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            if (i <= j)
                t[0] = a[i * n + j];
            b[i * n + j] = t[0];
        }
}

/* The value is written outside of the inner loop, and used in it. */
// transformed: any
KERNEL void k_outer(long n, double *b, const double *a, double *t) {
    for (long j = 0; j < n; j++) {
        t[0] = a[j];
        for (long i = 0; i < n; i++)
            b[i * n + j] += t[0];
    }
}

/* A value that lives across an inner loop keeps the parts of the nest together. */
// transformed: any
KERNEL void k_across(long n, double *c, double *d, const double *a, const double *b, double *t) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            t[0] = a[i * n + j] * 0.25;
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            d[i * n + j] = t[0];
        }
}

/* The inner part of a nest has a cell of its own. */
// transformed: yes
KERNEL void k_inner_part(long n, double *c, const double *a, const double *b, double *t) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            c[i * n + j] *= 0.5;
            for (long k = 0; k < n; k++) {
                t[0] = a[i * n + k] * b[k * n + j];
                c[i * n + j] += t[0];
            }
        }
}

/* The cell is that of an outer loop: ranges of one iteration of it meet those of the next. */
// transformed: any
KERNEL void k_planes(long m, long n, double *b, const double *a, double *t) {
    for (long k = 0; k < m; k++)
        for (long j = 0; j < n; j++)
            for (long i = 0; i < n; i++) {
                t[k] = a[i * n + j] + (double)k;
                b[i * n + j] += t[k] * t[k];
            }
}

/* Integers: a cell, and a sum whose order does not matter, in one array. */
// transformed: any
KERNEL void k_cell_and_sum(int n, unsigned *b, const unsigned *a, unsigned *t) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            t[0] = a[i * n + j] * 3;
            b[i * n + j] ^= t[0];
            t[1] += t[0];
        }
}

/* One cell in rows of its own for the first value, shared for the second. */
// transformed: any
KERNEL void k_shared_later(long n, double *b, const double *a, double *t) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            t[i] = a[i * n + j];
            t[0] = t[i] * 0.5;
            b[i * n + j] = t[0] + t[i];
        }
}

MAIN {
    double *const cell = (double *)D + 7;
    FOR_SIZES(n) {
        RUN(f64, k_field, n, n, B, A, D);
        RUN(f64, k_field, -n, n, B, A, (struct frame *)((double *)B + n));
        RUN(f64, k_read_again, n, n, B, A, cell);
        RUN(f64, k_read_again, -n, n, B, A, (double *)A + 3 * n / 2);
        RUN(f64, k_two_values, n, n, B, C, A, cell);
        RUN(f64, k_fields, n, n, B, A, D);
        RUN(f64, k_product, n, n, C, A, B, cell);
        RUN(f64, k_row, n, n, C, A, B);
        RUN_VALUE(f64, k_used_after, n, n, B, A, cell);
        RUN(f64, k_triangle, n, n, B, A, cell);
        RUN(f64, k_falling, n, n, B, A, cell);
        RUN(f64, k_from_before, n, n, B, A, cell);
        RUN(f64, k_first_sees_old, n, n, B, A, cell);
        RUN(f64, k_first_rows_see_old, n, n, B, A, cell);
        RUN(f64, k_sum, n, n, B, A, cell);
        RUN(f64, k_sometimes, n, n, B, A, cell);
        RUN(f64, k_from_the_diagonal, n, n, B, A, cell);
        RUN(f64, k_outer, n, n, B, A, cell);
        RUN(f64, k_across, n, n, C, B, A, B, cell);
        RUN(f64, k_across, -n, n, C, (double *)D + 64, A, B, cell);
        RUN(f64, k_inner_part, n, n, C, A, B, cell);
        RUN(f64, k_planes, n, 3, n, B, A, cell);
        RUN(bits, k_cell_and_sum, n, n, B, A, D);
        RUN(f64, k_shared_later, n, n, B, A, cell);
    }
    return 0;
}
