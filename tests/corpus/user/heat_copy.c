// Heat in single precision, the copy in the same loop over rows.
#include "../c99/sizes.h"

void heat_copy(SIZES(long steps, long n) float a[n][n], float b[n][n]) {
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                b[i][j] = a[i][j] + 0.1f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1] - 4 * a[i][j]);
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                a[i][j] = b[i][j] + 0.1f * (b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1] - 4 * b[i][j]);
    }
}
