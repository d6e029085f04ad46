// A = Q R by the modified Gram-Schmidt process; A ends as what is left of its columns.
#include <cmath>
#include <vector>

void gramschmidt(int m, int n, std::vector<std::vector<double>> &a, std::vector<std::vector<double>> &q,
                 std::vector<std::vector<double>> &r) {
    for (int k = 0; k < n; k++) {
        double norm = 0.0;
        for (int i = 0; i < m; i++) {
            norm += a[i][k] * a[i][k];
        }
        r[k][k] = std::sqrt(norm);
        for (int i = 0; i < m; i++) {
            q[i][k] = a[i][k] / r[k][k];
        }
        for (int j = k + 1; j < n; j++) {
            r[k][j] = 0.0;
            for (int i = 0; i < m; i++) {
                r[k][j] += q[i][k] * a[i][j];
            }
            for (int i = 0; i < m; i++) {
                a[i][j] -= q[i][k] * r[k][j];
            }
        }
    }
}
