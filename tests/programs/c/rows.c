/* Rows behind pointers: the guard reads the table before the nest and looks whether rows lie apart. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <sys/mman.h>
#include <unistd.h>

// transformed: yes
KERNEL void k_gemm(int ni, int nj, int nk, double **c, double **a, double **b) {
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            c[i][j] *= 0.5;
            for (int k = 0; k < nk; k++)
                c[i][j] += 0.01 * a[i][k] * b[k][j];
        }
}

// transformed: yes
KERNEL void k_columns(long n, double **a, double **b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i][j] = 0.5 * b[i][j] + 0.125;
}

/* The two rows of one table, and a table of structs. */
struct row {
    long length;
    double *data;
};

// transformed: yes
KERNEL void k_structs(long n, struct row *c, const struct row *a) {
    for (long j = 0; j < n; j++)
        for (long i = 1; i < n; i++)
            c[2 * i].data[j] = a[i - 1].data[j] + 0.25 * c[2 * i - 1].data[j];
}

/* Only rows above the diagonal are used: the first and the last row may be missing. */
// transformed: yes
KERNEL void k_triangle(long n, double **a, const double *x) {
    for (long j = 1; j < n - 1; j++)
        for (long i = 1; i < j; i++)
            a[i][j] += x[i] * x[j];
}

/* Pointers to pointers to rows. */
// transformed: yes
KERNEL void k_blocks(long n, double ***a, double ***b) {
    for (long k = 0; k < n; k++)
        for (long j = 0; j < n; j++)
            for (long i = 1; i < n; i++)
                a[i][j][k] = 0.5 * b[i - 1][j][k] + 0.25 * a[i][j][k];
}

/* The table ends with a row of no length: nothing may be read behind it. */
// transformed: yes
KERNEL void k_sentinel(long n, long m, const struct row *t, const double *x, double *c) {
    for (long i = 0; i < n; i++) {
        if (t[i].length < m)
            return;
        for (long j = 0; j < m; j++)
            for (long k = 0; k < m; k++)
                c[k * m + j] += t[i].data[k] * x[j];
    }
}

/* The entries are numbers to the compiler, too: stores into rows may change them. */
// transformed: yes
KERNEL void k_words(long n, unsigned long **a, const unsigned long *x) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i][j] = a[i][j] * 3 + x[i];
}

/* The nest changes the table. */
// transformed: no
KERNEL void k_swaps(long n, double **a, double **b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            a[i][j] += 1.0;
            a[i] = b[i] + j;
        }
}

/* Everything is of one type: a table may be a row, also of itself. */
struct cell {
    struct cell *at;
};

// transformed: yes
KERNEL void k_cells(long n, struct cell *a, struct cell *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i].at[j] = b[i].at[j];
}

/* The same of rows behind tables of pointers: a store to a row that is a table, too, changes which rows are written. */
// transformed: yes
KERNEL void k_planes(long n, struct cell *a, struct cell *x) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                a[i].at[j].at[k].at = x[k].at;
}

/* Too many pointers. */
// transformed: no
KERNEL void k_deep(long n, double ****a) {
    for (long l = 0; l < n; l++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                for (long i = 0; i < n; i++)
                    a[i][j][k][l] += 1.0;
}

/* Which row it is depends on data. */
// transformed: no
KERNEL void k_chosen(long n, double **a, const long *which) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[which[i]][j] += 1.0;
}

/* Whether a row is looked at depends on data: others may be missing. */
// transformed: no
KERNEL void k_missing(long n, double **a, const double *x) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if (x[i] > 0.5)
                a[i][j] += 1.0;
}

enum { MOST = 128 };
static double *rows[4][2 * MOST];
static struct row structs[2][2 * MOST];
static double *blocks[2][8][8], **tables[2][8];

/* Rows of a pool, rising, falling, mixed, with one row twice, overlapping, or with more room than needed; the last one before all
   others; the first ones far away; every second one far away; the first one in the middle of the last two. */
enum { RISING, FALLING, MIXED, TWICE, OVERLAPPING, WIDE, LAST_FIRST, TWO_RUNS, THREE_RUNS, MANY_RUNS, BURIED, LAYOUTS };
enum { FAR = 5400 };
FRAME void lay_out(double **table, double *pool, long n, int layout) {
    long step = layout == OVERLAPPING && n > 1 ? n - 1 : layout == WIDE ? n + 3 : n;
    for (long i = 0; i < n; i++) {
        long at = layout == FALLING ? n - 1 - i : layout == MIXED ? i * 17 % n : i;
        if (layout == LAST_FIRST)
            at = (i + 1) % n;
        table[i] = pool + at * step;
        if ((layout == TWO_RUNS || layout == THREE_RUNS) && i == 0)
            table[i] = pool + FAR;
        if (layout == THREE_RUNS && i == 1)
            table[i] = pool + 2 * FAR;
        if (layout == MANY_RUNS && i % 2)
            table[i] += FAR;
        if (layout == BURIED && i == 0)
            table[i] = pool + (n - 1) * n - n / 2;
    }
    if (layout == TWICE && n > 1)
        table[n - 1] = table[0];
}

/* Rows up to the end of a page, with no page behind it. */
FRAME void run_sentinel(long n, long m, double *data) {
    long page = sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0)
        return;
    struct row *end = (struct row *)(pages + page), *first = end - n - 1;
    for (long i = 0; i <= n; i++)
        first[i] = (struct row){i < n ? m : 0, data + i * m};
    reset_f64();
    k_sentinel(n, m, first, B, C);
    report("k_sentinel", n);
    reset_f64();
    k_sentinel(1000000, m, first, B, C);
    report("k_sentinel", n);
    munmap(pages, 2 * page);
}

static long chosen[MOST];
static struct cell cells[2 * 64 * 64 + 64];

/* The table of the rows that are written is nowhere in them, in the first, in the middle or in the last. */
FRAME void run_cells(long n, int place) {
    struct cell *from = cells + 64 * 64, *table = from + 64 * 64;
    for (long i = 0; i < 2 * 64 * 64 + 64; i++)
        cells[i].at = cells + i % 61 * (i % 7);
    long row = place == 1 ? 0 : place == 2 ? n / 2 : n - 1;
    if (place > 0 && n > 0)
        table = cells + row * n;
    /* The rows that are read hold pointers to rows, so that a new table is a good one. */
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            from[i * n + j].at = cells + (i + j) % n * n;
    static struct cell sources[64];
    for (long i = 0; i < n; i++) {
        sources[i].at = from + i * n;
        table[i].at = cells + i * n;
    }
    k_cells(n, table, sources);
    uint64_t hash = 1;
    for (long i = 0; i < 2 * 64 * 64; i++)
        hash = (hash ^ (uint64_t)(cells[i].at - cells)) * 1099511628211u;
    printf("k_cells %ld %d %016llx\n", n, place, (unsigned long long)hash);
}

/* Tables and the rows that they lead to in turns, as vectors of vectors of vectors have them; the last matrix before all others, and its last row before its table, as
   `vec![vec![row; n]; n]` makes them; with what was freed between them; with a table in a row, a row in a table, or two tables that overlap. */
enum { IN_TURNS, LAST_MATRIX_FIRST, WITH_GAPS, TABLE_IN_ROW, ROW_IN_TABLE, TABLES_OVERLAP, TURNS };
FRAME void run_planes(long n, int layout) {
    static struct cell memory[1 << 14], matrices[24], values[24];
    struct cell *spare = memory + (1 << 14) - 24 * 24, *next = memory, *last = NULL;
    for (long i = 0; i < 1 << 14; i++)
        memory[i].at = spare + i * 7 % (n + 1) * 24;
    for (long k = 0; k < n; k++)
        values[k].at = spare + (k + 1) * 5 % (n + 1) * 24;
    for (long k = 0; k < n; k++) {
        long i = layout == LAST_MATRIX_FIRST ? (k + n - 1) % n : k;
        if (layout == LAST_MATRIX_FIRST && i == n - 1) {
            last = next;
            next += n + 2;
        }
        struct cell *table = matrices[i].at = layout == TABLES_OVERLAP && i == 1 ? matrices[0].at + 1 : next;
        next += n + 2;
        for (long j = 0; j < n; j++) {
            int is_last = last && i == n - 1 && j == n - 1;
            table[j].at = is_last ? last : next;
            next += is_last ? 0 : n + 2;
            if (layout == WITH_GAPS && (i + j) % 5 == 2)
                next += 3 * n;
        }
    }
    if (layout == TABLE_IN_ROW && n > 1) {
        struct cell *row = matrices[n / 2].at[n - 1].at;
        for (long j = 0; j < n; j++)
            row[j] = matrices[n - 1].at[j];
        matrices[n - 1].at = row;
    }
    if (layout == ROW_IN_TABLE && n > 1)
        matrices[n / 2].at[n / 3].at = matrices[n - 1].at;
    k_planes(n, matrices, values);
    report_pointers("k_planes", n, layout, memory, 1 << 14);
}

MAIN {
    for (long n = 0; n <= 20; n++)
        for (int layout = 0; layout < TURNS; layout++)
            run_planes(n, layout);
    double *a = A, *b = B, *c = C, *d = D;
    FOR_SIZES(n) {
        if (n > 65)
            continue;
        for (int layout = 0; layout < LAYOUTS; layout++) {
            lay_out(rows[0], a, n, layout);
            lay_out(rows[1], b, n, layout);
            lay_out(rows[2], c, n, layout == OVERLAPPING ? RISING : layout);
            RUN(f64, k_gemm, layout, n, n, n, rows[2], rows[0], rows[1]);
            RUN(f64, k_gemm, layout, n, n, n, rows[0], rows[0], rows[1]);
            RUN(f64, k_gemm, layout, n, n, n, rows[0], rows[1], rows[2]);
            RUN(f64, k_gemm, layout, n, 1, n, rows[2], rows[0], rows[1]);
            RUN(f64, k_columns, layout, n, rows[0], rows[1]);
            RUN(f64, k_columns, layout, n, rows[1], rows[1]);
            /* A row of one in the other. */
            double *kept = rows[0][n / 2];
            rows[0][n / 2] = rows[2][n / 3];
            RUN(f64, k_gemm, layout, n, n, n, rows[2], rows[0], rows[1]);
            RUN(f64, k_columns, layout, n, rows[0], rows[2]);
            rows[0][n / 2] = kept;
            lay_out(rows[3], a, 2 * n, layout);
            for (long i = 0; i < 2 * n; i++)
                structs[0][i].data = rows[3][i];
            for (long i = 0; i < n; i++)
                structs[1][i].data = rows[1][i];
            if (n < 64)
                RUN(f64, k_structs, layout, n, structs[0], structs[1]);
            kept = rows[0][0];
            rows[0][0] = NULL;
            RUN(f64, k_triangle, layout, n, rows[0], b);
            RUN(f64, k_triangle, layout, n, rows[0], rows[0][n / 2] ? rows[0][n / 2] : b);
            rows[0][0] = kept;
            RUN(bits, k_words, layout, n, (void *)rows[0], (void *)b);
            if (n > 0) {
                for (long i = 0; i < n; i++)
                    rows[3][i] = d + i * n;
                RUN(f64, k_swaps, layout, n, rows[3], rows[0]);
            }
            for (long i = 0; i < n; i++)
                chosen[i] = i * 5 % n;
            RUN(f64, k_chosen, layout, n, rows[0], chosen);
            reset_f64();
            for (long i = 0; i < n; i++)
                rows[3][i] = b[i] > 0.5 ? rows[0][i] : NULL;
            k_missing(n, rows[3], b);
            report("k_missing", layout);
        }
        run_sentinel(n, n, A);
        if (n < 64)
            for (int table = 0; table < 4; table++)
                run_cells(n, table);
        if (n <= 8) {
            for (int layout = 0; layout < LAYOUTS; layout++) {
                for (int side = 0; side < 2; side++)
                    for (int i = 0; i < n; i++) {
                        lay_out(rows[0], (side ? b : a) + i * n * (n + 3), n, layout);
                        for (int j = 0; j < n; j++)
                            blocks[side][i][j] = rows[0][j];
                        tables[side][i] = blocks[side][layout == TWICE && i + 1 == n ? 0 : i];
                    }
                RUN(f64, k_blocks, layout, n, tables[0], tables[1]);
                RUN(f64, k_blocks, layout, n, tables[1], tables[1]);
                if (n > 0) {
                    double ***deep[1] = {tables[0]};
                    RUN(f64, k_deep, layout, 1, deep);
                }
            }
        }
    }
    /* Rows of three arrays in turns, every second time with one that is out of step. */
    for (int shift = -1; shift <= 65; shift += 11)
        FOR_SIZES(n) {
            if (n > 64)
                continue;
            for (long i = 0; i < n; i++)
                for (int side = 0; side < 3; side++)
                    rows[side][i] = A + 64 + 3 * n * i + side * n;
            if (shift >= 0 && n > 0)
                rows[2][n / 2] += shift;
            RUN(f64, k_gemm, shift, n, n, n, rows[2], rows[0], rows[1]);
            RUN(f64, k_columns, shift, n, rows[2], rows[1]);
            for (long i = 0; i < n; i++)
                rows[2][i] = A + 64 + 3 * n * i + shift;
            RUN(f64, k_gemm, shift, n, n, n, rows[2], rows[0], rows[1]);
            RUN(f64, k_columns, shift, n, rows[2], rows[1]);
            for (long i = 0; i < n; i++)
                rows[2][i] = A + 64 + n / 2 * i;
            RUN(f64, k_columns, shift, n, rows[2], rows[1]);
        }
    return 0;
}
