// Brightness of an image with interleaved colours, by columns.
#include "../c99/sizes.h"

void grey(SIZES(long h, long w, long c) float out[h][w], const float a[h][w][c]) {
    for (long x = 0; x < w; x++)
        for (long y = 0; y < h; y++)
            out[y][x] = 0.3f * a[y][x][0] + 0.6f * a[y][x][1] + 0.1f * a[y][x][2];
}
