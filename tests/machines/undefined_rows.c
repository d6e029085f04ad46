// flags: -O2 -fsanitize=memory
// code: new
// min-work: 0 1 64 100
// Pointers to rows, and the size of rows, that are set only where there is one: none in two calls, where nothing is done, and those of the
// first inner loop in the last call, where new code runs.
#include <stdio.h>
#include <stdlib.h>

struct rows {
    long n, m, others, stride;
    double **row, **other;
    double *weight;
};

__attribute__((noinline)) void k(const struct rows *r) {
    long n = r->n, m = r->m, others = r->others, stride = r->stride;
    double *weight = r->weight, **row = r->row, **other = r->other;
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < m; j++)
            row[j][i] += weight[j * stride + i];
        for (long j = 0; j < others; j++)
            other[j][i] += weight[j * stride + i];
    }
}

int main(void) {
    struct rows *r = malloc(sizeof *r);
    r->row = malloc(100 * sizeof *r->row);
    r->n = 0, r->m = 100;
    k(r); // neither the rows nor the weights are set, nor are the others and how many they are
    r->n = 100, r->m = 0, r->others = 0;
    k(r);
    for (int j = 0; j < 100; j++)
        r->row[j] = calloc(100, sizeof **r->row);
    r->weight = calloc(10000, sizeof *r->weight);
    r->weight[705] = 3;
    r->m = r->stride = 100;
    k(r); // the other rows are not set
    printf("fine %d\n", (int)r->row[7][5]);
}
