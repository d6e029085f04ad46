// q = A p and s = A' r in one pass over A, as the biconjugate gradient method needs them.
#include "sizes.h"

void bicg(SIZES(long m, long n) double q[m], double s[n], const double a[m][n], const double p[n], const double r[m]) {
    for (long j = 0; j < n; j++) {
        s[j] = 0.0;
    }
    for (long i = 0; i < m; i++) {
        q[i] = 0.0;
        for (long j = 0; j < n; j++) {
            s[j] += r[i] * a[i][j];
            q[i] += a[i][j] * p[j];
        }
    }
}
