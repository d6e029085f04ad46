// A layer of a convolutional network.
#include "../c99/sizes.h"

void conv_layers(SIZES(long oc, long ic, long h, long w, long k) float out[oc][h][w], const float a[ic][h][w], const float f[oc][ic][k][k]) {
    for (long o = 0; o < oc; o++)
        for (long y = 0; y <= h - k; y++)
            for (long x = 0; x <= w - k; x++) {
                out[o][y][x] = 0;
                for (long c = 0; c < ic; c++)
                    for (long i = 0; i < k; i++)
                        for (long j = 0; j < k; j++)
                            out[o][y][x] += a[c][y + i][x + j] * f[o][c][i][j];
            }
}
