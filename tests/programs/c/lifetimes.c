/* Variables that a nest looks at only where it may, and which are out of scope where it does not: what the guard reads before the nest
 * must not be more. AddressSanitizer and MemorySanitizer see it. */
#include "check.h"

struct holder {
    double *data;
    long size;
};

__attribute__((noinline, optnone)) static void hold(struct holder *h, double *data, long size) {
    h->data = data;
    h->size = size;
}

// transformed: any
KERNEL void k_out_of_scope(long n, int is_used, double *c, const double *a) {
    const struct holder *late = NULL;
    struct holder outer;
    if (is_used) {
        hold(&outer, (double *)a, n);
        late = &outer;
    } else {
        struct holder inner;
        hold(&inner, (double *)a, n);
        c[0] = (double)inner.size;
        late = &inner;
    }
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            c[i * n + j] += a[i * n + j];
            if (is_used)
                c[i * n + j] += late->data[j * n + i];
        }
}

// transformed: any
KERNEL void k_only_out_of_scope(long n, long from, double *c, const double *a) {
    const struct holder *late;
    {
        struct holder inner;
        hold(&inner, (double *)a, n);
        late = &inner;
    }
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            c[i * n + j] += a[i * n + j];
            if (i >= from)
                c[i * n + j] += late->data[j * n + i];
        }
}

// transformed: any
KERNEL void k_never_set(long n, long from, double *c, const double *a) {
    struct holder h;
    if (from < n)
        hold(&h, c, n);
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            c[i * n + j] += a[i * n + j];
            if (i >= from)
                h.data[i * n + j] *= 0.5;
        }
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_out_of_scope, n, n, 0, C, A);
        RUN(f64, k_out_of_scope, n, n, 1, C, A);
        RUN(f64, k_only_out_of_scope, n, n, n, C, A);
        RUN(f64, k_never_set, n, n, n, C, A);
        RUN(f64, k_never_set, n, n, n / 2, C, A);
    }
    return 0;
}
