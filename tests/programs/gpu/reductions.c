/* Sums and the like, which threads compute in parts: of integers, and of floating-point numbers that may be added in any order (compile it with
   -ffast-math), and are such that every order gives the same bits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 70000
#define NEVER_INLINE __attribute__((noinline))

NEVER_INLINE static double dot(long n, const double *restrict a, const double *restrict b) {
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

NEVER_INLINE static float product(int n, const float *restrict a, float start) {
    for (int i = 0; i < n; i++)
        start *= a[i];
    return start;
}

NEVER_INLINE static void of_rows(int n, int m, const int *restrict a, int *restrict sum) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            *sum -= a[i * 300L + j];
}

/* Two results, and an array beside them. */
NEVER_INLINE static long two(long n, const long *restrict a, const long *restrict b, long *restrict c) {
    long sum = 0, bits = 7;
    for (long i = 3; i < n; i++) {
        sum += a[i];
        bits ^= b[i];
        c[i] = a[i] * 3;
    }
    return sum * bits;
}

/* What is added up is written by the statement itself. */
NEVER_INLINE static unsigned update(int n, unsigned *restrict x, unsigned *restrict y, unsigned factor) {
    unsigned norm = 1;
    for (int i = 0; i < n; i++) {
        y[i] = factor * x[i] + y[i];
        norm += y[i] * y[i];
    }
    return norm;
}

/* What is added up is written before, and the element is another one in every step. */
NEVER_INLINE static void steps(int t, int n, int *restrict a, int *restrict b, int *restrict change) {
    for (int s = 0; s < t; s++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = a[i - 1] + a[i + 1];
        change[s] = 0;
        for (int i = 1; i < n - 1; i++) {
            change[s] += b[i] - a[i];
            a[i] = b[i];
        }
    }
}

NEVER_INLINE static int largest(int n, int m, int k, const int *restrict a) {
    int found = -2147483647 - 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int l = 0; l < k; l++)
                found = a[i * 300L + j * 20L + l] > found ? a[i * 300L + j * 20L + l] : found;
    return found;
}

NEVER_INLINE static unsigned char smallest(long n, const unsigned char *restrict a) {
    unsigned char found = 255;
    for (long i = 0; i < n; i++)
        found = a[i] < found ? a[i] : found;
    return found;
}

NEVER_INLINE static unsigned short triangle(int n, const int *restrict a) {
    unsigned short found = 0xffff;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            found &= a[i * 300L + j] | 5;
    return found;
}

/* Two results of the same three loops. */
NEVER_INLINE static int deep(int n, int m, int k, const int *restrict a, const int *restrict b, int *restrict bits) {
    int sum = 0, other = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int l = 0; l < k; l++) {
                sum += a[i * 300L + j * 20L + l];
                other ^= b[i * 300L + j * 20L + l];
            }
    *bits = other;
    return sum;
}

/* Where none of the numbers is a NaN, and the sign of zero does not matter. */
NEVER_INLINE static double norm(long n, const double *restrict a) {
    double found = 0;
    for (long i = 0; i < n; i++)
        found = fmax(found, fabs(a[i]));
    return found;
}

NEVER_INLINE static float lowest(int n, const float *restrict a) {
    float found = 1e30f;
    for (int i = 0; i < n; i++)
        if (a[i] < found)
            found = a[i];
    return found;
}

NEVER_INLINE static void clamped(int n, const double *restrict a, double *restrict b) {
    for (int i = 0; i < n; i++)
        b[i] = fmin(fmax(a[i], -3), 5);
}

/* A few elements, each of which gets many parts. */
NEVER_INLINE static void few(int n, const int *restrict a, int *restrict sums) {
    for (int c = 0; c < 10; c++)
        for (int i = 0; i < n; i++)
            sums[c] += a[i * 10L + c];
}

/* Its own iterations wait for each other: not in parts. */
NEVER_INLINE static int running(int n, const int *restrict a, int *restrict b) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i];
        b[i] = sum;
    }
    return sum;
}

int main(void) {
    static volatile int five = 5, fifteen = 15;
    static const int sizes[] = {0, 1, 300, MOST};
    static double d[MOST], e[MOST], g[MOST];
    static float f[MOST];
    static long p[MOST], q[MOST], r[MOST];
    static int a[300 * 300], b[300 * 300], change[10];
    static unsigned x[MOST], y[MOST];
    static unsigned char bytes[MOST];
    for (int i = 0; i < MOST; i++) {
        d[i] = i % 17 - 8, e[i] = i % 13 * 0.5;
        f[i] = i % 7 == 3 ? 0.5f : i % 7 == 5 ? 2 : i % 3 == 1 ? -1 : 1;
        p[i] = (long)i * i, q[i] = i * 977L, r[i] = 0;
        x[i] = (unsigned)i * 2654435761u, y[i] = (unsigned)i;
        bytes[i] = (unsigned char)(200 - i % 101);
    }
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int n = sizes[s], sum = 5, m = n < 300 ? n : 300;
        for (int i = 0; i < 300 * 300; i++)
            a[i] = i % 1009 * (i % 7 - 3), b[i] = i % 5;
        printf("%d: %a %a %ld %u %d\n", n, dot(n, d, e), product(n, f, 3), two(n, p, q, r), update(n, x, y, 5),
               smallest(n, bytes));
        clamped(n, d, g);
        printf("%a %a %a ", norm(n, d), lowest(n, f), g[n / 2]);
        of_rows(m, n % 300, a, &sum);
        printf("%d %d %d ", sum, largest(m, fifteen, n % 21, a), triangle(m, a));
        printf("%d ", deep(m, fifteen, n % 21, a, b, change));
        printf("%d ", change[0]);
        few(30 * m, a, change);
        printf("%d %d ", change[0], change[9]);
        steps(five, m, a, b, change);
        printf("%d %d %d\n", change[0] ^ change[4], a[m / 2], running(n, a, b));
    }
    unsigned long all = 0;
    for (int i = 0; i < MOST; i++)
        all = all * 31 + (unsigned long)r[i] + x[i] + y[i];
    for (int i = 0; i < 300 * 300; i++)
        all = all * 31 + (unsigned)a[i] + (unsigned)b[i];
    printf("%lx\n", all);
    return 0;
}
