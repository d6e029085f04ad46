// The greatest of each 2 x 2 window.
#include "../c99/sizes.h"

void max_pool(SIZES(long c, long h, long w) float out[c][h][w], const float a[c][h][w]) {
    for (long p = 0; p < c; p++)
        for (long y = 0; y < h / 2; y++)
            for (long x = 0; x < w / 2; x++) {
                float best = a[p][2 * y][2 * x];
                for (long i = 0; i < 2; i++)
                    for (long j = 0; j < 2; j++)
                        if (a[p][2 * y + i][2 * x + j] > best)
                            best = a[p][2 * y + i][2 * x + j];
                out[p][y][x] = best;
            }
}
