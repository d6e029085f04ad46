// A filter over a line.
#include "../c99/sizes.h"

void conv_line(SIZES(long n, long k) double out[n], const double a[n], const double w[k]) {
    for (long i = 0; i + k <= n; i++) {
        double s = 0;
        for (long t = 0; t < k; t++)
            s += a[i + t] * w[t];
        out[i] = s;
    }
}
