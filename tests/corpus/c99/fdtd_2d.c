// Maxwell's equations in two dimensions on a staggered grid, with a pulse that enters at the edge.
#include "sizes.h"

void fdtd_2d(SIZES(long steps, long nx, long ny) double ex[nx][ny], double ey[nx][ny], double hz[nx][ny],
             const double pulse[steps]) {
    for (long t = 0; t < steps; t++) {
        for (long j = 0; j < ny; j++) {
            ey[0][j] = pulse[t];
        }
        for (long i = 1; i < nx; i++) {
            for (long j = 0; j < ny; j++) {
                ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
            }
        }
        for (long i = 0; i < nx; i++) {
            for (long j = 1; j < ny; j++) {
                ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
            }
        }
        for (long i = 0; i < nx - 1; i++) {
            for (long j = 0; j < ny - 1; j++) {
                hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
            }
        }
    }
}
