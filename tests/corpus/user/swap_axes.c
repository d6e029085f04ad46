// Planes of colours to interleaved colours and columns to rows.
#include "../c99/sizes.h"

void swap_axes(SIZES(long c, long h, long w) float out[w][h][c], const float a[c][h][w]) {
    for (long p = 0; p < c; p++)
        for (long y = 0; y < h; y++)
            for (long x = 0; x < w; x++)
                out[x][y][p] = a[p][y][x];
}
