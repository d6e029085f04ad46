// Forces between bodies, an array of structures.
#include "../c99/sizes.h"

void n_body_aos(SIZES(long n, long k) double eps, double acc_[n][k], const double body_[n][k]) {
    struct body { double x, y, z, m; };
    struct body *acc = (struct body *)acc_;
    const struct body *body = (const struct body *)body_;
    for (long i = 0; i < n; i++) {
        double ax = 0, ay = 0, az = 0;
        for (long j = 0; j < n; j++) {
            double dx = body[j].x - body[i].x, dy = body[j].y - body[i].y, dz = body[j].z - body[i].z;
            double r = dx * dx + dy * dy + dz * dz + eps;
            double f = body[j].m / (r * r);
            ax += dx * f;
            ay += dy * f;
            az += dz * f;
        }
        acc[i].x = ax;
        acc[i].y = ay;
        acc[i].z = az;
    }
}
