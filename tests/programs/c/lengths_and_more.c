/* Lengths from tables, compared with a constant added on either side, and the larger of a length and something else. Numbers without sign wrap
   around: with two elements, `length - 4` is more than every counter, and with a counter of 0, `q - 4` is more than every length. */
#include "check.h"

enum { ROWS = 6, LONGEST = 72 };

typedef struct {
    long *elements;
    size_t length;
} row;

#define ARGUMENTS long n, long m, const row *rows, const long *v, const long *w

/* A product of rows, which is left where `stops` holds: where, or -1 at the end. */
#define PRODUCT(stops)                                                                                                \
    {                                                                                                                 \
        for (long i = 0; i < n; i++)                                                                                  \
            for (long h = 0; h < m; h++)                                                                              \
                for (long q = 0; q < m; q++) {                                                                        \
                    if (stops)                                                                                        \
                        return (i * 100 + h) * 100 + q;                                                               \
                    rows[i].elements[q] += v[h] * w[h * LONGEST + q];                                                 \
                }                                                                                                     \
        return -1;                                                                                                    \
    }

// transformed: yes
KERNEL long k_plain(ARGUMENTS) PRODUCT((size_t)q >= rows[i].length)
// transformed: yes
KERNEL long k_equal(ARGUMENTS) PRODUCT((size_t)q == rows[i].length)
// transformed: yes
KERNEL long k_length_less(ARGUMENTS) PRODUCT((size_t)q >= rows[i].length - 4)
// transformed: yes
KERNEL long k_length_more(ARGUMENTS) PRODUCT((size_t)q >= rows[i].length + 4)
// transformed: any
KERNEL long k_counter_less(ARGUMENTS) PRODUCT((size_t)q - 4 >= rows[i].length)
// transformed: yes
KERNEL long k_counter_more(ARGUMENTS) PRODUCT((size_t)q + 4 >= rows[i].length)
// transformed: yes
KERNEL long k_too_long(ARGUMENTS) PRODUCT(rows[i].length - 4 > (size_t)q + 60)
// transformed: any
KERNEL long k_too_long_at_once(ARGUMENTS) PRODUCT(rows[i].length - 4 > 60)
// transformed: yes
KERNEL long k_signed(ARGUMENTS) PRODUCT(q >= (long)rows[i].length)
// transformed: yes
KERNEL long k_signed_less(ARGUMENTS) PRODUCT(q >= (long)rows[i].length - 4)
// transformed: yes
KERNEL long k_signed_counter_less(ARGUMENTS) PRODUCT(q - 4 >= (long)rows[i].length)
// transformed: yes
KERNEL long k_signed_too_long(ARGUMENTS) PRODUCT((long)rows[i].length - 4 > q + 60)
// transformed: yes
KERNEL long k_larger(ARGUMENTS) PRODUCT((size_t)q >= (rows[i].length > 3 ? rows[i].length : 3))
// transformed: yes
KERNEL long k_larger_signed(ARGUMENTS) PRODUCT(q >= ((long)rows[i].length > 3 ? (long)rows[i].length : 3))
// transformed: any
KERNEL long k_larger_than_counter(ARGUMENTS) PRODUCT((size_t)q >= (rows[i].length < (size_t)m ? rows[i].length : (size_t)m) - 2)
// transformed: yes
KERNEL long k_saturated(ARGUMENTS) PRODUCT((size_t)q >= (rows[i].length < 4 ? 0 : rows[i].length - 4))

#define RUN_ONE(name)                                                                                                 \
    do {                                                                                                              \
        make(length, at, other);                                                                                      \
        long stopped = name(ROWS, m, rows, v, w);                                                                     \
        long *copied = (long *)A;                                                                                     \
        for (long i = 0; i < ROWS * LONGEST; i++)                                                                     \
            copied[i] = elements[i];                                                                                  \
        copied[ROWS * LONGEST] = stopped;                                                                             \
        report(#name, (int)m);                                                                                        \
    } while (0)

static row rows[ROWS];
static long elements[ROWS * LONGEST], v[LONGEST], w[LONGEST * LONGEST];

/* All rows are `length` long but for one. */
FRAME void make(size_t length, long at, size_t other) {
    for (long i = 0; i < ROWS; i++)
        rows[i] = (row){elements + i * LONGEST, i == at ? other : length};
    for (long i = 0; i < ROWS * LONGEST; i++)
        elements[i] = i;
    for (long h = 0; h < LONGEST; h++)
        v[h] = h % 5 - 2;
    for (long h = 0; h < LONGEST * LONGEST; h++)
        w[h] = h % 7;
}

FRAME void run(long m, size_t length, long at, size_t other) {
    RUN_ONE(k_plain);
    RUN_ONE(k_equal);
    RUN_ONE(k_length_less);
    RUN_ONE(k_length_more);
    RUN_ONE(k_counter_less);
    RUN_ONE(k_counter_more);
    RUN_ONE(k_too_long);
    RUN_ONE(k_too_long_at_once);
    RUN_ONE(k_signed);
    RUN_ONE(k_signed_less);
    RUN_ONE(k_signed_counter_less);
    RUN_ONE(k_signed_too_long);
    RUN_ONE(k_larger);
    RUN_ONE(k_larger_signed);
    RUN_ONE(k_larger_than_counter);
    RUN_ONE(k_saturated);
}

MAIN {
    static const size_t lengths[] = {0, 1, 2, 3, 4, 5, 60, 63, 64, 68, 70, 72, (size_t)-1, (size_t)-5, (size_t)1 << 62};
    for (long m = 1; m <= LONGEST; m = m < 4 ? m + 1 : m < 60 ? m + 28 : m + 6)
        for (int at = 0; at < (int)(sizeof lengths / sizeof *lengths); at++) {
            run(m, LONGEST, 3, lengths[at]);
            run(m, lengths[at], ROWS, 0);
        }
    return 0;
}
