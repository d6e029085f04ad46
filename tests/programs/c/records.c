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

/* The same with the sums in memory, and numbers of two floats. */
// transformed: yes
KERNEL void k_pairs(long n, long m, float *restrict c, const float *restrict a, const float *restrict b) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < m; k++)
            for (long j = 0; j < n; j++) {
                c[2 * (i * n + j)] += a[2 * (i * m + k)] * b[2 * (k * n + j)] - a[2 * (i * m + k) + 1] * b[2 * (k * n + j) + 1];
                c[2 * (i * n + j) + 1] += a[2 * (i * m + k)] * b[2 * (k * n + j) + 1] + a[2 * (i * m + k) + 1] * b[2 * (k * n + j)];
            }
}

/* All coordinates with the same weight. */
// transformed: yes
KERNEL void k_blend(long n, struct point to[n][n], float weight[n][n], struct point from[n][n]) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++) {
                to[i][j].x += weight[i][k] * from[k][j].x;
                to[i][j].y += weight[i][k] * from[k][j].y;
                to[i][j].z += weight[i][k] * from[k][j].z;
            }
}

/* Four integers, each of another one of the second factor; the last one is computed of the sums of the first two. */
// transformed: yes
KERNEL void k_colours(long n, int to[n][n][4], int weight[n][n], int from[n][n][4]) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++) {
                to[i][j][0] += weight[i][k] * from[k][j][3];
                to[i][j][1] -= weight[i][k] * from[k][j][1];
                to[i][j][2] ^= weight[i][k] + from[k][j][0];
                to[i][j][3] += to[i][j][0] - to[i][j][1] + from[k][j][2];
            }
}

/* One field is only read: nothing may be stored into it, also not what is there. */
// transformed: any
KERNEL void k_one_field(long n, struct complex c[n][n], double a[n][n], struct complex b[n][n]) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                c[i][j].re += a[i][k] * b[k][j].re * b[k][j].im + c[i][j].im;
}

/* Triangles of complex numbers: rows end in the middle of vectors. */
// transformed: any
KERNEL void k_triangle(long n, struct complex c[n][n], struct complex a[n][n], struct complex b[n][n]) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j <= i; j++) {
                c[i][j].re += a[i][k].re * b[k][j].re + a[i][k].im * b[k][j].im;
                c[i][j].im += a[i][k].im * b[k][j].re - a[i][k].re * b[k][j].im;
            }
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
        RUN(f32, k_pairs, n, m, m - m / 3, A, B, C);
        RUN(f32, k_blend, n, n, A, B, C);
        RUN(bits, k_colours, n, m, A, B, C);
        RUN(f64, k_one_field, n, m, A, B, C);
        RUN(f64, k_triangle, n, m, A, B, C);
    }
    return 0;
}
