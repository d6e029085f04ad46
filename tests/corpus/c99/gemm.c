// C = alpha A B + beta C.
#include "sizes.h"

void gemm(SIZES(long ni, long nj, long nk) double alpha, double beta, double c[ni][nj], const double a[ni][nk],
          const double b[nk][nj]) {
    for (long i = 0; i < ni; i++) {
        for (long j = 0; j < nj; j++) {
            c[i][j] *= beta;
            for (long k = 0; k < nk; k++) {
                c[i][j] += alpha * a[i][k] * b[k][j];
            }
        }
    }
}
