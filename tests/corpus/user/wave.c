// The wave equation: three planes that take turns by copying.
#include "../c99/sizes.h"

void wave(SIZES(long steps, long n) double c, double u[n][n], double v[n][n], double w[n][n]) {
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                w[i][j] = 2 * v[i][j] - u[i][j] + c * (v[i - 1][j] + v[i + 1][j] + v[i][j - 1] + v[i][j + 1] - 4 * v[i][j]);
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++) {
                u[i][j] = v[i][j];
                v[i][j] = w[i][j];
            }
    }
}
