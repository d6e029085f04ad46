// Scores of queries and keys, rows scaled by their sums, and the weighted sum of values.
#include "../c99/sizes.h"

void attention(SIZES(long n, long d) float scale, float o[n][d], float s[n][n], const float q[n][d], const float k[n][d], const float v[n][d]) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            float dot = 0;
            for (long t = 0; t < d; t++)
                dot += q[i][t] * k[j][t];
            s[i][j] = dot * scale;
        }
    for (long i = 0; i < n; i++) {
        float sum = 0;
        for (long j = 0; j < n; j++)
            sum += s[i][j];
        for (long j = 0; j < n; j++)
            s[i][j] /= sum;
    }
    for (long i = 0; i < n; i++)
        for (long t = 0; t < d; t++) {
            float sum = 0;
            for (long j = 0; j < n; j++)
                sum += s[i][j] * v[j][t];
            o[i][t] = sum;
        }
}
