// C = A B, then D = C A.
#include "../c99/sizes.h"

void power_chain(SIZES(long n) double c[n][n], double d[n][n], const double a[n][n], const double b[n][n]) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            c[i][j] = 0;
            for (long k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
        }
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            d[i][j] = 0;
            for (long k = 0; k < n; k++)
                d[i][j] += c[i][k] * a[k][j];
        }
}
