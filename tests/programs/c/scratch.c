/* Rows of scratch memory that one iteration after the other fills, adds to and reads; some keep something from one to the next. */
#include "check.h"

// transformed: yes
KERNEL void k_tensor(long nr, long nq, long np, double a[nr][nq][np], double row[np], double c[np][np]) {
    for (long r = 0; r < nr; r++)
        for (long q = 0; q < nq; q++) {
            for (long p = 0; p < np; p++) {
                row[p] = 0.0;
                for (long s = 0; s < np; s++)
                    row[p] += a[r][q][s] * c[s][p];
            }
            for (long p = 0; p < np; p++)
                a[r][q][p] = row[p];
        }
}

/* Zeros by memset, sums of integers, counters of 32 bits, a row that begins behind its array. */
// transformed: yes
KERNEL void k_integers(unsigned n, unsigned m, unsigned *restrict a, unsigned *restrict b, unsigned *restrict row) {
    for (unsigned q = 0; q < m; q++) {
        for (unsigned p = 0; p < n; p++)
            row[p + 3] = 0;
        for (unsigned s = 0; s < n; s++)
            for (unsigned p = 0; p < n; p++)
                row[p + 3] += a[q * n + s] * b[s * n + p];
        for (unsigned p = 0; p < n; p++)
            a[q * n + p] += row[p + 3];
    }
}

/* The last element of the row keeps what was there. */
// transformed: any
KERNEL void k_kept(int n, int m, float *restrict a, float *restrict b, float *restrict row) {
    for (int q = 0; q < m; q++) {
        for (int p = 0; p < n - 1; p++)
            row[p] = a[q * n + p];
        for (int s = 0; s < n; s++)
            for (int p = 0; p < n; p++)
                row[p] += 0.25f * a[q * n + s] * b[s * n + p];
        for (int p = 0; p < n; p++)
            a[q * n + p] = row[p];
    }
}

/* Every second row is not filled. */
// transformed: any
KERNEL void k_now_and_then(long n, long m, double *restrict a, double *restrict b, double *restrict row) {
    for (long q = 0; q < m; q++) {
        for (long p = 0; p < n; p++)
            if (q % 2 == 0)
                row[p] = 1.0;
        for (long s = 0; s < n; s++)
            for (long p = 0; p < n; p++)
                row[p] += 0.25 * a[q * n + s] * b[s * n + p];
        for (long p = 0; p < n; p++)
            a[q * n + p] = row[p];
    }
}

/* Two rows, one of which is computed from the other; the second is longer than what is written back. */
// transformed: any
KERNEL void k_two_rows(long n, long m, double *restrict a, double *restrict b, double *restrict first, double *restrict second) {
    for (long q = 0; q < m; q++) {
        for (long p = 0; p < n; p++)
            first[p] = 0.5;
        for (long s = 0; s < n; s++)
            for (long p = 0; p < n; p++)
                first[p] += a[q * n + s] * b[s * n + p];
        for (long p = 0; p < n; p++)
            second[p] = first[n - 1 - p];
        for (long s = 0; s < n; s++)
            for (long p = 0; p < n; p++)
                second[p] -= first[s] * b[s * n + p];
        for (long p = 0; p < n - 1; p++)
            a[q * n + p] = second[p];
    }
}

/* The row is a part of what is multiplied in some calls, or a row of the matrix. */
// transformed: any
KERNEL void k_overlap(long n, long m, double *a, double *b, double *row) {
    for (long q = 0; q < m; q++) {
        for (long p = 0; p < n; p++)
            row[p] = 0.0;
        for (long s = 0; s < n; s++)
            for (long p = 0; p < n; p++)
                row[p] += 0.125 * a[q * n + s] * b[s * n + p];
        for (long p = 0; p < n; p++)
            a[q * n + p] = row[p];
    }
}

/* Columns of what is multiplied, and a triangle. */
// transformed: any
KERNEL void k_triangle(long n, double *restrict a, double *restrict b, double *restrict row) {
    for (long q = 0; q < n; q++) {
        for (long p = 0; p < n; p++) {
            row[p] = a[p * n + q];
            for (long s = 0; s < q; s++)
                row[p] -= 0.125 * a[s * n + q] * b[p * n + s];
        }
        for (long p = 0; p < n; p++)
            a[p * n + q] = row[p];
    }
}

MAIN {
    FOR_SIZES(n) {
        for (int m = 0; m < 40; m += m < 5 ? 1 : 11) {
            RUN(f64, k_tensor, n, 2, m, n, A, B, C);
            RUN(bits, k_integers, n, n, m, A, B, C);
            RUN(f32, k_kept, n, n, m, A, B, C);
            RUN(f64, k_now_and_then, n, n, m, A, B, C);
            RUN(f64, k_two_rows, n, n, m, A, B, C, D);
            RUN(f64, k_overlap, n, n, m, A, B, C);
            RUN(f64, k_overlap, n, n, m, A, B, (double *)A + n);
            RUN(f64, k_overlap, n, n, m, A, B, (double *)B + 2 * n + 1);
        }
        RUN(f64, k_triangle, n, n, A, B, C);
    }
    return 0;
}
