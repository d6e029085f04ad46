// Rows divided by what their elements, made large, add up to.
#include "../c99/sizes.h"

void softmax_rows(SIZES(long m, long n) float a[m][n]) {
    for (long i = 0; i < m; i++) {
        float most = a[i][0], sum = 0;
        for (long j = 1; j < n; j++)
            most = a[i][j] > most ? a[i][j] : most;
        for (long j = 0; j < n; j++) {
            float z = a[i][j] - most;
            a[i][j] = 1 + z + z * z / 2;
            sum += a[i][j];
        }
        for (long j = 0; j < n; j++)
            a[i][j] /= sum;
    }
}
