// flags: -O2
// code: new
// Rows behind pointers, and sizes that are far too large where nothing is to be done: new code, with the loop over rows outside, must not
// count them.
#include <stdio.h>
#include <stdlib.h>

struct rows {
    long rounds, times, n, m;
    double **to, **from;
};

__attribute__((noinline)) void k(const struct rows *r) {
    long rounds = r->rounds, times = r->times, n = r->n, m = r->m;
    double **to = r->to, **from = r->from;
    for (long round = 0; round < rounds; round++)
        for (long time = 0; time < times; time++)
            for (long i = 0; i < n; i++)
                for (long j = 0; j < m; j++)
                    to[i][j] = 0.5 * from[i][j + 1];
}

int main(void) {
    struct rows *r = malloc(sizeof *r);
    r->rounds = 1, r->times = 0, r->n = r->m = 1L << 38;
    k(r); // no row is set
    r->n = r->m = 50;
    r->to = malloc(50 * sizeof *r->to), r->from = malloc(50 * sizeof *r->from);
    for (int i = 0; i < 50; i++)
        r->to[i] = calloc(51, sizeof **r->to), r->from[i] = calloc(51, sizeof **r->from);
    r->from[7][10] = 6;
    r->times = 1;
    k(r);
    printf("fine %d\n", (int)r->to[7][9]);
}
