// Every row of a three-dimensional array times a matrix, in place through one row of scratch memory.
void doitgen(long nr, long nq, long np, double *a, double *row, const double *c) {
    for (long r = 0; r < nr; r++) {
        for (long q = 0; q < nq; q++) {
            for (long p = 0; p < np; p++) {
                row[p] = 0.0;
                for (long s = 0; s < np; s++) {
                    row[p] += a[(r * nq + q) * np + s] * c[s * np + p];
                }
            }
            for (long p = 0; p < np; p++) {
                a[(r * nq + q) * np + p] = row[p];
            }
        }
    }
}
