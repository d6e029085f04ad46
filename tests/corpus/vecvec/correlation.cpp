// Correlations of the columns of a table of n observations of m variables; the table ends standardised.
#include <cmath>
#include <vector>

void correlation(int m, int n, std::vector<std::vector<double>> &data, std::vector<double> &mean,
                 std::vector<double> &deviation, std::vector<std::vector<double>> &corr) {
    for (int j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < n; i++) {
            mean[j] += data[i][j];
        }
        mean[j] /= (double)n;
    }
    for (int j = 0; j < m; j++) {
        deviation[j] = 0.0;
        for (int i = 0; i < n; i++) {
            deviation[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        }
        deviation[j] = std::sqrt(deviation[j] / (double)n);
        // A column that does not vary correlates with nothing.
        if (deviation[j] < 1e-9) {
            deviation[j] = 1.0;
        }
    }
    double scale = std::sqrt((double)n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            data[i][j] = (data[i][j] - mean[j]) / (scale * deviation[j]);
        }
    }
    for (int i = 0; i < m; i++) {
        corr[i][i] = 1.0;
        for (int j = i + 1; j < m; j++) {
            corr[i][j] = 0.0;
            for (int k = 0; k < n; k++) {
                corr[i][j] += data[k][i] * data[k][j];
            }
            corr[j][i] = corr[i][j];
        }
    }
}
