// Vectors of vectors: the headers of the rows are read before the nest, and must be neither changed nor overlapped by its stores.
#include "../c/check.h"
#include <vector>

using row = std::vector<double>;
using matrix = std::vector<row>;

// transformed: yes
KERNEL void k_product(int n, matrix &c, const matrix &a, const matrix &b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i][j] *= 0.5;
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
        }
}

// transformed: yes
KERNEL void k_factorise(int n, matrix &a) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double rest = a[i][j];
            for (int k = 0; k < j; k++)
                rest -= a[i][k] * a[k][j];
            a[i][j] = rest / a[j][j];
        }
        for (int j = i; j < n; j++) {
            double rest = a[i][j];
            for (int k = 0; k < i; k++)
                rest -= a[i][k] * a[k][j];
            a[i][j] = rest;
        }
    }
}

// transformed: yes
KERNEL void k_cube(int n, std::vector<matrix> &a, const std::vector<matrix> &b) {
    for (int k = 1; k < n - 1; k++)
        for (int j = 1; j < n - 1; j++)
            for (int i = 1; i < n - 1; i++)
                a[i][j][k] = b[i - 1][j][k] + b[i + 1][j][k] + b[i][j - 1][k] + b[i][j + 1][k] + 0.5 * b[i][j][k + 1];
}

// Rows with no room for what is not used.
// transformed: any
KERNEL void k_ragged(int n, matrix &a, const row &x) {
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            a[i][j] = a[i][j] * 0.5 + x[i];
}

// transformed: any
KERNEL void k_clear(int n, matrix &a, const matrix &b) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i][j] = 0.0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                a[i][j] += b[k][j] * b[j][k];
    }
}

FRAME void fill(row &to, unsigned seed) {
    for (double &x : to) {
        seed = seed * 1103515245u + 12345u;
        x = (double)(seed >> 8) / (1 << 24) - 0.5;
    }
}

FRAME void show(const char *name, int n, const matrix &all) {
    uint64_t hash = 1;
    for (const row &each : all)
        for (double x : each) {
            uint64_t word;
            memcpy(&word, &x, 8);
            hash = (hash ^ word) * 1099511628211u;
        }
    printf("%s %d %016llx\n", name, n, (unsigned long long)hash);
}

// Rows made one after the other, in another order, or beside each other in turn.
FRAME matrix make(int n, int m, unsigned seed, int order) {
    matrix all(n);
    for (int at = 0; at < n; at++) {
        int i = order == 1 ? n - 1 - at : order == 2 ? at * 17 % n : at;
        all[i] = row(m);
        if (order == 3)
            new row(5);
        fill(all[i], seed + i);
    }
    return all;
}

MAIN {
    for (int order = 0; order < 4; order++)
        FOR_SIZES(n) {
            matrix a = make(n, n, 1, order), b = make(n, n, 2, order), c = make(n, n, 3, order);
            k_product(n, c, a, b);
            show("k_product", n, c);
            k_product(n, c, c, b);
            show("k_product", n, c);
            k_clear(n, a, b);
            show("k_clear", n, a);
            for (int i = 0; i < n; i++)
                b[i][i] += 10.0;
            k_factorise(n, b);
            show("k_factorise", n, b);
            matrix triangle(n);
            for (int i = 0; i < n; i++)
                fill(triangle[i] = row(i + 1), i);
            if (n > 0)
                k_ragged(n, triangle, c[0]);
            show("k_ragged", n, triangle);
            if (n < 32) {
                std::vector<matrix> cube, other;
                for (int i = 0; i < n; i++) {
                    cube.push_back(make(n, n, i, order));
                    other.push_back(make(n, n, 50 + i, order));
                }
                k_cube(n, cube, other);
                k_cube(n, cube, cube);
                for (const matrix &each : cube)
                    show("k_cube", n, each);
            }
        }
    return 0;
}
