/* Rows with their lengths in tables behind pointers, as in vectors of vectors of vectors, whose stores may change a length in a later table. Then the
   program stops early, and never reads the tables behind: these are missing, and the guard must not read them either. */
#include "check.h"
#include <stddef.h>

enum { PLANES = 6, ROWS = 5, LONGEST = 40 };

typedef struct {
    long *elements;
    long length;
} row;

// transformed: yes
KERNEL long k_rows(long n, long m, long length, row **planes, const long *v, const long *w) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) {
            if (planes[i][j].length < length)
                return i * 100 + j;
            for (long h = 0; h < length; h++)
                for (long q = 0; q < length; q++)
                    planes[i][j].elements[q] += v[h] * w[h * LONGEST + q];
        }
    return -1;
}

/* The lengths of rows of one array, in rows of another one. */
// transformed: yes
KERNEL long k_two(long n, long m, long **rows, long **lengths, const long *v, const long *w) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) {
            if (lengths[i][j] < m)
                return i * 100 + j;
            for (long h = 0; h < m; h++)
                rows[i][h] += v[j] * w[j * LONGEST + h];
        }
    return -1;
}

/* Planes, tables and rows, in memory of their own: pointers are not reported. */
static _Alignas(64) unsigned char memory[1 << 16];
static row *planes[PLANES];
static long *rows[LONGEST], *lengths[LONGEST], v[LONGEST], w[LONGEST * LONGEST];

/* Row (0, at) covers the length of row `to` of plane `plane`, and the planes behind that are missing. */
FRAME void run_rows(long length, int way, long at, long plane, long to) {
    for (long i = 0; i < PLANES; i++) {
        /* Tables lie before all rows, behind them, or between them. */
        planes[i] = (row *)(memory + (way == 0 ? i * 128 : way == 1 ? 60032 + i * 128 : i * 4096));
        for (long j = 0; j < ROWS; j++) {
            unsigned char *elements = memory + (way == 2 ? i * 4096 + 512 + j * 512 : 8192 + (i * ROWS + j) * 512);
            planes[i][j].elements = (long *)elements;
            planes[i][j].length = length;
            for (long q = 0; q < length; q++)
                planes[i][j].elements[q] = i + j + q;
        }
    }
    for (long h = 0; h < LONGEST * LONGEST; h++)
        w[h] = plane < PLANES ? 0 : h;
    for (long h = 0; h < LONGEST; h++)
        v[h] = h == 0 || plane == PLANES;
    if (plane < PLANES) {
        long *covered = &planes[plane][to].length;
        planes[0][at].elements = covered - length / 2;
        w[length / 2] = -length;
        for (long i = plane + 1; i < PLANES; i++)
            planes[i] = NULL;
    }
    long stopped = k_rows(PLANES, ROWS, length, planes, v, w);
    long *copied = (long *)A;
    for (long i = 0; i < PLANES && planes[i]; i++)
        for (long j = 0; j < ROWS; j++, copied += LONGEST)
            for (long q = 0; q < length; q++)
                copied[q] = i == 0 && j == at && plane < PLANES ? 0 : planes[i][j].elements[q];
    report("k_rows", ((stopped * 10 + way) * 10 + at) * 10 + plane);
}

FRAME void run_two(long n, long until) {
    for (long i = 0; i < n; i++) {
        rows[i] = (long *)B + i * LONGEST;
        lengths[i] = (long *)C + i * LONGEST;
    }
    reset_bits();
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            lengths[i][j] = n;
    for (long h = 0; h < LONGEST * LONGEST; h++)
        w[h] = -1;
    for (long h = 0; h < LONGEST; h++)
        v[h] = h == 0;
    if (until < n) {
        rows[until - 1] = lengths[until];
        for (long i = until + 1; i < n; i++)
            lengths[i] = NULL;
    }
    report("k_two", k_two(n, n, rows, lengths, v, w) * 10 + until);
}

MAIN {
    reset_bits();
    for (long length = 8; length <= LONGEST; length += 8)
        for (int way = 0; way < 3; way++)
            for (long at = 0; at < ROWS; at++)
                for (long plane = 1; plane <= PLANES; plane++)
                    run_rows(length, way, at, plane, at);
    for (long n = 2; n <= LONGEST; n += n < 6 ? 1 : 17)
        for (long until = 1; until <= n; until++)
            run_two(n, until);
}
