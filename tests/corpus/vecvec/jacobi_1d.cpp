// Each element becomes the mean of itself and its two neighbours, from one array to the other and back.
#include <vector>

void jacobi_1d(int steps, int n, std::vector<double> &a, std::vector<double> &b) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            b[i] = (a[i - 1] + a[i] + a[i + 1]) * (1.0 / 3.0);
        }
        for (int i = 1; i < n - 1; i++) {
            a[i] = (b[i - 1] + b[i] + b[i + 1]) * (1.0 / 3.0);
        }
    }
}
