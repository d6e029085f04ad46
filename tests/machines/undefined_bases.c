// flags: -O2 -fsanitize=memory
// code: new
// min-work: 0 1 64 100
// Arrays are set only where the loops that use them have iterations: all of them are undefined in the first call, where nothing is
// done, half of them in the second one, where new code runs.
#include <stdio.h>

struct view {
    double *a, *b, *c, *d;
};
static double A[1000000], B[1000000];

__attribute__((noinline)) void k(int n, int m, int l, int o, const struct view *v) {
    double *a = v->a, *b = v->b, *c = v->c, *d = v->d;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++)
            for (int x = 0; x < l; x++)
                a[j * 1000 + i] += b[x * 1000 + j];
        for (int j = 0; j < o; j++)
            for (int x = 0; x < l; x++)
                c[j * 1000 + i] += d[x * 1000 + j];
    }
}

int main(int argc, char **argv) {
    struct view v;
    if (argc > 3)
        v.a = v.c = A, v.b = v.d = B;
    k(1000, argc > 3 ? 8 : 0, 1000, argc > 4 ? 8 : 0, &v);
    B[5] = 3;
    v.a = A, v.b = B;
    k(1000, 8, 1000, argc > 4 ? 8 : 0, &v);
    printf("%s %d\n", argc > 3 ? argv[3] : "fine", (int)A[5009]);
}
