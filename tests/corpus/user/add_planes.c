// The sum of all planes, pixel after pixel.
#include "../c99/sizes.h"

void add_planes(SIZES(long c, long h, long w) float out[h][w], const float a[c][h][w]) {
    for (long y = 0; y < h; y++)
        for (long x = 0; x < w; x++) {
            float s = 0;
            for (long p = 0; p < c; p++)
                s += a[p][y][x];
            out[y][x] = s;
        }
}
