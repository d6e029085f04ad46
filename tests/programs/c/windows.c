/* Sums over windows that move over an image: convolutions, correlations, poolings, in the orders of dimensions that libraries have. Windows may be larger
   than the image, or empty, and in some calls the arrays overlap. */
#include "check.h"

#define greatest(a, b) ((a) > (b) ? (a) : (b))

/* What calls have: rows and columns of the image, those of the window, channels of the image and of the result. */
struct shape { int h, w, r, s, c, k; };

/* Channels last, and those of the result outermost in the weights. */
// transformed: yes
KERNEL void k_nhwc_krsc(struct shape z, const float *in, const float *wt, const float *bias, float *out) {
    int rows = z.h - z.r + 1, columns = z.w - z.s + 1;
    for (int p = 0; p < rows; p++)
        for (int q = 0; q < columns; q++)
            for (int k = 0; k < z.k; k++) {
                float x = bias[k];
                for (int r = 0; r < z.r; r++)
                    for (int s = 0; s < z.s; s++)
                        for (int c = 0; c < z.c; c++)
                            x += in[((p + r) * z.w + q + s) * z.c + c] * wt[((k * z.r + r) * z.s + s) * z.c + c];
                out[(p * columns + q) * z.k + k] = x;
            }
}

/* Those of the result innermost. */
// transformed: yes
KERNEL void k_nhwc_rsck(struct shape z, const double *in, const double *wt, double *out) {
    long rows = z.h - z.r + 1, columns = z.w - z.s + 1;
    for (long p = 0; p < rows; p++)
        for (long q = 0; q < columns; q++)
            for (long k = 0; k < z.k; k++) {
                double x = 0;
                for (long r = 0; r < z.r; r++)
                    for (long s = 0; s < z.s; s++)
                        for (long c = 0; c < z.c; c++)
                            x += in[((p + r) * z.w + q + s) * z.c + c] * wt[((r * z.s + s) * z.c + c) * z.k + k];
                out[(p * columns + q) * z.k + k] = x;
            }
}

// transformed: yes
KERNEL void k_into_memory(struct shape z, const float *restrict in, const float *restrict wt, float *restrict out) {
    long rows = z.h - z.r + 1, columns = z.w - z.s + 1;
    for (long p = 0; p < rows; p++)
        for (long q = 0; q < columns; q++) {
            for (long k = 0; k < z.k; k++)
                out[(p * columns + q) * z.k + k] = 0;
            for (long r = 0; r < z.r; r++)
                for (long s = 0; s < z.s; s++)
                    for (long c = 0; c < z.c; c++)
                        for (long k = 0; k < z.k; k++)
                            out[(p * columns + q) * z.k + k] +=
                                in[((p + r) * z.w + q + s) * z.c + c] * wt[((r * z.s + s) * z.c + c) * z.k + k];
        }
}

/* Arrays whose dimensions are arguments. */
// transformed: yes
KERNEL void k_arrays(int h, int w, int n, int m, float in[h][w][n], float wt[3][3][n][m], float bias[m], float out[h][w][m]) {
    for (int p = 0; p < h - 2; p++)
        for (int q = 0; q < w - 2; q++)
            for (int k = 0; k < m; k++) {
                float x = bias[k];
                for (int r = 0; r < 3; r++)
                    for (int s = 0; s < 3; s++)
                        for (int c = 0; c < n; c++)
                            x += in[p + r][q + s][c] * wt[r][s][c][k];
                out[p][q][k] = greatest(x, 0.0f);
            }
}

/* Channels first, and summed first. */
// transformed: yes
KERNEL void k_nchw(struct shape z, const double *restrict in, const double *restrict wt, double *restrict out) {
    int rows = z.h - 2, columns = z.w - 2;
    for (int k = 0; k < z.k; k++)
        for (int p = 0; p < rows; p++)
            for (int q = 0; q < columns; q++) {
                double x = 0;
                for (int c = 0; c < z.c; c++)
                    for (int r = 0; r < 3; r++)
                        for (int s = 0; s < 3; s++)
                            x += in[(c * z.h + p + r) * z.w + q + s] * wt[((k * z.c + c) * 3 + r) * 3 + s];
                out[(k * rows + p) * columns + q] = x;
            }
}

/* The same with a whole row of the result for each weight. */
// transformed: yes
KERNEL void k_nchw_by_rows(struct shape z, const float *in, const float *wt, float *out) {
    int rows = z.h - z.r + 1, columns = z.w - z.s + 1;
    for (int k = 0; k < z.k; k++)
        for (int c = 0; c < z.c; c++)
            for (int r = 0; r < z.r; r++)
                for (int s = 0; s < z.s; s++)
                    for (int p = 0; p < rows; p++)
                        for (int q = 0; q < columns; q++)
                            out[(k * rows + p) * columns + q] +=
                                in[(c * z.h + p + r) * z.w + q + s] * wt[((k * z.c + c) * z.r + r) * z.s + s];
}

/* All numbers of channels are known. */
// transformed: yes
KERNEL void k_sixteen(int h, int w, const float *in, const float *wt, const float *bias, float *out) {
    for (int p = 0; p < h - 2; p++)
        for (int q = 0; q < w - 2; q++)
            for (int k = 0; k < 16; k++) {
                float x = bias[k];
                for (int r = 0; r < 3; r++)
                    for (int s = 0; s < 3; s++)
                        for (int c = 0; c < 16; c++)
                            x += in[((p + r) * w + q + s) * 16 + c] * wt[((r * 3 + s) * 16 + c) * 16 + k];
                out[(p * (w - 2) + q) * 16 + k] = x > 0 ? x : 0;
            }
}

/* Each channel for itself. */
// transformed: yes
KERNEL void k_depthwise(struct shape z, const float *in, const float *wt, float *out) {
    int rows = z.h - z.r + 1, columns = z.w - z.s + 1;
    for (int p = 0; p < rows; p++)
        for (int q = 0; q < columns; q++)
            for (int c = 0; c < z.c; c++) {
                float x = 0;
                for (int r = 0; r < z.r; r++)
                    for (int s = 0; s < z.s; s++)
                        x += in[((p + r) * z.w + q + s) * z.c + c] * wt[(r * z.s + s) * z.c + c];
                out[(p * columns + q) * z.c + c] = x;
            }
}

// transformed: yes
KERNEL void k_stride(struct shape z, const double *in, const double *wt, double *out) {
    if (z.h < z.r || z.w < z.s)
        return;
    int rows = (z.h - z.r) / 2 + 1, columns = (z.w - z.s) / 2 + 1;
    for (int p = 0; p < rows; p++)
        for (int q = 0; q < columns; q++)
            for (int k = 0; k < z.k; k++) {
                double x = out[(p * columns + q) * z.k + k];
                for (int r = 0; r < z.r; r++)
                    for (int s = 0; s < z.s; s++)
                        for (int c = 0; c < z.c; c++)
                            x += in[((2 * p + r) * z.w + 2 * q + s) * z.c + c] * wt[((r * z.s + s) * z.c + c) * z.k + k];
                out[(p * columns + q) * z.k + k] = x;
            }
}

/* A border that is left out. */
// transformed: any
KERNEL void k_padded(struct shape z, const float *in, const float *wt, float *out) {
    for (int p = 0; p < z.h; p++)
        for (int q = 0; q < z.w; q++)
            for (int k = 0; k < z.k; k++) {
                float x = 0;
                for (int r = 0; r < 3; r++)
                    for (int s = 0; s < 3; s++)
                        if (p + r >= 1 && p + r <= z.h && q + s >= 1 && q + s <= z.w)
                            for (int c = 0; c < z.c; c++)
                                x += in[((p + r - 1) * z.w + q + s - 1) * z.c + c] * wt[((r * 3 + s) * z.c + c) * z.k + k];
                out[(p * z.w + q) * z.k + k] = x;
            }
}

// transformed: yes
KERNEL void k_wrapped(unsigned long h, unsigned long w, unsigned long n, unsigned long m, const double *in, const double *wt,
                      double *out) {
    for (unsigned long p = 0; p < h; p++)
        for (unsigned long q = 0; q < w; q++)
            for (unsigned long r = 0; r < 3; r++)
                for (unsigned long s = 0; s < 3; s++)
                    if (p + r - 1 < h && q + s - 1 < w)
                        for (unsigned long c = 0; c < n; c++)
                            for (unsigned long k = 0; k < m; k++)
                                out[(p * w + q) * m + k] +=
                                    in[((p + r - 1) * w + q + s - 1) * n + c] * wt[((r * 3 + s) * n + c) * m + k];
}

// transformed: any
KERNEL void k_nothing_outside(struct shape z, const double *in, const double *wt, double *out) {
    for (int p = 0; p < z.h; p++)
        for (int q = 0; q < z.w; q++) {
            double x = 0;
            for (int r = 0; r < z.r; r++)
                for (int s = 0; s < z.s; s++) {
                    int i = p + r - z.r / 2;
                    x += (i >= 0 && i < z.h ? in[i * z.w + q] : 0) * wt[r * z.s + s];
                }
            out[p * z.w + q] = x;
        }
}

/* Windows that end where the image does. */
// transformed: yes
KERNEL void k_cut(struct shape z, const float *in, const float *wt, float *out) {
    for (int p = 0; p < z.h; p++)
        for (int k = 0; k < z.k; k++)
            for (int r = 0; r < z.r && r < z.h - p; r++)
                for (int c = 0; c < z.c; c++)
                    out[p * z.k + k] += in[(p + r) * z.c + c] * wt[(r * z.c + c) * z.k + k];
}

/* The other way round. */
// transformed: yes
KERNEL void k_reversed(struct shape z, const double *in, const double *wt, double *out) {
    long rows = z.h - z.r + 1, columns = z.w - z.s + 1;
    for (long p = 0; p < rows; p++)
        for (long q = 0; q < columns; q++)
            for (long r = 0; r < z.r; r++)
                for (long s = 0; s < z.s; s++)
                    out[p * columns + q] += in[(p - r + z.r - 1) * z.w + q - s + z.s - 1] * wt[r * z.s + s];
}

// transformed: yes
KERNEL void k_whole(int n, int window, const float *in, const float *wt, float *out) {
    for (int i = 0; i < n; i++)
        for (int r = 0; r < window; r++)
            out[i + r] += in[i] * wt[r];
}

/* One dimension, with channels: of a number of images. */
// transformed: yes
KERNEL void k_line(int images, struct shape z, const float *in, const float *wt, const float *bias, float *out) {
    int rows = z.h - z.r + 1;
    for (int b = 0; b < images; b++)
        for (int p = 0; p < rows; p++)
            for (int k = 0; k < z.k; k++) {
                float x = bias[k];
                for (int r = 0; r < z.r; r++)
                    for (int c = 0; c < z.c; c++)
                        x += in[(b * z.h + p + r) * z.c + c] * wt[(r * z.c + c) * z.k + k];
                out[(b * rows + p) * z.k + k] = x;
            }
}

// transformed: yes
KERNEL void k_line_of_ints(unsigned n, unsigned window, unsigned m, const int *in, const int *wt, int *out) {
    for (unsigned p = 0; p + window <= n; p++)
        for (unsigned k = 0; k < m; k++)
            for (unsigned c = 0; c < m; c++)
                for (unsigned r = 0; r < window; r++)
                    out[p * m + k] = (int)((unsigned)out[p * m + k] + (unsigned)in[(p + r) * m + c] * (unsigned)wt[(r * m + c) * m + k]);
}

/* Bytes, summed in more bits. */
// transformed: yes
KERNEL void k_bytes(struct shape z, const unsigned char *in, const signed char *wt, int *out) {
    int rows = z.h - z.r + 1, columns = z.w - z.s + 1;
    for (int p = 0; p < rows; p++)
        for (int q = 0; q < columns; q++)
            for (int k = 0; k < z.k; k++) {
                int x = 0;
                for (int r = 0; r < z.r; r++)
                    for (int s = 0; s < z.s; s++)
                        for (int c = 0; c < z.c; c++)
                            x += in[((p + r) * z.w + q + s) * z.c + c] * wt[((r * z.s + s) * z.c + c) * z.k + k];
                out[(p * columns + q) * z.k + k] = x;
            }
}

// transformed: any
KERNEL void k_largest(struct shape z, const float *in, float *out) {
    int rows = z.h / 2, columns = z.w / 2;
    for (int p = 0; p < rows; p++)
        for (int q = 0; q < columns; q++)
            for (int c = 0; c < z.c; c++) {
                float x = -1e30f;
                for (int r = 0; r < 2; r++)
                    for (int s = 0; s < 2; s++) {
                        float y = in[((2 * p + r) * z.w + 2 * q + s) * z.c + c];
                        if (y > x)
                            x = y;
                    }
                out[(p * columns + q) * z.c + c] = x;
            }
}

/* How the result changes with the weights, and with the image. */
// transformed: yes
KERNEL void k_by_weights(struct shape z, const float *in, const float *by, float *wt) {
    int rows = z.h - z.r + 1, columns = z.w - z.s + 1;
    for (int r = 0; r < z.r; r++)
        for (int s = 0; s < z.s; s++)
            for (int c = 0; c < z.c; c++)
                for (int k = 0; k < z.k; k++)
                    for (int p = 0; p < rows; p++)
                        for (int q = 0; q < columns; q++)
                            wt[((r * z.s + s) * z.c + c) * z.k + k] +=
                                in[((p + r) * z.w + q + s) * z.c + c] * by[(p * columns + q) * z.k + k];
}

// transformed: yes
KERNEL void k_by_image(struct shape z, double *in, const double *by, const double *wt) {
    int rows = z.h - z.r + 1, columns = z.w - z.s + 1;
    for (int p = 0; p < rows; p++)
        for (int q = 0; q < columns; q++)
            for (int r = 0; r < z.r; r++)
                for (int s = 0; s < z.s; s++)
                    for (int c = 0; c < z.c; c++)
                        for (int k = 0; k < z.k; k++)
                            in[((p + r) * z.w + q + s) * z.c + c] +=
                                by[(p * columns + q) * z.k + k] * wt[((k * z.r + r) * z.s + s) * z.c + c];
}

/* Most arrays fit into a pool of doubles; the larger ones do with floats. */
static const struct shape shapes[] = {
    {1, 1, 1, 1, 1, 1},     {1, 1, 3, 3, 3, 2},     {2, 2, 3, 3, 5, 3},     {3, 3, 3, 3, 2, 16},   {5, 4, 2, 3, 3, 5},
    {4, 7, 0, 3, 3, 5},     {4, 7, 3, 0, 16, 17},   {6, 5, 3, 3, 1, 33},    {5, 6, 3, 3, 33, 1},   {8, 8, 3, 3, 16, 16},
    {7, 9, 3, 3, 17, 17},   {10, 10, 1, 1, 16, 33}, {12, 11, 5, 5, 5, 16},  {9, 9, 3, 3, 33, 17},  {6, 7, 3, 2, 33, 33},
    {20, 19, 3, 3, 16, 16}, {20, 20, 5, 5, 3, 17},  {18, 3, 3, 3, 16, 16},  {3, 20, 3, 1, 17, 16}, {17, 16, 2, 2, 16, 3},
    {9, 8, 3, 3, 0, 16},    {9, 8, 3, 3, 16, 0},    {13, 14, 4, 4, 1, 1},   {16, 16, 3, 3, 16, 5}, {10, 20, 3, 3, 32, 32},
};

#define ALL(z)                                                                                                         \
    for (int at_ = 0, once_; at_ < (int)(sizeof shapes / sizeof *shapes); at_++)                                       \
        for (struct shape z = (once_ = 1, shapes[at_]); once_; once_ = 0)

/* Elements of a pool from some number on. */
FRAME float *f32(void *pool, int from) { return (float *)pool + from; }
FRAME double *f64(void *pool, int from) { return (double *)pool + from; }

MAIN {
    ALL(z) {
        RUN(f32, k_nhwc_krsc, at_, z, A, B, D, C);
        RUN(f64, k_nhwc_rsck, at_, z, A, B, C);
        RUN(f32, k_into_memory, at_, z, A, B, C);
        if (z.c && z.k)
            RUN(f32, k_arrays, at_, z.h, z.w, z.c, z.k, A, B, D, C);
        RUN(f64, k_nchw, at_, z, A, B, C);
        RUN(f32, k_nchw_by_rows, at_, z, A, B, C);
        RUN(f32, k_sixteen, at_, z.h, z.w, A, B, D, C);
        RUN(f32, k_depthwise, at_, z, A, B, C);
        RUN(f64, k_stride, at_, z, A, B, C);
        RUN(f32, k_padded, at_, z, A, B, C);
        RUN(f64, k_wrapped, at_, (unsigned long)z.h, (unsigned long)z.w, (unsigned long)z.c, (unsigned long)z.k, A, B, C);
        RUN(f64, k_nothing_outside, at_, z, A, B, C);
        RUN(f32, k_cut, at_, z, A, B, C);
        RUN(f64, k_reversed, at_, z, A, B, C);
        RUN(f32, k_whole, at_, z.h * z.w, z.r * z.s, A, B, C);
        RUN(f32, k_line, at_, z.w % 4, z, A, B, D, C);
        RUN(bits, k_line_of_ints, at_, (unsigned)(z.h * z.w), (unsigned)z.r, (unsigned)z.c, A, B, C);
        RUN(bits, k_bytes, at_, z, A, B, C);
        RUN(f32, k_largest, at_, z, A, C);
        RUN(f32, k_by_weights, at_, z, A, B, C);
        RUN(f64, k_by_image, at_, z, C, A, B);
        /* The result in the image, or in the weights. */
        RUN(f32, k_nhwc_krsc, at_, z, A, B, D, A);
        RUN(f32, k_nhwc_krsc, at_, z, f32(A, 100), B, D, A);
        RUN(f32, k_nhwc_krsc, at_, z, f32(A, 0), B, D, f32(A, z.h * z.w * z.c - 1));
        RUN(f32, k_nhwc_krsc, at_, z, A, f32(C, 40), D, f32(C, 0));
        RUN(f32, k_nhwc_krsc, at_, z, A, B, f32(C, 5), f32(C, 0));
        RUN(f64, k_nhwc_rsck, at_, z, A, B, f64(A, greatest(z.h * z.w * z.c - 3, 0)));
        RUN(f64, k_nhwc_rsck, at_, z, f64(A, 1), f64(B, z.h * z.k), B);
        RUN(f32, k_nchw_by_rows, at_, z, A, B, f32(A, z.w));
        RUN(f32, k_sixteen, at_, z.h, z.w, f32(A, 32), B, D, A);
        RUN(f32, k_depthwise, at_, z, A, B, f32(A, z.c));
        RUN(f64, k_stride, at_, z, A, B, f64(A, z.k));
        RUN(f32, k_padded, at_, z, f32(A, greatest(z.h * z.w * z.k - 5, 0)), B, A);
        RUN(f64, k_wrapped, at_, (unsigned long)z.h, (unsigned long)z.w, (unsigned long)z.c, (unsigned long)z.k, A, B, A);
        RUN(f64, k_reversed, at_, z, A, B, f64(A, 1));
        RUN(f32, k_line, at_, 2, z, f32(A, 3), B, D, A);
        RUN(bits, k_line_of_ints, at_, (unsigned)z.h, (unsigned)z.s, (unsigned)z.k, A, A, A);
        RUN(f32, k_by_weights, at_, z, A, B, f32(A, 11));
        RUN(f64, k_by_image, at_, z, f64(A, 2), B, A);
    }
    return 0;
}
