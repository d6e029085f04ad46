// The distance of two words.
#include "../c99/sizes.h"

void edit_distance(SIZES(long m, long n) int d[m][n], const int s[m], const int t[n]) {
    for (long i = 0; i < m; i++)
        d[i][0] = (int)i;
    for (long j = 0; j < n; j++)
        d[0][j] = (int)j;
    for (long i = 1; i < m; i++)
        for (long j = 1; j < n; j++) {
            int best = d[i - 1][j - 1] + (s[i] != t[j]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            d[i][j] = best;
        }
}
