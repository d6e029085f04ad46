// All squared distances between two sets of points.
#include "../c99/sizes.h"

void distances(SIZES(long n, long m, long d) double dist[n][m], const double x[n][d], const double y[m][d]) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) {
            double s = 0;
            for (long t = 0; t < d; t++)
                s += (x[i][t] - y[j][t]) * (x[i][t] - y[j][t]);
            dist[i][j] = s;
        }
}
