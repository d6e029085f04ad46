// C += A B, loops in the order i, j, k.
#include "../c99/sizes.h"

void gemm_ijk(SIZES(long ni, long nj, long nk) double c[ni][nj], const double a[ni][nk], const double b[nk][nj]) {
    for (long i = 0; i < ni; i++) {
        for (long j = 0; j < nj; j++) {
            for (long k = 0; k < nk; k++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}
