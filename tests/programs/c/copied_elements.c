/* Scalars that have what an element has, or will have, or had, with other stores to the element around them. The pointers may be equal, so that the compiler
   leaves all of them. */
#include "check.h"

enum { N = 100, M = 97 };

#define ARGUMENTS float *a, float *b, float *c, const float *d, int n, int m

/* The sum of the inner loop is kept for its next run. */
// transformed: any
KERNEL void k_kept(ARGUMENTS) {
    for (int i = 0; i < n; i++)
        for (int r = 0; r < m; r++)
            for (int t = 0; t < m / 4; t++)
                a[i] += d[t] * d[r];
}

/* Stored again between the store of the next value and the next value itself. */
// transformed: any
KERNEL void k_next(ARGUMENTS) {
    for (int i = 0; i < n; i++) {
        float p = a[i];
        for (int t = 0; t < m; t++) {
            float v = d[t] * 2.f;
            a[i] = v;
            b[t] = d[t] + 1.f;
            c[t] = c[t] + a[i];
            a[i] = p;
            p = v;
        }
    }
}

/* Another value between them. */
// transformed: any
KERNEL void k_another(ARGUMENTS) {
    for (int i = 0; i < n; i++) {
        float p = a[i];
        for (int t = 0; t < m; t++) {
            a[i] = p;
            float v = d[t] * 2.f;
            a[i] = v;
            b[t] = d[t] + 1.f;
            c[t] = c[t] + a[i];
            a[i] = d[t] + 3.f;
            b[t] = b[t] + 1.f;
            p = v;
        }
    }
}

/* Two sums, and the element of the first used between them. */
// transformed: any
KERNEL void k_two(ARGUMENTS) {
    for (int i = 0; i < n; i++) {
        float p = a[i];
        for (int r = 0; r < m; r++) {
            a[i] = p;
            for (int t = 0; t < r % 5; t++) {
                a[i] += d[t] * d[r];
                b[t] = d[t];
            }
            p = a[i];
            c[r] += p;
        }
    }
}

/* Stores under conditions. */
// transformed: any
KERNEL void k_sometimes(ARGUMENTS) {
    for (int i = 0; i < n; i++) {
        float p = a[i];
        for (int r = 0; r < m; r++) {
            float v = d[r];
            if (r > 3)
                a[i] = v;
            b[r] = d[r] + 2;
            if (r > 5)
                a[i] = p;
            c[r] += 1;
            if (r < 20)
                a[i] = v;
            b[r] += 1;
            p = v;
        }
    }
}

/* The value of the iteration before, in the element of another one. */
// transformed: any
KERNEL void k_neighbour(ARGUMENTS) {
    for (int i = 1; i < n; i++) {
        float p = a[i];
        for (int r = 0; r < m; r++) {
            a[i] = p;
            b[r] += d[r];
            a[i - 1] = d[r] + p;
            c[r] += a[i - 1];
            p = a[i] + 1.f;
            a[i] = p;
        }
    }
}

/* A first value that is not the element's. */
// transformed: any
KERNEL void k_first(ARGUMENTS) {
    for (int i = 0; i < n; i++) {
        float p = d[i];
        for (int r = 0; r < m; r++) {
            a[i] = p;
            b[r] += d[r];
            c[r] += a[i];
            p = a[i];
        }
    }
}

/* Zeros, which are equal values of two statements. */
// transformed: any
KERNEL void k_zeros(ARGUMENTS) {
    for (int i = 0; i < n; i++) {
        a[i] = 0;
        for (int r = 0; r < m; r++)
            for (int t = 0; t < r % 4; t++)
                a[i] += d[t] * b[r];
    }
}

#define AT(p, distance) ((float *)pools[p] + (distance))

#define ALL(size, a, b, c)                                                                                            \
    RUN(f32, k_kept, size, a, b, c, AT(3, 0), N, M);                                                                  \
    RUN(f32, k_next, size, a, b, c, AT(3, 0), N, M);                                                                  \
    RUN(f32, k_another, size, a, b, c, AT(3, 0), N, M);                                                               \
    RUN(f32, k_two, size, a, b, c, AT(3, 0), N, M);                                                                   \
    RUN(f32, k_sometimes, size, a, b, c, AT(3, 0), N, M);                                                             \
    RUN(f32, k_neighbour, size, a, b, c, AT(3, 0), N, M);                                                             \
    RUN(f32, k_first, size, a, b, c, AT(3, 0), N, M);                                                                 \
    RUN(f32, k_zeros, size, a, b, c, AT(3, 0), N, M)

int main(void) {
    ALL(0, AT(0, 0), AT(1, 0), AT(2, 0));
    ALL(1, AT(0, 0), AT(0, 3), AT(2, 0));
    ALL(2, AT(0, 0), AT(1, 0), AT(0, 1));
    ALL(3, AT(0, 0), AT(3, 2), AT(2, 0));
    ALL(4, AT(1, 0), AT(2, 0), AT(2, 0));
    return 0;
}
