// flags: -m32 -fno-strict-overflow
// code: old
// Rows lie 2^30 elements apart, 2^32 bytes: with addresses of 32 bits all of them are one.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void k(unsigned n, unsigned m, unsigned s, int *restrict a, int *restrict b) {
    for (unsigned i = 0; i + 1 < n; i++)
        for (unsigned j = 1; j < m; j++)
            a[j * s + i] += a[j * s + i + 1] * 3 + b[j * n + i];
}

int main(void) {
    unsigned n = 300, m = 200, hash = 0;
    int *a = calloc(n, sizeof *a), *b = malloc(n * m * sizeof *b);
    for (unsigned i = 0; i < n * m; i++)
        b[i] = (int)(i % 1000);
    for (unsigned i = 0; i < n; i++)
        a[i] = (int)i;
    k(n, m, 1u << 30, a, b);
    for (unsigned i = 0; i < n; i++)
        hash = hash * 31 + (unsigned)a[i];
    printf("%u\n", hash);
}
