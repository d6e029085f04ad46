// L X = B for many right sides.
#include "../c99/sizes.h"

void solve_many(SIZES(long n, long m) double x[n][m], const double l[n][n]) {
    for (long r = 0; r < m; r++)
        for (long i = 0; i < n; i++) {
            for (long j = 0; j < i; j++)
                x[i][r] -= l[i][j] * x[j][r];
            x[i][r] /= l[i][i];
        }
}
