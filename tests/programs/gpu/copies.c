/* What is copied to a device and back. Every nest runs once per call; the test knows how many bytes each call copies. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define NEVER_INLINE __attribute__((noinline))
#define FOR(i, n) for (long i = 0; i < n; i++)
#define LD 64
#define PAGE 4096L
#define OF_PAGE (PAGE / (long)sizeof(double))

/* All of c is written, nothing of it is read. */
NEVER_INLINE static void twice(long n, long m, long ld, double *restrict c, const double *restrict a) {
    FOR(i, n) FOR(j, m) c[i * ld + j] = a[i * ld + j] * 2.0;
}

/* All of c is written, and read before. */
NEVER_INLINE static void add(long n, long m, long ld, double *restrict c, const double *restrict a) {
    FOR(i, n) FOR(j, m) c[i * ld + j] += a[j];
}

/* A part of a rectangle is written. */
NEVER_INLINE static void triangle(long n, double (*restrict c)[LD], const double *restrict a) {
    FOR(i, n) FOR(j, i + 1) c[i][j] = a[i] + (double)j;
}

/* Written, and read later. */
NEVER_INLINE static void product(long n, double (*restrict c)[LD], double (*restrict a)[LD], double (*restrict b)[LD]) {
    FOR(i, n) FOR(j, n) {
        c[i][j] = 0;
        FOR(k, n) c[i][j] += a[i][k] * b[k][j];
    }
}

/* Three subscripts: whether the inner ones have gaps of their own is known at run time. */
NEVER_INLINE static void cube(long n, long m, long l, double (*restrict c)[8][8], double (*restrict a)[8][8]) {
    FOR(i, n) FOR(j, m) FOR(k, l) c[i][j][k] = a[i][j][k] + 1.0;
}

/* Perhaps written. */
NEVER_INLINE static void positive(long n, double *restrict c, const double *restrict a) {
    FOR(i, n) if (a[i] > 0) c[i] = a[i];
}

/* A field of a record. */
struct point {
    double x, y;
};
NEVER_INLINE static void fields(long n, struct point *restrict c, const double *restrict a) {
    FOR(i, n) c[i].x = a[i];
}

/* One is written before it is read, the other one read before it is written. */
NEVER_INLINE static void exchange(long n, double *restrict c, double *restrict a) {
    FOR(i, n) {
        c[i] = a[i] + 1.0;
        a[i] = c[i] * 0.5;
    }
}

/* Pages of which every second one can be neither read nor written. */
static double *with_holes(long pages) {
    char *start = mmap(NULL, (size_t)(2 * pages * PAGE), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) exit(1);
    for (long page = 0; page < pages; page++) {
        double *row = (double *)(start + 2 * page * PAGE);
        FOR(j, OF_PAGE) row[j] = (double)((page * 7 + j) % 11);
        if (mprotect(start + (2 * page + 1) * PAGE, PAGE, PROT_NONE)) exit(1);
    }
    return (double *)start;
}

static double c[LD * LD], a[LD * LD], b[LD * LD];

static void show(const char *name) {
    double sum = 0;
    for (long i = 0; i < LD * LD; i++) sum = sum * 0.999 + c[i] + a[i];
    printf("%s %.17g\n", name, sum);
}

int main(void) {
    for (volatile long i = 0; i < LD * LD; i++) {
        c[i] = (double)i;
        a[i] = (double)(i % 17 - 8);
        b[i] = (double)(i % 7);
    }
#define CALL(f, ...) (f(__VA_ARGS__), show(#f))
    CALL(twice, 20, 16, LD, c, a);
    CALL(twice, 20, LD, LD, c, a);
    CALL(twice, 20, 60, LD, c, a);
    CALL(twice, 20, 4, LD, c, a);
    CALL(twice, 1, 16, LD, c, a);
    CALL(twice, 0, 16, LD, c, a);
    CALL(add, 20, 16, LD, c, a);
    CALL(add, 20, 60, LD, c, a);
    CALL(triangle, 20, (void *)c, a);
    CALL(triangle, 60, (void *)c, a);
    CALL(product, 20, (void *)c, (void *)a, (void *)b);
    CALL(cube, 5, 8, 8, (void *)c, (void *)a);
    CALL(cube, 5, 3, 8, (void *)c, (void *)a);
    CALL(cube, 5, 3, 7, (void *)c, (void *)a);
    CALL(positive, 100, c, a);
    CALL(fields, 40, (void *)c, a);
    CALL(exchange, 60, c, a);
    double *to = with_holes(5), *from = with_holes(5);
    twice(5, OF_PAGE, 2 * OF_PAGE, to, from);
    add(5, OF_PAGE, 2 * OF_PAGE, to, a);
    double sum = 0;
    FOR(i, 5) FOR(j, OF_PAGE) sum = sum * 0.999 + to[i * 2 * OF_PAGE + j];
    printf("%.17g\n", sum);
    return 0;
}
