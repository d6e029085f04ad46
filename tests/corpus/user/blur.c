// The mean of nine neighbours.
#include "../c99/sizes.h"

void blur(SIZES(long h, long w) float out[h][w], const float a[h][w]) {
    for (long y = 1; y < h - 1; y++)
        for (long x = 1; x < w - 1; x++) {
            float s = 0;
            for (int i = -1; i <= 1; i++)
                for (int j = -1; j <= 1; j++)
                    s += a[y + i][x + j];
            out[y][x] = s / 9;
        }
}
