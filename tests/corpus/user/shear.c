// An image is sheared in place, column by column: every pixel goes one down and one to the left.
#include "../c99/sizes.h"

void shear(SIZES(long n, long m) float a[m][n]) {
    for (long x = 0; x < n - 1; x++)
        for (long y = 1; y < m; y++)
            a[y][x] = 0.25f * a[y][x] + 0.75f * a[y - 1][x + 1];
}
