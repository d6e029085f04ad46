// q = A p and s = A' r in one pass over A, as the biconjugate gradient method needs them.
void bicg(long m, long n, double *q, double *s, const double *a, const double *p, const double *r) {
    for (long j = 0; j < n; j++) {
        s[j] = 0.0;
    }
    for (long i = 0; i < m; i++) {
        q[i] = 0.0;
        for (long j = 0; j < n; j++) {
            s[j] += r[i] * a[i * n + j];
            q[i] += a[i * n + j] * p[j];
        }
    }
}
