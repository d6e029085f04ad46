// A = L L' for a positive definite A, row by row; L replaces the lower triangle.
#include <cmath>
#include <vector>

void cholesky(int n, std::vector<double> &a) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double rest = a[i * n + j];
            for (int k = 0; k < j; k++) {
                rest -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = rest / a[j * n + j];
        }
        double rest = a[i * n + i];
        for (int k = 0; k < i; k++) {
            rest -= a[i * n + k] * a[i * n + k];
        }
        a[i * n + i] = std::sqrt(rest);
    }
}
