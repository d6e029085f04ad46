// Solves A x = b: A = L U row by row, then y by forward and x by backward substitution.
#include <vector>

void ludcmp(int n, std::vector<std::vector<double>> &a, std::vector<double> &x, std::vector<double> &y,
            const std::vector<double> &b) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double rest = a[i][j];
            for (int k = 0; k < j; k++) {
                rest -= a[i][k] * a[k][j];
            }
            a[i][j] = rest / a[j][j];
        }
        for (int j = i; j < n; j++) {
            double rest = a[i][j];
            for (int k = 0; k < i; k++) {
                rest -= a[i][k] * a[k][j];
            }
            a[i][j] = rest;
        }
    }
    for (int i = 0; i < n; i++) {
        double rest = b[i];
        for (int j = 0; j < i; j++) {
            rest -= a[i][j] * y[j];
        }
        y[i] = rest;
    }
    for (int i = n - 1; i >= 0; i--) {
        double rest = y[i];
        for (int j = i + 1; j < n; j++) {
            rest -= a[i][j] * x[j];
        }
        x[i] = rest / a[i][i];
    }
}
