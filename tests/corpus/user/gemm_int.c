// C = A B of integers.
#include "../c99/sizes.h"

void gemm_int(SIZES(long ni, long nj, long nk) int c[ni][nj], const int a[ni][nk], const int b[nk][nj]) {
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            int sum = 0;
            for (int k = 0; k < nk; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}
