// flags: -m32
// code: old
// Rows of one array that overlap, behind pointers of 32 bits.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void k(int n, int m, int **a, int **b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[j][i] = b[j][i] * 3 + a[j][i];
}

int main(void) {
    int n = 200, m = 100;
    unsigned hash = 0;
    int **a = malloc((unsigned)m * sizeof *a), **b = malloc((unsigned)m * sizeof *b);
    for (int j = 0; j < m; j++)
        a[j] = malloc(((unsigned)n + 1) * sizeof **a), a[j][n] = 1;
    for (int j = 0; j < m; j++)
        b[j] = a[(j * 7) % m] + 1;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            a[j][i] = i * j % 1000;
    k(n, m, a, b);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            hash = hash * 31 + (unsigned)a[j][i];
    printf("%u\n", hash);
}
