// The Yule-Walker equations by the recursion of Levinson and Durbin.
#include <vector>

void durbin(int n, std::vector<double> &y, std::vector<double> &z, const std::vector<double> &r) {
    double error = 1.0;
    for (int k = 0; k < n; k++) {
        double sum = r[k];
        for (int i = 0; i < k; i++) {
            sum += r[k - 1 - i] * y[i];
        }
        double reflection = -sum / error;
        for (int i = 0; i < k; i++) {
            z[i] = y[i] + reflection * y[k - 1 - i];
        }
        for (int i = 0; i < k; i++) {
            y[i] = z[i];
        }
        y[k] = reflection;
        error *= 1.0 - reflection * reflection;
    }
}
