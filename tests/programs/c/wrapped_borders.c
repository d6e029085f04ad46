/* Images with a border, where unsigned counters wrap around: `x - 1 < n` is false for `x = 0`. */
#include "check.h"
#include <stddef.h>

// transformed: yes
KERNEL void k_size(size_t n, float *out, const float *in, const float *w) {
    for (size_t o = 0; o < n; o++)
        for (size_t x = 0; x < n; x++) {
            float sum = 0;
            for (size_t c = 0; c < n; c++) {
                size_t at = x - 1;
                if (at < n)
                    sum += in[c * n + at] * w[o * n + c];
            }
            out[o * n + x] = sum;
        }
}

/* The other way round, with a step and a border of any width. */
// transformed: yes
KERNEL void k_step(unsigned n, unsigned step, unsigned border, double *restrict out, const double *restrict in) {
    for (unsigned o = 0; o < n; o++)
        for (unsigned x = 0; x < n; x++) {
            unsigned at = x * step - border;
            if (at >= n)
                continue;
            out[x * 100 + o] += in[at * 100 + o] * 0.5;
        }
}

/* A window of three, in both directions. */
// transformed: yes
KERNEL void k_window(size_t n, double (*restrict out)[100], double (*restrict in)[100], const double *restrict w) {
    for (size_t x = 0; x < n; x++)
        for (size_t y = 0; y < n; y++)
            for (size_t i = 0; i < 3; i++)
                for (size_t j = 0; j < 3; j++)
                    if (y + i - 1 < n && x + j - 1 < n)
                        out[y][x] += in[y + i - 1][x + j - 1] * w[i * 3 + j];
}

/* The last one that is inside, and the first one that is not. */
// transformed: yes
KERNEL void k_most(size_t n, size_t last, double *restrict out, const double *restrict in) {
    for (size_t o = 0; o < n; o++)
        for (size_t x = 0; x < n; x++) {
            if (x - 2 <= last)
                out[x * 100 + o] += in[x * 100 + o];
            if (x - 3 > last)
                out[x * 100 + o] *= 0.25;
        }
}

/* With sizes so large that they are negative as signed numbers nothing is outside but what is: the old loops. */
// transformed: yes
KERNEL void k_huge(size_t n, size_t most, double *restrict out, const double *restrict in) {
    for (size_t o = 0; o < n; o++)
        for (size_t x = 0; x < n; x++)
            if (x - 1 < most)
                out[x * 100 + o] += in[x * 100 + o];
}

MAIN {
    FOR_SIZES(n) {
        size_t size = (size_t)n;
        RUN(f32, k_size, n, size, A, B, C);
        for (unsigned step = 0; step < 4; step++)
            for (unsigned border = 0; border < 4; border++)
                RUN(f64, k_step, n * 16 + (int)(step * 4 + border), (unsigned)n, step, border, A, B);
        RUN(f64, k_window, n, size, A, B, C);
        for (size_t last = 0; last < 5; last++)
            RUN(f64, k_most, n * 8 + (int)last, size, last, A, B);
        RUN(f64, k_most, n, size, size, A, B);
        RUN(f64, k_most, n, size, (size_t)-1, A, B);
        RUN(f64, k_huge, n, size, size, A, B);
        RUN(f64, k_huge, n, size, (size_t)-2, A, B);
        RUN(f64, k_huge, n, size, (size_t)-1, A, B);
        RUN(f64, k_huge, n, size, (size_t)1 << 63, A, B);
    }
}
