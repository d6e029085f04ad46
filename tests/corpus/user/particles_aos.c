// Particles move; an array of structures.
#include "../c99/sizes.h"

void particles_aos(SIZES(long steps, long n, long k) double dt, double p_[n][k]) {
    struct particle { double x, y, z, u, v, w; };
    struct particle *p = (struct particle *)p_;
    for (long t = 0; t < steps; t++)
        for (long i = 0; i < n; i++) {
            p[i].x += dt * p[i].u;
            p[i].y += dt * p[i].v;
            p[i].z += dt * p[i].w;
        }
}
