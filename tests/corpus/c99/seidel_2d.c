// Each element becomes the mean of its three by three surroundings, in place.
#include "sizes.h"

void seidel_2d(SIZES(long steps, long n) double a[n][n]) {
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++) {
            for (long j = 1; j < n - 1; j++) {
                double above = a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1];
                double same = a[i][j - 1] + a[i][j] + a[i][j + 1];
                double below = a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1];
                a[i][j] = (above + same + below) / 9.0;
            }
        }
    }
}
