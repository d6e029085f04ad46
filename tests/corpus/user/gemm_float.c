// C = A B in single precision, the sum in a local variable.
#include "../c99/sizes.h"

void gemm_float(SIZES(long ni, long nj, long nk) float c[ni][nj], const float a[ni][nk], const float b[nk][nj]) {
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            float sum = 0;
            for (int k = 0; k < nk; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}
