// Each element becomes the mean of its three by three surroundings, in place.
#include <vector>

void seidel_2d(int steps, int n, std::vector<std::vector<double>> &a) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                double above = a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1];
                double same = a[i][j - 1] + a[i][j] + a[i][j + 1];
                double below = a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1];
                a[i][j] = (above + same + below) / 9.0;
            }
        }
    }
}
