/* Bounds and starts in memory that stores might change: new code in the old order, for vectors. Some stores do change them. */
#include "check.h"

struct block {
    long n;
    unsigned char *p;
};

// transformed: yes
KERNEL void k_negative(struct block *b) {
    for (long i = 0; i < b->n; i++)
        b->p[i] = 255 - b->p[i];
}

struct image {
    int h, w;
    unsigned char *p;
};

// transformed: yes
KERNEL void k_rows(struct image *image) {
    for (int y = 0; y < image->h; y++)
        for (int x = 0; x < image->w; x++)
            image->p[y * image->w + x] ^= 85;
}

// transformed: yes
KERNEL void k_product(struct image *image) {
    for (int i = 0; i < image->h * image->w; i++)
        image->p[i] += 3;
}

struct numbers {
    unsigned long n, *p, *q;
};

// transformed: yes
KERNEL void k_numbers(struct numbers *s) {
    for (unsigned long i = 0; i < s->n; i++)
        s->p[i] += 2 * s->q[i];
}

// transformed: no
KERNEL void k_chain(struct block *b) {
    for (long i = 0; i + 1 < b->n; i++)
        b->p[i + 1] += b->p[i];
}

// transformed: yes
KERNEL void k_lengths(const int *n, const int *m, unsigned *p, const unsigned *q) {
    for (int i = 0; i < *n * *m; i++)
        p[i] = q[i] >> 1;
}

/* What the loop goes by is among what it writes: it ends where the bytes say. */
union own {
    struct block block;
    struct numbers numbers;
    unsigned long longs[512];
    int ints[1024];
};

MAIN {
    for (long n = 0; n <= 8192; n = n < 4 ? n + 1 : 2 * n + n % 3) {
        struct block block = {n, A};
        RUN(bits, k_negative, n, &block);
        RUN(bits, k_chain, n, &block);
        int h = (int)(n / 9), w = (int)(n % 100) + 20;
        struct image image = {h, w, B};
        RUN(bits, k_rows, n, &image);
        RUN(bits, k_product, n, &image);
        struct numbers numbers = {n, A, B}, shifted = {n, (unsigned long *)A + 1, A}, same = {n, A, A};
        RUN(bits, k_numbers, n, &numbers);
        RUN(bits, k_numbers, n, &shifted);
        RUN(bits, k_numbers, n, &same);
        h = (int)(n / 50);
        w = 37;
        RUN(bits, k_lengths, n, &h, &w, C, B);
        RUN(bits, k_lengths, n, &h, &w, C, C);
    }
    for (int start = 0; start < 3000; start += 271) {
        union own *own = (union own *)((unsigned char *)D + 8 * start);
        /* Byte by byte the number becomes its complement, which is negative in the end. */
        reset_bits();
        own->block.n = 5000;
        own->block.p = (unsigned char *)own - start;
        k_negative(&own->block);
        own->block.p = 0;
        report("k_negative", start);
        /* 5000 becomes start + 100. */
        reset_bits();
        own->numbers.n = 5000;
        own->numbers.p = (unsigned long *)own - start;
        own->numbers.q = B;
        ((long *)B)[start] = (start + 100 - 5000) / 2;
        ((long *)B)[start + 1] = ((long *)B)[start + 2] = 0;
        k_numbers(&own->numbers);
        own->numbers.p = own->numbers.q = 0;
        report("k_numbers", start);
        /* 200 times 30 becomes 150 times 30. */
        reset_bits();
        own->ints[0] = 200;
        int times = 30;
        ((unsigned *)C)[start] = 300;
        k_lengths(own->ints, &times, (unsigned *)own - start, C);
        report("k_lengths", start);
    }
    return 0;
}
