/* Control flow: while loops, early exits, goto, several exits, unreachable ends. */
#include "check.h"

// transformed: any
KERNEL void k_while(long n, double *a) {
    long j = 0;
    while (j < n) {
        long i = 0;
        while (i < n) {
            a[i * n + j] *= 0.5;
            i++;
        }
        j++;
    }
}

// transformed: any
KERNEL void k_break(long n, double *a, const double *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            if (b[i * n + j] > 0.95)
                break;
            a[i * n + j] *= 0.5;
        }
}

// transformed: any
KERNEL void k_affine_break(long n, double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            if (i > 2 * j)
                break;
            a[i * n + j] *= 0.5;
        }
}

// transformed: any
KERNEL double k_return(long n, double *a, const double *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            if (b[i * n + j] > 0.999)
                return (double)(i * n + j);
            a[i * n + j] *= 0.5;
        }
    return -1.0;
}

// transformed: any
KERNEL void k_goto_out(long n, double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            a[i * n + j] *= 0.5;
            if (a[i * n + j] > 0.49)
                goto out;
        }
    a[0] = 17.0;
out:
    a[1] += 1.0;
}

// transformed: any
KERNEL void k_two_entries(long n, int middle, double *a) {
    long i = 0;
    if (middle)
        goto inside;
    for (; i < n; i++) {
        a[i] += 1.0;
    inside:
        a[i] *= 0.5;
    }
}

// transformed: no
KERNEL void k_until(long n, double *a) {
    for (long j = 0; j < n; j++)
        while (a[j] > 0.001)
            a[j] *= 0.5;
}

// transformed: any
KERNEL void k_search(long n, const double *a, double *found) {
    for (long j = 0; j < n; j++) {
        long i = 0;
        while (i < n && a[i * n + j] < 0.9)
            i++;
        found[j] = (double)i;
    }
}

// transformed: any
KERNEL void k_three_nests(long n, double *a, double *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] *= 0.5;
    b[0] = a[0];
    for (long j = 0; j < n; j++) {
        b[j] += 1.0;
        for (long i = 0; i < n; i++)
            b[i * n + j] = a[j * n + i];
        b[j] *= 0.5;
    }
    if (n > 10)
        for (long j = 0; j < n; j++)
            for (long i = 0; i < n; i++)
                a[i * n + j] -= b[i * n + j];
}

// transformed: any
KERNEL void k_nest_in_condition(long n, int flag, double *a) {
    for (long t = 0; t < 3; t++)
        if (flag + t > 3)
            for (long j = 0; j < n; j++)
                for (long i = 0; i < n; i++)
                    a[i * n + j] *= 0.5;
        else
            for (long i = 0; i < n; i++)
                a[i] += 1.0;
}

// transformed: any
KERNEL void k_recursive(long n, double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = 0.5 * a[i * n + j] + 0.125;
    if (n > 1)
        k_recursive(n / 2, a);
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_while, n, n, A);
        RUN(f64, k_break, n, n, A, B);
        RUN(f64, k_affine_break, n, n, A);
        RUN_VALUE(f64, k_return, n, n, A, B);
        RUN(f64, k_goto_out, n, n, A);
        RUN(f64, k_two_entries, n, n, 0, A);
        RUN(f64, k_two_entries, n, n, 1, A);
        RUN(f64, k_until, n, n, A);
        RUN(f64, k_search, n, n, A, B);
        RUN(f64, k_three_nests, n, n, A, B);
        RUN(f64, k_nest_in_condition, n, n, 2, A);
        RUN(f64, k_recursive, n, n, A);
    }
    return 0;
}
