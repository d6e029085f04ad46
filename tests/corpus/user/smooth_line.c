// A line made smooth again and again.
#include "../c99/sizes.h"

void smooth_line(SIZES(long steps, long n) float a[n], float b[n]) {
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++)
            b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
        for (long i = 1; i < n - 1; i++)
            a[i] = (b[i - 1] + b[i] + b[i + 1]) / 3;
    }
}
