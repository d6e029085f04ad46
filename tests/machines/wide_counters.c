// flags: -m32
// code: new
// Counters and sizes of 64 bits where addresses have 32.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void k(long long n, long long m, int *a, const int *b) {
    for (long long i = 0; i < n; i++)
        for (long long j = 0; j < m; j++)
            a[j * n + i] = b[j * n + i] * 3 + (int)i;
}

int main(void) {
    int n = 200, m = 300;
    unsigned hash = 0;
    int *a = calloc((unsigned)(n * m), sizeof *a), *b = malloc((unsigned)(n * m) * sizeof *b);
    for (int i = 0; i < n * m; i++)
        b[i] = i % 1000;
    k(n, m, a, b);
    k(0, (1LL << 40) + 7, a, b);
    k(-5, m, a, b);
    for (int i = 0; i < n * m; i++)
        hash = hash * 31 + (unsigned)a[i];
    printf("%u\n", hash);
}
