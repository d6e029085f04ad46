// A = L U in place without pivoting: each step updates what is right of and below the pivot.
#include "sizes.h"

void lu(SIZES(long n) double a[n][n]) {
    for (long k = 0; k < n; k++) {
        for (long i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (long j = k + 1; j < n; j++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
}
