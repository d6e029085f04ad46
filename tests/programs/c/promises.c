// What the source says about loops: that they carry no dependences, and that they end.
#include "check.h"

#pragma clang diagnostic ignored "-Wpass-failed"

// The rows of A are 2n long; columns from n on are only read where d >= n, as in the calls below.

// transformed: yes
KERNEL void k_promised(long n, long d, double *A) {
#pragma clang loop vectorize(assume_safety)
    for (long j = 0; j < n; j++)
        for (long i = 1; i < n / 2; i++)
            A[i * 2 * n + j] = 0.5 * A[(i - 1) * 2 * n + j + d] + 1.0;
}

// transformed: no
KERNEL void k_not_promised(long n, long d, double *A) {
    for (long j = 0; j < n; j++)
        for (long i = 1; i < n / 2; i++)
            A[i * 2 * n + j] = 0.5 * A[(i - 1) * 2 * n + j + d] + 1.0;
}

// The promise is about the other loop: what the outer one carries stays.
// transformed: no
KERNEL void k_promised_inside(long n, long d, double *A) {
    for (long j = 0; j < n; j++)
#pragma clang loop vectorize(assume_safety)
        for (long i = 1; i < n / 2; i++)
            A[i * 2 * n + j] = 0.5 * A[(i - 1) * 2 * n + j + d] + 1.0;
}

// The sum is no access that the promise is about: it is carried by the inner loop, and its terms keep their order.
// transformed: yes
KERNEL void k_promised_sum(long n, double *A, double *B) {
#pragma clang loop vectorize(assume_safety)
    for (long j = 0; j < n; j++) {
        double sum = 0.0;
        for (long i = 0; i < n; i++)
            sum += A[i * n + j];
        B[j] = sum;
    }
}

// Steps of two that might miss the end: C says that the loop ends.
// transformed: yes
KERNEL void k_ends(unsigned n, double *A) {
    for (unsigned j = 0; j != n; j += 2)
        for (unsigned i = 0; i < n; i++)
            A[(unsigned long)i * n + j] += 1.0;
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_promised, n, n, n, A);
        RUN(f64, k_not_promised, n, n, n, A);
        RUN(f64, k_promised_inside, n, n, n, A);
        RUN(f64, k_promised_sum, n, n, A, B);
        if (n % 2 == 0)
            RUN(f64, k_ends, n, (unsigned)n, A);
    }
    return 0;
}
