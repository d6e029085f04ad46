// Particles move; a structure of arrays.
#include "../c99/sizes.h"

void particles_soa(SIZES(long steps, long n) double dt, double x[n], double y[n], double z[n], const double u[n], const double v[n], const double w[n]) {
    for (long t = 0; t < steps; t++)
        for (long i = 0; i < n; i++) {
            x[i] += dt * u[i];
            y[i] += dt * v[i];
            z[i] += dt * w[i];
        }
}
