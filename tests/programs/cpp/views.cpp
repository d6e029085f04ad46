// Views of memory: a pointer and sizes in one object, which the stores of a nest might overwrite.
#include "../c/check.h"
#include <vector>

struct Span {
    long *data;
    unsigned long size;
    long &operator[](unsigned long i) { return data[i]; }
};

// transformed: yes
KERNEL void k_spans(long n, Span &c, Span &a, Span &b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] ^ b[k * n + j];
}

// Bounds, row length and data are of the same type as the elements.
struct Matrix {
    int rows, columns;
    int *data;
    int &operator()(int i, int j) { return data[i * columns + j]; }
};

// transformed: yes
KERNEL void k_matrices(Matrix &c, Matrix &a, Matrix &b) {
    for (int i = 0; i < c.rows; i++)
        for (int j = 0; j < c.columns; j++)
            for (int k = 0; k < a.columns; k++)
                c(i, j) ^= a(i, k) & b(k, j);
}

// transformed: any
KERNEL void k_transpose(Matrix &c, Matrix &a) {
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.columns; j++)
            c(j, i) = a(i, j) + 1;
}

// Two dimensions with strides, all in the object.
struct Strided {
    long *data;
    long extents[2], strides[2];
    long &operator()(long i, long j) { return data[i * strides[0] + j * strides[1]]; }
};

// transformed: any
KERNEL void k_strided(Strided &c, Strided &a) {
    for (long j = 0; j < c.extents[1]; j++)
        for (long i = 0; i < c.extents[0]; i++)
            c(i, j) += a(i, j) * 3;
}

// A pointer that need not point to anything: the object is read where the nest certainly reads it.
// transformed: yes
KERNEL void k_pointers(long n, Span *c, Span *a) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            c->data[j * n + i] = a->data[j * n + i] + i;
}

// The object may be missing if there is nothing to do.
// transformed: yes
KERNEL void k_missing(long n, long first, Span *c, Span *a) {
    for (long i = 0; i < n; i++)
        for (long j = first; j < n; j++)
            c->data[j * n + i] = a->data[j * n + i] + i;
}

struct Holder {
    long n;
    Span *c, *a;
};

// A pointer behind a pointer.
// transformed: any
KERNEL void k_behind(Holder &all) {
    for (long i = 0; i < all.n; i++)
        for (long j = 0; j < all.n; j++)
            all.c->data[j * all.n + i] += all.a->data[j * all.n + i] + i;
}

// The length is an element of the array that the nest writes: from the second column on it is another one.
// transformed: any
KERNEL void k_own_length(long n, long *a) {
    for (long j = 1; j < n; j++)
        for (long i = 1; i < a[0]; i++)
            a[i * n + j] += a[i * n + j - 1] + 1;
}

// As before, but the length lies before the elements, or among them: `length` says where.
// transformed: yes
KERNEL void k_foreign_length(long n, const long *length, long *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < *length; i++)
            a[i * n + j] -= 2;
}

FRAME Span span(void *pool) { return Span{(long *)pool, LENGTH}; }

MAIN {
    Span c = span(C), a = span(A), b = span(B);
    FOR_SIZES(n) {
        RUN(bits, k_spans, n, n, c, a, b);
        RUN(bits, k_spans, n, n, c, c, b);
        Matrix mc{n, n, (int *)C}, ma{n, n + 1, (int *)A}, mb{n + 1, n, (int *)B}, md{n + 1, n, (int *)C};
        RUN(bits, k_matrices, n, mc, ma, mb);
        RUN(bits, k_matrices, n, mc, ma, mc);
        RUN(bits, k_transpose, n, md, ma);
        RUN(bits, k_transpose, n, mc, mc);
        Strided sc{(long *)C, {n, n}, {n, 1}}, sa{(long *)A, {n, n}, {n, 1}}, turned{(long *)A, {n, n}, {1, n}};
        RUN(bits, k_strided, n, sc, sa);
        RUN(bits, k_strided, n, sc, turned);
        RUN(bits, k_strided, n, turned, sc);
        RUN(bits, k_strided, n, sa, turned);
        RUN(bits, k_pointers, n, n, &c, &a);
        RUN(bits, k_pointers, n, n, &c, &c);
        RUN(bits, k_missing, n, n, 0, &c, &a);
        RUN(bits, k_missing, n, n, n, nullptr, nullptr);
        Holder all{n, &c, &a};
        RUN(bits, k_behind, n, all);
        reset_bits();
        ((long *)A)[0] = n;
        k_own_length(n, (long *)A);
        report("k_own_length", n);
        reset_bits();
        ((long *)A)[0] = n;
        k_foreign_length(n, (long *)A, (long *)B);
        k_foreign_length(n, (long *)A, (long *)A + 1);
        report("k_foreign_length", n);
        if (n > 3) {
            // The nest shortens its own loop.
            long *place = (long *)A + n + n / 2;
            *place = n;
            k_foreign_length(n, place, (long *)A);
            report("k_foreign_length", n);
        }
        // The object is part of the data, and made another one by the nest.
        reset_bits();
        Span *inside = (Span *)((long *)C + n);
        *inside = a;
        memset(A, 0, POOL_BYTES);
        memset(B, 0, POOL_BYTES);
        k_spans(n, c, *inside, b);
        *inside = Span{nullptr, 0};
        report("k_spans", n);
    }
    return 0;
}
