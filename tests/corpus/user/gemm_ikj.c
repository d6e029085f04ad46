// C += A B, loops in the order i, k, j.
#include "../c99/sizes.h"

void gemm_ikj(SIZES(long ni, long nj, long nk) double c[ni][nj], const double a[ni][nk], const double b[nk][nj]) {
    for (long i = 0; i < ni; i++) {
        for (long k = 0; k < nk; k++) {
            for (long j = 0; j < nj; j++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}
