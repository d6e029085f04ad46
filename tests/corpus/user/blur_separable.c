// A blur along rows, then along columns.
#include "../c99/sizes.h"

void blur_separable(SIZES(long h, long w) float out[h][w], float t[h][w], const float a[h][w]) {
    for (long y = 0; y < h; y++)
        for (long x = 1; x < w - 1; x++)
            t[y][x] = (a[y][x - 1] + 2 * a[y][x] + a[y][x + 1]) / 4;
    for (long x = 1; x < w - 1; x++)
        for (long y = 1; y < h - 1; y++)
            out[y][x] = (t[y - 1][x] + 2 * t[y][x] + t[y + 1][x]) / 4;
}
