/* Arrays whose elements belong together: points with coordinates, complex numbers, every second element. What the innermost loop reads in steps
 * of a record is copied side by side, field by field, if another loop comes back to it. */
#include "check.h"

struct complex { double re, im; };
struct point { float x, y, z; };

/* Distances between all points: the coordinates of the second one are copied. */
// transformed: yes
KERNEL void k_distances(long n, long m, float *restrict distance, const struct point *restrict a,
                        const struct point *restrict b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) {
            float x = a[i].x - b[j].x, y = a[i].y - b[j].y, z = a[i].z - b[j].z;
            distance[i * m + j] = x * x + y * y + z * z;
        }
}

/* Points of sixteen coordinates, one behind the other. */
// transformed: yes
KERNEL void k_dimensions(long n, float *restrict distance, const float *restrict a) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            float sum = 0;
            for (long k = 0; k < 16; k++) {
                float difference = a[i * 16 + k] - a[j * 16 + k];
                sum += difference * difference;
            }
            distance[i * n + j] = sum;
        }
}

/* Two sums per element. */
// transformed: yes
KERNEL void k_complex(long n, struct complex c[n][n], struct complex a[n][n], struct complex b[n][n]) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double re = 0, im = 0;
            for (long k = 0; k < n; k++) {
                re += a[i][k].re * b[k][j].re - a[i][k].im * b[k][j].im;
                im += a[i][k].re * b[k][j].im + a[i][k].im * b[k][j].re;
            }
            c[i][j].re = re;
            c[i][j].im = im;
        }
}

/* A real product of the imaginary parts: the second factor is read in steps of a record. */
// transformed: yes
KERNEL void k_parts(long n, double *restrict c, const struct complex *restrict a, const struct complex *restrict b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k].im * b[k * n + j].im;
}

/* Every array in steps of its own; the sums leave gaps. */
// transformed: yes
KERNEL void k_steps(long n, double *restrict c, const double *restrict a, const double *restrict b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[2 * (i * n + j)] += a[3 * (i * n + k)] * b[2 * (k * n + j) + 1];
}

/* Two results from the same copies. */
// transformed: any
KERNEL void k_two(long n, double *restrict c, double *restrict d, const double *restrict a, const double *restrict b) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++) {
                c[i * n + j] += a[2 * (k * n + j)] * 0.5;
                d[i * n + j] -= a[2 * (k * n + j) + 1] * b[i * n + k];
            }
}

/* The second factor from the back. */
// transformed: any
KERNEL void k_backwards(long n, double *restrict c, const double *restrict a, const double *restrict b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + n - 1 - j];
}

MAIN {
    FOR_SIZES(n) {
        long m = n < 50 ? n : 50;
        RUN(f32, k_distances, n, n, 70, A, B, C);
        RUN(f32, k_distances, n, n, n, A, B, C);
        RUN(f32, k_dimensions, n, n, A, B);
        RUN(f64, k_complex, n, m, A, B, C);
        RUN(f64, k_parts, n, m, A, B, C);
        RUN(f64, k_steps, n, m, A, B, C);
        RUN(f64, k_two, n, m, A, B, C, D);
        RUN(f64, k_backwards, n, n, A, B, C);
    }
    return 0;
}
