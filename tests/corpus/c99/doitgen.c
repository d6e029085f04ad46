// Every row of a three-dimensional array times a matrix, in place through one row of scratch memory.
#include "sizes.h"

void doitgen(SIZES(long nr, long nq, long np) double a[nr][nq][np], double row[np], const double c[np][np]) {
    for (long r = 0; r < nr; r++) {
        for (long q = 0; q < nq; q++) {
            for (long p = 0; p < np; p++) {
                row[p] = 0.0;
                for (long s = 0; s < np; s++) {
                    row[p] += a[r][q][s] * c[s][p];
                }
            }
            for (long p = 0; p < np; p++) {
                a[r][q][p] = row[p];
            }
        }
    }
}
