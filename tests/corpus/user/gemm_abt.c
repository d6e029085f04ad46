// C = A B^T: both rows are read along the sum.
#include "../c99/sizes.h"

void gemm_abt(SIZES(long ni, long nj, long nk) double c[ni][nj], const double a[ni][nk], const double b[nj][nk]) {
    for (long i = 0; i < ni; i++)
        for (long j = 0; j < nj; j++) {
            c[i][j] = 0;
            for (long k = 0; k < nk; k++)
                c[i][j] += a[i][k] * b[j][k];
        }
}
