// The sum of the absolute gradients.
#include "../c99/sizes.h"

void sobel(SIZES(long h, long w) int out[h][w], const int a[h][w]) {
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            int gx = a[y - 1][x + 1] + 2 * a[y][x + 1] + a[y + 1][x + 1] - a[y - 1][x - 1] - 2 * a[y][x - 1] - a[y + 1][x - 1];
            int gy = a[y + 1][x - 1] + 2 * a[y + 1][x] + a[y + 1][x + 1] - a[y - 1][x - 1] - 2 * a[y - 1][x] - a[y - 1][x + 1];
            out[y][x] = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
        }
}
