// A square filter over an image.
#include "../c99/sizes.h"

void conv_plane(SIZES(long h, long w, long k) float out[h][w], const float a[h][w], const float f[k][k]) {
    for (long y = 0; y + k <= h; y++)
        for (long x = 0; x + k <= w; x++) {
            float s = 0;
            for (long i = 0; i < k; i++)
                for (long j = 0; j < k; j++)
                    s += a[y + i][x + j] * f[i][j];
            out[y][x] = s;
        }
}
