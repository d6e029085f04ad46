// Sums over all rectangles from the corner.
#include "../c99/sizes.h"

void integral_image(SIZES(long h, long w) double s[h][w], const double a[h][w]) {
    for (long y = 1; y < h; y++)
        for (long x = 1; x < w; x++)
            s[y][x] = a[y][x] + s[y - 1][x] + s[y][x - 1] - s[y - 1][x - 1];
}
