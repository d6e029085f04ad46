// G = (A B) (C D), with E = A B and F = C D kept.
#include "sizes.h"

void mm3(SIZES(long ni, long nj, long nk, long nl, long nm) double g[ni][nl], double e[ni][nj], double f[nj][nl],
         const double a[ni][nk], const double b[nk][nj], const double c[nj][nm], const double d[nm][nl]) {
    for (long i = 0; i < ni; i++) {
        for (long j = 0; j < nj; j++) {
            e[i][j] = 0.0;
            for (long k = 0; k < nk; k++) {
                e[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    for (long j = 0; j < nj; j++) {
        for (long l = 0; l < nl; l++) {
            f[j][l] = 0.0;
            for (long m = 0; m < nm; m++) {
                f[j][l] += c[j][m] * d[m][l];
            }
        }
    }
    for (long i = 0; i < ni; i++) {
        for (long l = 0; l < nl; l++) {
            g[i][l] = 0.0;
            for (long j = 0; j < nj; j++) {
                g[i][l] += e[i][j] * f[j][l];
            }
        }
    }
}
