// Many small products.
#include "../c99/sizes.h"

void batch_inner(SIZES(long k, long n) double c[n][k][k], const double a[n][k][k], const double b[n][k][k]) {
    for (long t = 0; t < n; t++)
        for (long i = 0; i < k; i++)
            for (long j = 0; j < k; j++)
                for (long l = 0; l < k; l++)
                    c[t][i][j] += a[t][i][l] * b[t][l][j];
}
