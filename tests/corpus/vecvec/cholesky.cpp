// A = L L' for a positive definite A, row by row; L replaces the lower triangle.
#include <cmath>
#include <vector>

void cholesky(int n, std::vector<std::vector<double>> &a) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double rest = a[i][j];
            for (int k = 0; k < j; k++) {
                rest -= a[i][k] * a[j][k];
            }
            a[i][j] = rest / a[j][j];
        }
        double rest = a[i][i];
        for (int k = 0; k < i; k++) {
            rest -= a[i][k] * a[i][k];
        }
        a[i][i] = std::sqrt(rest);
    }
}
