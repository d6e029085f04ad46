// D = alpha A B C + beta D, through T = alpha A B; each element is summed in a variable.
#include "sizes.h"

void mm2(SIZES(long ni, long nj, long nk, long nl) double alpha, double beta, double d[ni][nl], double t[ni][nj],
         const double a[ni][nk], const double b[nk][nj], const double c[nj][nl]) {
    for (long i = 0; i < ni; i++) {
        for (long j = 0; j < nj; j++) {
            double sum = 0.0;
            for (long k = 0; k < nk; k++) {
                sum += a[i][k] * b[k][j];
            }
            t[i][j] = alpha * sum;
        }
    }
    for (long i = 0; i < ni; i++) {
        for (long l = 0; l < nl; l++) {
            double sum = beta * d[i][l];
            for (long j = 0; j < nj; j++) {
                sum += t[i][j] * c[j][l];
            }
            d[i][l] = sum;
        }
    }
}
