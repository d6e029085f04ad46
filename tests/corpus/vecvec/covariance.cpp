// Covariances of the columns of a table of n observations of m variables; the table ends centred.
#include <vector>

void covariance(int m, int n, std::vector<std::vector<double>> &data, std::vector<double> &mean,
                std::vector<std::vector<double>> &cov) {
    for (int j = 0; j < m; j++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) {
            sum += data[i][j];
        }
        mean[j] = sum / (double)n;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            data[i][j] -= mean[j];
        }
    }
    for (int i = 0; i < m; i++) {
        for (int j = i; j < m; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) {
                sum += data[k][i] * data[k][j];
            }
            cov[i][j] = sum / (double)n;
            cov[j][i] = cov[i][j];
        }
    }
}
