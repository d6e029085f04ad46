// Covariances of the columns of a table of n observations of m variables; the table ends centred.
void covariance(long m, long n, double *data, double *mean, double *cov) {
    for (long j = 0; j < m; j++) {
        double sum = 0.0;
        for (long i = 0; i < n; i++) {
            sum += data[i * m + j];
        }
        mean[j] = sum / (double)n;
    }
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < m; j++) {
            data[i * m + j] -= mean[j];
        }
    }
    for (long i = 0; i < m; i++) {
        for (long j = i; j < m; j++) {
            double sum = 0.0;
            for (long k = 0; k < n; k++) {
                sum += data[k * m + i] * data[k * m + j];
            }
            cov[i * m + j] = sum / (double)n;
            cov[j * m + i] = cov[i * m + j];
        }
    }
}
