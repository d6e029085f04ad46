// flags: -m32
// code: new
// Numbers of 8 to 64 bits that are computed from counters of 32.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void k(int n, int m, int64_t *a, int8_t *b, const uint16_t *c) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            a[j * n + i] = (int64_t)i * j * 100000 - c[j * n + i] - (int64_t)(i - j);
            b[j * n + i] = (int8_t)(i * j - c[j * n + i]);
        }
}

int main(void) {
    int n = 222, m = 303;
    unsigned size = (unsigned)(n * m), hash = 0;
    int64_t *a = calloc(size, sizeof *a);
    int8_t *b = calloc(size, sizeof *b);
    uint16_t *c = malloc(size * sizeof *c);
    for (unsigned i = 0; i < size; i++)
        c[i] = (uint16_t)(i * 77);
    k(n, m, a, b, c);
    for (unsigned i = 0; i < size; i++)
        hash = hash * 31 + (unsigned)a[i] + (unsigned)(a[i] >> 32) * 7 + (unsigned)b[i];
    printf("%u\n", hash);
}
