/* The six orders of the loops of a product, and what else a loop around or between those that threads share may be. */
#include <stdio.h>

#define N 130
#define NEVER_INLINE __attribute__((noinline))
#define FOR(i) for (int i = 0; i < n; i++)
#define PRODUCT(name, first, second, third)                                                                        \
    NEVER_INLINE static void name(int n, double (*restrict c)[N], double (*restrict a)[N], double (*restrict b)[N]) { \
        FOR(first) FOR(second) FOR(third) c[i][j] += a[i][k] * b[k][j];                                               \
    }

PRODUCT(ijk, i, j, k)
PRODUCT(ikj, i, k, j)
PRODUCT(jik, j, i, k)
PRODUCT(jki, j, k, i)
PRODUCT(kij, k, i, j)
PRODUCT(kji, k, j, i)

NEVER_INLINE static void columns(int n, double *restrict x, double (*restrict a)[N], double *restrict y) {
    FOR(k) FOR(i) x[i] += a[k][i] * y[k];
}

NEVER_INLINE static void triangle(int n, double (*restrict c)[N], double (*restrict a)[N]) {
    for (int k = 0; k < n; k++)
        for (int i = k; i < n; i++)
            for (int j = k; j <= i; j++)
                c[i][j] -= a[i][k] * a[j][k];
}

/* What one loop adds up the next one uses: a thread per row, then a thread per column. */
NEVER_INLINE static void both(int m, int n, double *restrict x, double (*restrict a)[N], double *restrict y) {
    for (int i = 0; i < m; i++) {
        double t = 0.5;
        for (int j = 0; j < n; j++)
            t += a[i][j] * y[j];
        for (int j = 0; j < n; j++)
            x[j] += a[i][j] * t;
    }
}

int main(void) {
    static const int sizes[] = {0, 1, 33, 129};
    static double a[N][N], b[N][N], c[8][N][N], x[N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = 0.25 + (i * j % 17) / 3.0, b[i][j] = (i + 2 * j) % 19 / 7.0;
            for (int m = 0; m < 8; m++)
                c[m][i][j] = m + (i - j) % 5;
        }
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int n = sizes[s];
        ijk(n, c[0], a, b), ikj(n, c[1], a, b), jik(n, c[2], a, b);
        jki(n, c[3], a, b), kij(n, c[4], a, b), kji(n, c[5], a, b);
        columns(n, x, a, b[1]);
        both(n + 1, n, x, a, b[2]), both(n % 5, N, x, b, a[3]);
        triangle(n, c[6], b);
    }
    double all = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            all = all * 0.99 + x[j];
            for (int m = 0; m < 8; m++)
                all += c[m][i][j] * (m + 1);
        }
    printf("%a\n", all);
    return 0;
}
