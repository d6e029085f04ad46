/* Blocks of one matrix: arrays that overlap as a whole, but lie side by side in its rows, or nearly so. What overlaps shows in the order of stores. */
#include "check.h"

// transformed: yes
KERNEL void k_product(long n, long ld, double *c, const double *a, const double *b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * ld + j] -= a[i * ld + k] * b[k * ld + j];
}

/* Rows whose length the compiler knows, from the last one to the first. */
enum { LD = 200 };
// transformed: yes
KERNEL void k_known(int n, double (*a)[LD], double (*b)[LD]) {
    for (int j = 0; j < n; j++)
        for (int i = n - 1; i >= 1; i--)
            a[i][j] = 0.5 * b[i - 1][j] + a[i][j];
}

/* Every second column, of two halves that begin inside of their rows. */
// transformed: yes
KERNEL void k_second(long n, long ld, float *a, const float *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * ld + 2 * j + 1] = 0.25f * b[i * ld + 2 * j] + a[i * ld + 2 * j + 1];
}

/* Three dimensions: rows of planes. */
// transformed: yes
KERNEL void k_planes(long n, long rows, long ld, double (*a)[rows][ld], double (*b)[rows][ld]) {
    for (long k = 0; k < n; k++)
        for (long j = 0; j < n; j++)
            for (long i = 0; i < n; i++)
                a[i][j][k] = b[j][i][k] * 0.5 + a[i][j][k];
}

/* Not as many columns in each row. */
// transformed: yes
KERNEL void k_triangle(long n, long ld, double *c, const double *a) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++)
            for (long k = 0; k < n; k++)
                c[i * ld + j] += a[i * ld + k] * a[j * ld + k];
}

/* Rows of different lengths are not side by side. */
// transformed: yes
KERNEL void k_lengths(long n, long ld, long other, double *c, const double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            c[i * ld + j] = a[i * other + j] * 0.75;
}

static const long shifts[] = {0, 1, 6, 7, 8, 13, 14};
enum { SHIFTS = sizeof shifts / sizeof *shifts, MIDDLE = LENGTH / 2 };

MAIN {
    double *middle = (double *)B + MIDDLE;
    for (long n = 2; n <= 7; n += n == 2 ? 4 : 1)
        for (long rows = -1; rows <= 1; rows++)
            for (int at = 0; at < SHIFTS; at++)
                for (int side = -1; side <= 1; side += 2) {
                    /* Three blocks in a row of 20 elements: the first one and another one, and one behind both or in between. */
                    long ld = 20, shift = rows * ld + side * shifts[at], number = ((n * 5 + rows) * SHIFTS + at) * 2 + (side > 0);
                    reset_f64();
                    k_product(n, ld, middle, middle + shift, middle + 2 * shift);
                    report("k_product", number);
                    reset_f64();
                    k_product(n, ld, middle, middle + shift, C);
                    report("k_product", number);
                    reset_f64();
                    k_known((int)n, (void *)middle, (void *)(middle + rows * LD + side * shifts[at]));
                    report("k_known", number);
                    reset_f32();
                    k_second(n, ld, (float *)middle, (float *)middle + shift);
                    report("k_second", number);
                    reset_f64();
                    k_planes(n, n, ld, (void *)middle, (void *)(middle + shift));
                    report("k_planes", number);
                    reset_f64();
                    k_triangle(n, ld, middle, middle + shift);
                    report("k_triangle", number);
                    reset_f64();
                    k_lengths(n, ld, ld + 1, middle, middle + shift);
                    report("k_lengths", number);
                }
    /* Blocks of a large matrix, and one column less between them. */
    for (long n = 30; n <= 50; n += 10)
        for (long less = 0; less <= 1; less++) {
            long ld = 2 * n;
            double *matrix = B;
            reset_f64();
            k_product(n, ld, matrix + n * ld + n - less, matrix + n * ld, matrix + n);
            report("k_product", n);
            reset_f64();
            k_triangle(n, ld, matrix + n * ld + n - less, matrix + n * ld);
            report("k_triangle", n);
        }
}
