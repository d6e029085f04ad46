// C += A^T B.
#include "../c99/sizes.h"

void gemm_atb(SIZES(long ni, long nj, long nk) double c[ni][nj], const double a[nk][ni], const double b[nk][nj]) {
    for (long k = 0; k < nk; k++)
        for (long i = 0; i < ni; i++)
            for (long j = 0; j < nj; j++)
                c[i][j] += a[k][i] * b[k][j];
}
