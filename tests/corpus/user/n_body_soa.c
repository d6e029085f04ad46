// Forces between bodies, coordinates in arrays of their own.
#include "../c99/sizes.h"

void n_body_soa(SIZES(long n) double eps, double ax[n], double ay[n], double az[n], const double x[n], const double y[n], const double z[n], const double m[n]) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            double r = dx * dx + dy * dy + dz * dz + eps;
            double f = m[j] / (r * r);
            ax[i] += dx * f;
            ay[i] += dy * f;
            az[i] += dz * f;
        }
}
