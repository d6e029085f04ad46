// A = Q R by the modified Gram-Schmidt process; A ends as what is left of its columns.
#include <cmath>
#include <vector>

void gramschmidt(int m, int n, std::vector<double> &a, std::vector<double> &q, std::vector<double> &r) {
    for (int k = 0; k < n; k++) {
        double norm = 0.0;
        for (int i = 0; i < m; i++) {
            norm += a[i * n + k] * a[i * n + k];
        }
        r[k * n + k] = std::sqrt(norm);
        for (int i = 0; i < m; i++) {
            q[i * n + k] = a[i * n + k] / r[k * n + k];
        }
        for (int j = k + 1; j < n; j++) {
            r[k * n + j] = 0.0;
            for (int i = 0; i < m; i++) {
                r[k * n + j] += q[i * n + k] * a[i * n + j];
            }
            for (int i = 0; i < m; i++) {
                a[i * n + j] -= q[i * n + k] * r[k * n + j];
            }
        }
    }
}
