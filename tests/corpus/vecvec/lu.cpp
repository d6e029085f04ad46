// A = L U in place without pivoting: each step updates what is right of and below the pivot.
#include <vector>

void lu(int n, std::vector<std::vector<double>> &a) {
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < n; j++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
}
