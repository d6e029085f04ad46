// Maxwell's equations in two dimensions on a staggered grid, with a pulse that enters at the edge.
void fdtd_2d(long steps, long nx, long ny, double *ex, double *ey, double *hz, const double *pulse) {
    for (long t = 0; t < steps; t++) {
        for (long j = 0; j < ny; j++) {
            ey[j] = pulse[t];
        }
        for (long i = 1; i < nx; i++) {
            for (long j = 0; j < ny; j++) {
                ey[i * ny + j] -= 0.5 * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
            }
        }
        for (long i = 0; i < nx; i++) {
            for (long j = 1; j < ny; j++) {
                ex[i * ny + j] -= 0.5 * (hz[i * ny + j] - hz[i * ny + j - 1]);
            }
        }
        for (long i = 0; i < nx - 1; i++) {
            for (long j = 0; j < ny - 1; j++) {
                hz[i * ny + j] -= 0.7 * (ex[i * ny + j + 1] - ex[i * ny + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
            }
        }
    }
}
