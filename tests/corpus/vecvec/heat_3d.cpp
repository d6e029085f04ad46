// The heat equation in three dimensions, explicit, from one array to the other and back.
#include <vector>

void heat_3d(int steps, int n, std::vector<std::vector<std::vector<double>>> &a,
             std::vector<std::vector<std::vector<double>>> &b) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                for (int k = 1; k < n - 1; k++) {
                    b[i][j][k] = 0.25 * a[i][j][k] + 0.125 * (a[i - 1][j][k] + a[i + 1][j][k]) +
                                 0.125 * (a[i][j - 1][k] + a[i][j + 1][k]) + 0.125 * (a[i][j][k - 1] + a[i][j][k + 1]);
                }
            }
        }
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                for (int k = 1; k < n - 1; k++) {
                    a[i][j][k] = 0.25 * b[i][j][k] + 0.125 * (b[i - 1][j][k] + b[i + 1][j][k]) +
                                 0.125 * (b[i][j - 1][k] + b[i][j + 1][k]) + 0.125 * (b[i][j][k - 1] + b[i][j][k + 1]);
                }
            }
        }
    }
}
