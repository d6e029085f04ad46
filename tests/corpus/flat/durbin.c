// The Yule-Walker equations by the recursion of Levinson and Durbin.
void durbin(long n, double *y, double *z, const double *r) {
    double error = 1.0;
    for (long k = 0; k < n; k++) {
        double sum = r[k];
        for (long i = 0; i < k; i++) {
            sum += r[k - 1 - i] * y[i];
        }
        double reflection = -sum / error;
        for (long i = 0; i < k; i++) {
            z[i] = y[i] + reflection * y[k - 1 - i];
        }
        for (long i = 0; i < k; i++) {
            y[i] = z[i];
        }
        y[k] = reflection;
        error *= 1.0 - reflection * reflection;
    }
}
