// flags: -O2 -fsanitize=memory
// code: new
// Pointers to rows, and the size of rows, that are set only where there is one.
#include <stdio.h>
#include <stdlib.h>

struct rows {
    long n, m, stride;
    double **row;
    double *weight;
};

__attribute__((noinline)) void k(const struct rows *r) {
    long n = r->n, m = r->m, stride = r->stride;
    double *weight = r->weight, **row = r->row;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            row[j][i] += weight[j * stride + i];
}

int main(void) {
    struct rows *r = malloc(sizeof *r);
    r->row = malloc(100 * sizeof *r->row);
    r->n = 0, r->m = 100;
    k(r); // neither the rows nor the weights are set
    r->n = 100, r->m = 0;
    k(r);
    puts("fine");
}
