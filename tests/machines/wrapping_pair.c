// flags: -m32 -fno-strict-overflow
// code: old
// One array begins where the other one would go on after the end of the address space.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void k(unsigned n, unsigned s, int *a, int *b) {
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++)
            a[j * s + i] += b[j * n + i + 1] * 3;
}

int main(void) {
    unsigned n = 200, s = (1u << 30) + 200, hash = 0;
    int *a = malloc((n * n + n) * sizeof *a);
    for (unsigned i = 0; i < n * n + n; i++)
        a[i] = (int)(i % 1000);
    k(n, s, a, a);
    for (unsigned i = 0; i < n * n + n; i++)
        hash = hash * 31 + (unsigned)a[i];
    printf("%u\n", hash);
}
