// q = A p and s = A' r in one pass over A, as the biconjugate gradient method needs them.
#include <vector>

void bicg(int m, int n, std::vector<double> &q, std::vector<double> &s, const std::vector<std::vector<double>> &a,
          const std::vector<double> &p, const std::vector<double> &r) {
    for (int j = 0; j < n; j++) {
        s[j] = 0.0;
    }
    for (int i = 0; i < m; i++) {
        q[i] = 0.0;
        for (int j = 0; j < n; j++) {
            s[j] += r[i] * a[i][j];
            q[i] += a[i][j] * p[j];
        }
    }
}
