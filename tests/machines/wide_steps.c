// flags: -m32
// code: any
// The number of iterations is a quotient of 64 bits, which 32-bit machines call a function for; values of 64 bits are stored.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void k(long long n, long long m, long long *a, const long long *b) {
    for (long long i = 0; i < n; i += 3)
        for (long long j = 0; j < m; j += 7)
            a[j * n + i] = b[j * n + i] * 3 + i * 5 - (j << 20) * j;
}

int main(void) {
    int n = 200, m = 300;
    unsigned hash = 0;
    long long *a = calloc((unsigned)(n * m), sizeof *a), *b = malloc((unsigned)(n * m) * sizeof *b);
    for (int i = 0; i < n * m; i++)
        b[i] = (long long)i << (i % 50);
    k(n, m, a, b);
    k(0, (1LL << 40) + 7, a, b);
    for (int i = 0; i < n * m; i++)
        hash = hash * 31 + (unsigned)a[i] + (unsigned)(a[i] >> 32);
    printf("%u\n", hash);
}
