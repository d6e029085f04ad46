// flags: -O2 -fsanitize=memory
// code: old
// min-work: 0 1 64 100
// A size of which the type promises a range is set only where it is used.
#include <stdio.h>
#include <stdlib.h>

struct grid {
    unsigned char width;
    unsigned short height;
    _Bool flag;
    int *cells, *other;
};

__attribute__((noinline)) void k(long n, long m, const struct grid *g) {
    long width = g->width, height = g->height, flag = g->flag;
    int *cells = g->cells, *other = g->other;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            for (long x = 0; x < width; x++)
                for (long y = 0; y < height + flag; y++)
                    cells[y * 300 + x] += other[y * 300 + x] + (int)i;
}

int main(void) {
    struct grid *g = malloc(sizeof *g);
    k(1000, 0, g);
    puts("fine");
}
