/* Products whose multiplications and additions are separate: on machines with many wide registers their sums stay there while the loop over terms runs. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <sys/mman.h>
#include <unistd.h>
#pragma clang fp contract(off)

// transformed: yes
KERNEL void k_product(long n, double a[n][n], double b[n][n], double c[n][n]) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}

// transformed: yes
KERNEL void k_floats(int n, float a[n][n], float b[n][n], float c[n][n]) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i][j] -= a[i][k] * b[k][j];
}

/* Rows, terms and columns of different numbers, both factors the other way round. */
// transformed: yes
KERNEL void k_transposed(long n, long m, long l, double a[l][n], double b[m][l], double c[n][m]) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            for (long k = 0; k < l; k++)
                c[i][j] += a[k][i] * b[j][k];
}

// transformed: yes
KERNEL void k_scaled(long n, double alpha, double beta, double a[n][n], double b[n][n], double c[n][n]) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            c[i][j] *= beta;
            for (long k = 0; k < n; k++)
                c[i][j] += alpha * a[i][k] * b[k][j];
        }
}

/* Sums from the last term to the first, columns that begin with the third one. */
// transformed: yes
KERNEL void k_backwards(long n, double a[n][n], double b[n][n], double c[n][n]) {
    for (long i = 1; i < n; i++)
        for (long k = n - 1; k >= 0; k--)
            for (long j = 2; j < n; j++)
                c[i][j] = c[i][j] - a[i][k] * b[k][j];
}

// transformed: yes
KERNEL void k_least(long n, double a[n][n], double b[n][n], double c[n][n]) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                c[i][j] = a[i][k] + b[k][j] < c[i][j] ? a[i][k] + b[k][j] : c[i][j];
}

/* The factors in every second place, and of one array. */
// transformed: yes
KERNEL void k_strided(long n, double a[n][2 * n], double c[n][n]) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                c[i][j] += a[i][2 * k] * a[k][2 * j + 1];
}

// transformed: yes
KERNEL void k_batches(long n, double a[3][n][n], double b[3][n][n], double c[3][n][n]) {
    for (long t = 0; t < 3; t++)
        for (long i = 0; i < n; i++)
            for (long k = 0; k < n; k++)
                for (long j = 0; j < n; j++)
                    c[t][i][j] += a[t][i][k] * b[t][k][j];
}

/* Terms of a triangle of columns: the loops are no rectangle. */
// transformed: yes
KERNEL void k_triangle(long n, double a[n][n], double b[n][n], double c[n][n]) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j <= i; j++)
                c[i][j] += a[i][k] * b[k][j];
}

/* Sums in single elements of a row that the next column begins with. */
// transformed: any
KERNEL void k_row_of_sums(long n, double a[n][n], double c[n]) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                c[j] += a[i][k] * a[k][j];
}

// transformed: yes
KERNEL void k_constant(double a[48][100], double b[100][80], double c[48][80]) {
    for (long i = 0; i < 48; i++)
        for (long j = 0; j < 70; j++)
            for (long k = 0; k < 100; k++)
                c[i][j] += a[i][k] * b[k][j];
}

/* A triangle whose rows end in the middle of a vector, next to what must not change. */
// transformed: yes
KERNEL void k_rank(long n, long m, double a[n][m], double c[n][n]) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < m; k++)
            for (long j = 0; j <= i; j++)
                c[i][j] += a[i][k] * a[j][k];
}

/* A product whose second factor and result end where memory does: the lanes behind the last column have no places. */
FRAME void run_at_the_end(long n) {
    long page = sysconf(_SC_PAGESIZE), room = (n * n * 8 + page - 1) / page * page;
    char *pages = mmap(NULL, 2 * (room + page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return;
    double *end[2];
    for (int i = 0; i < 2; i++) {
        char *behind = pages + (i + 1) * (room + page) - page;
        if (mprotect(behind, page, PROT_NONE) != 0)
            return;
        end[i] = (double *)behind - n * n;
    }
    reset_f64();
    memcpy(end[0], B, n * n * 8);
    memcpy(end[1], C, n * n * 8);
    k_product(n, A, (void *)end[0], (void *)end[1]);
    memcpy(D, end[1], n * n * 8);
    report("k_product at the end", n);
    munmap(pages, 2 * (room + page));
}

MAIN {
    for (long n = 1; n < 80; n += n < 50 ? 1 : 7)
        run_at_the_end(n);
    FOR_SIZES(n) {
        RUN(f64, k_rank, n, n, (n + 17) % 60, A, C);
        RUN(f64, k_product, n, n, A, B, C);
        RUN(f32, k_floats, n, n, A, B, C);
        RUN(f64, k_transposed, n, n, (n + 40) % 90, (n + 7) % 50, A, B, C);
        RUN(f64, k_scaled, n, n, 1.5, -0.75, A, B, C);
        RUN(f64, k_backwards, n, n, A, B, C);
        RUN(f64, k_least, n, n, A, B, C);
        if (n <= 65)
            RUN(f64, k_strided, n, n, A, C);
        if (n <= 70)
            RUN(f64, k_batches, n, n, A, B, C);
        RUN(f64, k_triangle, n, n, A, B, C);
        RUN(f64, k_row_of_sums, n, n, A, C);
    }
    RUN(f64, k_constant, 48, A, B, C);
    /* Rows that are long enough to be copied, in three panels. */
    RUN(f32, k_floats, 170, 170, A, B, C);
    return 0;
}
