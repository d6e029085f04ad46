// Gauss-Seidel over red cells, then black ones.
#include "../c99/sizes.h"

void red_black(SIZES(long steps, long n) double a[n][n]) {
    for (long t = 0; t < steps; t++)
        for (long colour = 0; colour < 2; colour++)
            for (long i = 1; i < n - 1; i++)
                for (long j = 1 + (i + colour) % 2; j < n - 1; j += 2)
                    a[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 4;
}
