// What comes from the lower left is damped and goes on, column by column.
#include "../c99/sizes.h"

void diagonal_waves(SIZES(long n, long m) double a[m][n], double b[m][n]) {
    for (long i = 1; i < n; i++)
        for (long j = 0; j < m - 1; j++)
            a[j][i] = 0.5 * a[j + 1][i - 1] + b[j][i];
}
