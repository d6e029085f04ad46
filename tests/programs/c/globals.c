/* Globals that other functions of the file use, too: loads of them elsewhere are none of the kernel's. */
#include "check.h"

double *a, *b, *c;
long size;
struct {
    double *data;
    long rows, columns;
} matrix;
int *table;
double square[100][100];

__attribute__((noinline)) double k_before(long i) {
    a[i] += 1;
    return c[i] + b[i] + (double)size + matrix.data[matrix.rows + matrix.columns] + square[1][i];
}

// transformed: yes
KERNEL void k_pointers(void) {
    for (long i = 0; i < size; i++)
        for (long j = 0; j < size; j++)
            for (long k = 0; k < size; k++)
                c[i * size + j] += a[i * size + k] * b[k * size + j];
}

// transformed: any
KERNEL void k_struct(void) {
    for (long j = 0; j < matrix.columns; j++)
        for (long i = 0; i < matrix.rows; i++)
            matrix.data[i * matrix.columns + j] += b[i * matrix.columns + j];
}

// transformed: yes
KERNEL void k_square(int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                square[i][j] += a[i * n + k] * b[k * n + j];
}

// transformed: any
KERNEL void k_entries(long n) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            square[i][j] += table[i] + table[j];
}

__attribute__((noinline)) double k_after(long i) {
    double sum = 0;
    for (long k = 0; k < size; k++)
        sum += a[k] + b[k] * c[i] + matrix.data[k] + square[k % 100][i] + table[k];
    a[i] -= 1;
    return sum + (double)matrix.columns;
}

FRAME void set(long n) {
    a = A, b = B, c = C, size = n;
    matrix.data = D, matrix.rows = n, matrix.columns = n;
    table = B;
    memset(square, 0, sizeof square);
}

FRAME double all(void) {
    double sum = 0;
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 100; j++)
            sum = sum * 0.999 + square[i][j];
    return sum;
}

MAIN {
    FOR_SIZES(n) {
        set(n);
        RUN_VALUE(f64, k_before, n, 3);
        RUN(f64, k_pointers, n);
        RUN(f64, k_struct, n);
        RUN(f64, k_square, n, n);
        table = A;
        RUN(bits, k_entries, n, n);
        printf("%a\n", all());
        RUN_VALUE(f64, k_after, n, 4);
    }
    return 0;
}
