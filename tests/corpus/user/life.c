// The game of life.
#include "../c99/sizes.h"

void life(SIZES(long steps, long n) int a[n][n], int b[n][n]) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++) {
                int around = (a[i - 1][j - 1] & 1) + (a[i - 1][j] & 1) + (a[i - 1][j + 1] & 1) + (a[i][j - 1] & 1) +
                             (a[i][j + 1] & 1) + (a[i + 1][j - 1] & 1) + (a[i + 1][j] & 1) + (a[i + 1][j + 1] & 1);
                b[i][j] = around == 3 || (around == 2 && (a[i][j] & 1));
            }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = b[i][j];
    }
}
