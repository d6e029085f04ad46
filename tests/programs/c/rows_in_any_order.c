/* Rows that lie in no order, as in a heap that was used before: the guard lists them. Some lie side by side with no byte between them, some overlap by
   one element, by a half or as a whole, some are in a table. */
#include "check.h"
#include <stdlib.h>

// transformed: yes
KERNEL void k_product(long n, double **c, double **a, double **b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}

/* What overlaps shows here: a row that is written first by columns. */
// transformed: yes
KERNEL void k_across(long n, double **a, double **b) {
    for (long j = 0; j < n; j++)
        for (long i = 1; i < n; i++)
            a[i][j] = 0.5 * a[i - 1][j] + b[i][j];
}

/* Beside a plain array. */
// transformed: yes
KERNEL void k_beside(long n, double **a, const double *x) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i][j] = a[i][j] * 0.75 + x[j];
}

/* Rows that are longer than those of the other array. */
// transformed: yes
KERNEL void k_lengths(long n, float **a, double **b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i][2 * j] = (float)b[i][j] + a[i][2 * j];
}

/* Planes, looked at as a stencil reads them: the tables between the rows come by three times. */
// transformed: yes
KERNEL void k_stencil(long times, long n, double ***a, double ***b) {
    for (long t = 0; t < times; t++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                for (long k = 1; k < n - 1; k++)
                    b[i][j][k] = 0.125 * (a[i + 1][j][k] + a[i - 1][j][k] + a[i][j + 1][k] + a[i][j - 1][k]) + a[i][j][k];
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                for (long k = 1; k < n - 1; k++)
                    a[i][j][k] = 0.125 * (b[i + 1][j][k] + b[i - 1][j][k] + b[i][j + 1][k] + b[i][j - 1][k]) + b[i][j][k];
    }
}

/* Elements are pointers themselves, so that a table in a row, or a row in a table, has the type of what is written. */
struct cell {
    struct cell *at;
};

// transformed: yes
KERNEL void k_turns(long n, struct cell *a, struct cell *x) {
    for (long k = 0; k < n; k++)
        for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j++)
                a[i].at[j].at[k].at = x[j].at;
}

enum { APART, BY_ONE, BY_HALF, SAME, IN_OTHER, OTHER_IN_TABLE, WAYS };
enum { WIDE = 42, PLACES = LENGTH / WIDE };

static double *rows[4][64], *planes[2][16][16], **tables[2][16];

/* A random order of places. */
FRAME void shuffle(long *order, long n) {
    for (long i = 0; i < n; i++)
        order[i] = i;
    for (long i = n - 1; i > 0; i--) {
        long j = (long)(next_bits() % (uint64_t)(i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

/* Rows of `n` elements one behind the other without a gap, in any order, but for what a way says of one of them. */
FRAME void scatter(double **table, double *pool, long n, int way) {
    static long order[64];
    shuffle(order, n);
    for (long i = 0; i < n; i++)
        table[i] = pool + order[i] * n;
    long one = n / 3, other = n - 1;
    if (way == BY_ONE)
        table[one] = table[other] + (order[other] == n - 1 ? 1 - n : n - 1);
    if (way == BY_HALF)
        table[one] = table[other] + n / 2;
    if (way == SAME)
        table[one] = table[other];
}

FRAME void run_planes(long times, long n, int way) {
    static long order[512];
    shuffle(order, 2 * n * n);
    for (long side = 0; side < 2; side++)
        for (long i = 0; i < n; i++) {
            tables[side][i] = planes[side][i];
            for (long j = 0; j < n; j++)
                planes[side][i][j] = (double *)A + order[(side * n + i) * n + j] * n;
        }
    if (way == BY_ONE)
        planes[1][n / 2][1] = planes[0][1][n / 2] + 1 - n % 2;
    if (way == SAME)
        tables[1][n / 2] = tables[1][n / 3];
    if (way == IN_OTHER)
        tables[1][n / 2] = tables[0][n / 3];
    reset_f64();
    k_stencil(times, n, tables[0], tables[1]);
    report("k_stencil", n * 100 + way);
}

FRAME void run_turns(long n, int way) {
    static struct cell memory[1 << 13], matrices[16], values[16];
    static long order[512];
    long blocks = n + n * n;
    shuffle(order, blocks);
    struct cell *spare = memory + (1 << 13) - 18 * 17;
    for (long i = 0; i < 1 << 13; i++)
        memory[i].at = spare + i * 7 % (n + 1) * 17;
    for (long k = 0; k < n; k++)
        values[k].at = spare + (k + 1) * 5 % (n + 1) * 17;
    for (long i = 0; i < n; i++) {
        matrices[i].at = memory + order[i * (n + 1)] * n;
        for (long j = 0; j < n; j++)
            matrices[i].at[j].at = memory + order[i * (n + 1) + 1 + j] * n;
    }
    if (way == BY_ONE)
        matrices[n / 2].at[n / 3].at += 1;
    if (way == SAME)
        matrices[n / 2].at = matrices[n / 3].at;
    if (way == IN_OTHER) {
        /* A table in a row. */
        struct cell *row = matrices[n / 2].at[n - 1].at;
        for (long j = 0; j < n; j++)
            row[j] = matrices[n - 1].at[j];
        matrices[n - 1].at = row;
    }
    if (way == OTHER_IN_TABLE)
        matrices[n / 2].at[n / 3].at = matrices[n - 1].at;
    k_turns(n, matrices, values);
    report_pointers("k_turns", n, way, memory, 1 << 13);
}

MAIN {
    static long order[PLACES];
    static float *singles[64];
    for (long n = 2; n <= 40; n += n < 12 ? 1 : 7)
        for (int way = 0; way < WAYS; way++) {
            state_ = (uint64_t)(n * WAYS + way);
            scatter(rows[0], A, n, way);
            scatter(rows[1], B, n, APART);
            scatter(rows[2], C, n, way);
            if (way == IN_OTHER)
                rows[0][n / 2] = rows[1][n / 3] + 1;
            reset_f64();
            k_product(n, rows[0], rows[1], rows[2]);
            report("k_product", n * 100 + way);
            reset_f64();
            k_across(n, rows[0], rows[1]);
            report("k_across", n * 100 + way);
            reset_f64();
            k_beside(n, rows[0], way == OTHER_IN_TABLE ? rows[0][n / 2] : (double *)D);
            report("k_beside", n * 100 + way);
            for (long i = 0; i < n; i++)
                singles[i] = (float *)rows[2][i];
            reset_f32();
            k_lengths(n, singles, rows[1]);
            report("k_lengths", n * 100 + way);
            /* All in one pool. */
            shuffle(order, PLACES);
            for (long i = 0; i < 3 * n; i++)
                rows[i / n][i % n] = (double *)A + order[i] * WIDE;
            if (way == IN_OTHER)
                rows[0][n / 2] = rows[1][n / 3] + n - 1;
            reset_f64();
            k_product(n, rows[0], rows[1], rows[2]);
            report("k_product", n * 100 + way);
            if (n <= 12) {
                run_turns(n, way);
                run_planes(3, n, way);
            }
        }
}
