// The heat equation in three dimensions, explicit, from one array to the other and back.
#include "sizes.h"

void heat_3d(SIZES(long steps, long n) double a[n][n][n], double b[n][n][n]) {
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++) {
            for (long j = 1; j < n - 1; j++) {
                for (long k = 1; k < n - 1; k++) {
                    b[i][j][k] = 0.25 * a[i][j][k] + 0.125 * (a[i - 1][j][k] + a[i + 1][j][k]) +
                                 0.125 * (a[i][j - 1][k] + a[i][j + 1][k]) + 0.125 * (a[i][j][k - 1] + a[i][j][k + 1]);
                }
            }
        }
        for (long i = 1; i < n - 1; i++) {
            for (long j = 1; j < n - 1; j++) {
                for (long k = 1; k < n - 1; k++) {
                    a[i][j][k] = 0.25 * b[i][j][k] + 0.125 * (b[i - 1][j][k] + b[i + 1][j][k]) +
                                 0.125 * (b[i][j - 1][k] + b[i][j + 1][k]) + 0.125 * (b[i][j][k - 1] + b[i][j][k + 1]);
                }
            }
        }
    }
}
