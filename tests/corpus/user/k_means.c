// One step of k-means: the nearest centre of every point, and the sums.
#include "../c99/sizes.h"

void k_means(SIZES(long n, long k, long d) double sum[k][d], int near[n], const double point[n][d], const double centre[k][d]) {
    for (long i = 0; i < n; i++) {
        double least = 1e300;
        int at = 0;
        for (long c = 0; c < k; c++) {
            double dist = 0;
            for (long t = 0; t < d; t++) {
                double off = point[i][t] - centre[c][t];
                dist += off * off;
            }
            if (dist < least) {
                least = dist;
                at = (int)c;
            }
        }
        near[i] = at;
    }
    for (long i = 0; i < n; i++)
        for (long t = 0; t < d; t++)
            sum[near[i]][t] += point[i][t];
}
