// flags: -O2
// code: new
// Two nests in one loop, of which one has nothing to do while its other sizes are far too large: new code, with the loop over rows
// outside, must not count them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sizes {
    long rounds, count, n, m;
};

__attribute__((noinline)) void k(const struct sizes *s, double *restrict to, double *restrict from, double *restrict sum,
                                 double *restrict rows) {
    long rounds = s->rounds, n = s->n, m = s->m, count = s->count;
    for (long round = 0; round < rounds; round++) {
        for (long i = 0; i < count; i++)
            for (long j = 0; j < count; j++)
                for (long l = 0; l < count; l++)
                    sum[i * 200 + j] += rows[i * 200 + l] * rows[l * 200 + j];
        for (long j = 0; j < m; j++)
            for (long i = 0; i < n; i++)
                to[i * 400 + j] = 0.5 * from[i * 400 + j + 1] + to[i * 400 + j];
    }
}

// The same where the guard looks at pointers to rows first.
__attribute__((noinline)) void l(const struct sizes *s, double **to, double **from, double *restrict sum, double *restrict rows) {
    long rounds = s->rounds, n = s->n, m = s->m, count = s->count;
    for (long round = 0; round < rounds; round++) {
        for (long i = 0; i < count; i++)
            for (long j = 0; j < count; j++)
                for (long k = 0; k < count; k++)
                    sum[i * 200 + j] += rows[i * 200 + k] * rows[k * 200 + j];
        for (long j = 0; j < m; j++)
            for (long i = 0; i < n; i++)
                to[i][j] = 0.5 * from[i][j + 1] + to[i][j];
    }
}

int main(void) {
    struct sizes s = {1, 200, 1L << 38, 0};
    double *rows = calloc(200 * 200, sizeof *rows), *sum = calloc(200 * 200, sizeof *sum);
    rows[205] = rows[1005] = 3;
    k(&s, 0, 0, sum, rows);
    double *to = calloc(300 * 400, 8), *from = calloc(300 * 400, 8);
    from[7 * 400 + 10] = 6;
    s.m = s.n = 300;
    k(&s, to, from, sum, rows);
    s.n = 1L << 38, s.m = 0;
    l(&s, 0, 0, sum, rows);
    double **to_rows = malloc(300 * sizeof *to_rows), **from_rows = malloc(300 * sizeof *from_rows);
    for (int i = 0; i < 300; i++)
        to_rows[i] = to + i * 400, from_rows[i] = from + i * 400;
    s.m = s.n = 300;
    l(&s, to_rows, from_rows, sum, rows);
    // Copies of rows are made and given back with these: the program has them.
    memcpy(from, to, 300 * 400 * sizeof *to);
    printf("fine %g %g\n", sum[205], from[7 * 400 + 9]);
    free(from_rows), free(to_rows), free(from), free(to), free(sum), free(rows);
}
