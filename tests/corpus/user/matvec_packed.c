// y = A x, with a pointer into A that moves on.
#include "../c99/sizes.h"

void matvec_packed(SIZES(long m, long n) double y[m], const double a[m][n], const double x[n]) {
    const double *p = &a[0][0];
    for (long i = 0; i < m; i++) {
        double s = 0;
        for (long j = 0; j < n; j++)
            s += *p++ * x[j];
        y[i] = s;
    }
}
