// flags: -m32
// code: new
// Rows behind pointers of 32 bits, in small blocks.
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
        a[j] = malloc((unsigned)n * sizeof **a);
    for (int j = 0; j < m; j++)
        b[j] = malloc((unsigned)n * sizeof **b);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            a[j][i] = i * j % 1000, b[j][i] = i + j;
    k(n, m, a, b);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            hash = hash * 31 + (unsigned)a[j][i];
    printf("%u\n", hash);
}
