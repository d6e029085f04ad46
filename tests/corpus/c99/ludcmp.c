// Solves A x = b: A = L U row by row, then y by forward and x by backward substitution.
#include "sizes.h"

void ludcmp(SIZES(long n) double a[n][n], double x[n], double y[n], const double b[n]) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < i; j++) {
            double rest = a[i][j];
            for (long k = 0; k < j; k++) {
                rest -= a[i][k] * a[k][j];
            }
            a[i][j] = rest / a[j][j];
        }
        for (long j = i; j < n; j++) {
            double rest = a[i][j];
            for (long k = 0; k < i; k++) {
                rest -= a[i][k] * a[k][j];
            }
            a[i][j] = rest;
        }
    }
    for (long i = 0; i < n; i++) {
        double rest = b[i];
        for (long j = 0; j < i; j++) {
            rest -= a[i][j] * y[j];
        }
        y[i] = rest;
    }
    for (long i = n - 1; i >= 0; i--) {
        double rest = y[i];
        for (long j = i + 1; j < n; j++) {
            rest -= a[i][j] * x[j];
        }
        x[i] = rest / a[i][i];
    }
}
