// flags: -O2 -fsanitize=memory
// code: new
// The arrays are set only where the inner loops have iterations.
#include <stdio.h>

struct view {
    double *a, *b;
};
static double A[1000000], B[1000000];

__attribute__((noinline)) void k(int n, int m, int l, const struct view *v) {
    double *a = v->a, *b = v->b;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int x = 0; x < l; x++)
                a[j * 1000 + i] += b[x * 1000 + j];
}

int main(int argc, char **argv) {
    struct view v;
    if (argc > 3)
        v.a = A, v.b = B;
    k(1000, argc > 3 ? 8 : 0, 1000, &v);
    printf("%s %d\n", argc > 3 ? argv[3] : "fine", (int)A[9]);
}
