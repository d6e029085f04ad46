// One sweep of a five-point stencil.
#include "../c99/sizes.h"

void laplace_once(SIZES(long n) double b[n][n], const double a[n][n]) {
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < n - 1; j++)
            b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1] - 4 * a[i][j];
}
