/* Kinds of memory: volatile, atomic, globals, structures, local arrays, misaligned data, several dimensions. */
#include "check.h"
#include <stdatomic.h>

// transformed: no
KERNEL void k_volatile(long n, volatile double *a, const double *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = b[i * n + j];
}

// transformed: no
KERNEL void k_atomic(long n, _Atomic uint32_t *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            atomic_fetch_add(&a[i], 1);
}

double global_a[70][70], global_b[70][70];

// transformed: any
KERNEL void k_globals(int n) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            global_a[i][j] = 0.5 * global_b[i][j] + global_a[j][i];
}

/* The bound is memory that the nest may write. */
// transformed: any
KERNEL void k_bound_in_memory(const int *n, int *a) {
    for (int j = 0; j < *n; j++)
        for (int i = 0; i < *n; i++)
            a[i * 70 + j] = 5;
}

// transformed: any
KERNEL void k_row_pointers(int n, double **rows) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            rows[i][j] *= 0.5;
}

struct point {
    double x, y, z;
};

// transformed: any
KERNEL void k_array_of_structs(long n, struct point *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j].y = 0.5 * a[i * n + j].x + a[i * n + j].z;
}

struct grid {
    long n;
    double *u, *v;
};

// transformed: any
KERNEL void k_struct_of_arrays(struct grid *g) {
    for (long j = 0; j < g->n; j++)
        for (long i = 0; i < g->n; i++)
            g->u[i * g->n + j] += 0.5 * g->v[i * g->n + j];
}

// transformed: any
KERNEL void k_local_array(long n, const double *a, double *b) {
    double column[128];
    for (long j = 0; j < n; j++) {
        for (long i = 0; i < n; i++)
            column[i] = 0.5 * a[i * n + j];
        for (long i = 0; i < n; i++)
            b[i * n + j] = column[n - 1 - i];
    }
}

// transformed: any
KERNEL void k_3d(int n, double a[n][n][n], double b[n][n][n]) {
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                a[i][j][k] = 0.5 * b[i][j][k] + a[i][j][k];
}

// transformed: any
KERNEL void k_3d_shapes(int p, int q, int r, double a[p][q][r], double b[r][q][p]) {
    for (int k = 0; k < r; k++)
        for (int j = 0; j < q; j++)
            for (int i = 0; i < p; i++)
                a[i][j][k] += b[k][j][i];
}

// transformed: any
KERNEL void k_convolution(int n, int w, double in[n][n], double out[n][n], double weights[w][w]) {
    for (int x = 0; x < n - w + 1; x++)
        for (int y = 0; y < n - w + 1; y++)
            for (int i = 0; i < w; i++)
                for (int j = 0; j < w; j++)
                    out[y][x] += in[y + j][x + i] * weights[j][i];
}

// transformed: any
KERNEL void k_contraction(int p, int q, int r, double a[p][q][r], double b[r][r], double *sum) {
    for (int i = 0; i < p; i++)
        for (int j = 0; j < q; j++) {
            for (int k = 0; k < r; k++) {
                sum[k] = 0.0;
                for (int l = 0; l < r; l++)
                    sum[k] += a[i][j][l] * b[l][k];
            }
            for (int k = 0; k < r; k++)
                a[i][j][k] = sum[k];
        }
}

// transformed: any
KERNEL void k_zero(long n, double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = 0.0;
}

struct __attribute__((packed)) odd {
    char c;
    double x;
};

// transformed: any
KERNEL void k_packed(long n, struct odd *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j].x = (double)(i - j);
}

// transformed: any
KERNEL void k_overlapping_fields(long n, double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            a[2 * (i * n + j)] = 0.5 * a[2 * (i * n + j) + 1];
            a[2 * (i * n + j) + 1] = 0.25 * a[2 * (j * n + i)];
        }
}

/* The stores of an iteration are neighbours, and its load meets the first one where j = m, and only there. */
// transformed: yes
KERNEL void k_meeting_fields(long planes, long n, long m, double a[planes][n][n][2]) {
    for (long j = 0; j < n; j++)
        for (long p = 0; p < planes; p++) {
            a[p][m][j][0] = 0.5 * a[p][m][j][1];
            a[p][m][j][1] = 0.25 * a[p][j][j][0];
        }
}

/* What the first store has written is read again behind a store that may meet it where j = 1 (or i = 1). */
// transformed: yes
KERNEL void k_fields_again(long n, double a[n][n][n][2]) {
    for (long j = 0; j < n; j++)
        for (long i = 1; i < n; i++) {
            a[i][1][j][1] = a[i][1][j][0] + 1;
            a[1][i][j][1] = 3;
            a[i][1][j][0] = 0.5 * a[i][1][j][1];
        }
}

/* The same between members of several widths. */
struct mixed { double a, b, c; char d, e; };
// transformed: yes
KERNEL void k_mixed_members(long n, struct mixed a[n][n][n]) {
    for (long j = 0; j < n; j++)
        for (long i = 1; i < n; i++) {
            a[i][1][j].b = a[i][1][j].a + a[i][1][j].c + 1;
            a[1][i][j].b = 3;
            a[i][1][j].a = 0.5 * a[i][1][j].b;
            a[i][1][j].e = a[i][1][j].d + 1;
        }
}

/* `*p` is loaded in both nests, and in front of neither. */
// transformed: any
KERNEL void k_loaded_in_two_nests(long n, long *p, long *a, long *b, long *c) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < i; j++)
            for (long k = 0; k < i; k++)
                c[k] += *p;
        for (long j = 0; j < n; j++)
            for (long k = 0; k < i; k++)
                a[i * 100 + j] += b[k * *p + i];
    }
}

MAIN {
    FOR_SIZES(n) {
        reset_bits();
        *(long *)D = 2;
        k_loaded_in_two_nests(n, D, A, B, C);
        report("k_loaded_in_two_nests", n);
        RUN(f64, k_volatile, n, n, A, B);
        RUN(bits, k_atomic, n, n, A);
        if (n <= 70) {
            double *rows[70];
            for (int i = 0; i < n; i++)
                rows[i] = (double *)A + i * 3;
            memcpy(global_a, A, sizeof global_a);
            memcpy(global_b, A, sizeof global_b);
            k_globals(n);
            reset_f64();
            memcpy(A, global_a, sizeof global_a);
            report("k_globals", n);
            reset_bits();
            int *outside = B, *inside = (int *)A + 2 * 70 + 3;
            *outside = *inside = n;
            k_bound_in_memory(outside, A);
            report("k_bound_in_memory", n);
            *inside = n;
            k_bound_in_memory(inside, A);
            report("k_bound_in_memory", n);
            RUN(f64, k_row_pointers, n, n, rows);
            RUN(f64, k_array_of_structs, n, n, A);
            RUN(f64, k_overlapping_fields, n, n, A);
        }
        if (n > 0 && n <= 63)
            RUN(f64, k_meeting_fields, n, 2, n, n / 2, A);
        if (n <= 16)
            RUN(f64, k_fields_again, n, n, A);
        if (n > 1 && n <= 13)
            RUN(f64, k_mixed_members, n, n, (void *)A);
        struct grid g = {n, A, B};
        RUN(f64, k_struct_of_arrays, n, &g);
        RUN(f64, k_local_array, n, n, A, B);
        if (n <= 25)
            RUN(f64, k_3d, n, n, A, B);
        RUN(f64, k_3d_shapes, n, n, 5, 7, A, B);
        RUN(f64, k_convolution, n, n, 5, A, B, C);
        RUN(f64, k_contraction, n, n, 4, 9, A, B, C);
        RUN(f64, k_zero, n, n, A);
        RUN(f64, k_packed, n, n, A);
    }
    RUN(f64, k_3d, 25, 25, A, B);
    return 0;
}
