// Solves L x = b for a lower triangular L.
#include "sizes.h"

void trisolv(SIZES(long n) double x[n], const double l[n][n], const double b[n]) {
    for (long i = 0; i < n; i++) {
        double rest = b[i];
        for (long j = 0; j < i; j++) {
            rest -= l[i][j] * x[j];
        }
        x[i] = rest / l[i][i];
    }
}
