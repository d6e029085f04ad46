// Every row of a three-dimensional array times a matrix, in place through one row of scratch memory.
#include <vector>

void doitgen(int nr, int nq, int np, std::vector<std::vector<std::vector<double>>> &a, std::vector<double> &row,
             const std::vector<std::vector<double>> &c) {
    for (int r = 0; r < nr; r++) {
        for (int q = 0; q < nq; q++) {
            for (int p = 0; p < np; p++) {
                row[p] = 0.0;
                for (int s = 0; s < np; s++) {
                    row[p] += a[r][q][s] * c[s][p];
                }
            }
            for (int p = 0; p < np; p++) {
                a[r][q][p] = row[p];
            }
        }
    }
}
