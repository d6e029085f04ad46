/* Elements whose size is not the number of bytes that hold something: 80 bits in 16 bytes, 200 in 32, 37 in 8, 1 in 1. Copies of such
 * scalars are as far apart as elements of an array. */
#include "check.h"

typedef long double Long;
typedef unsigned _BitInt(3) Bits3;
typedef unsigned _BitInt(17) Bits17;
typedef unsigned _BitInt(37) Bits37;
typedef unsigned _BitInt(65) Bits65;
typedef unsigned _BitInt(127) Bits127;
typedef unsigned _BitInt(200) Bits200;
typedef unsigned _BitInt(513) Bits513;
typedef unsigned __int128 Bits128;
typedef float Three __attribute__((ext_vector_type(3)));
typedef _Bool Truths __attribute__((ext_vector_type(8)));
struct Padded {
    double value;
    char tag;
};

/* Scalars with copies: one, two of one type. */
#define ARGUMENTS(T) long n, T *c, const T *a, const T *b, T alpha
#define SUM(T)                                                                                                   \
    {                                                                                                                  \
        for (long i = 0; i < n; i++)                                                                                   \
            for (long j = 0; j < n; j++) {                                                                             \
                T sum = 0;                                                                                             \
                for (long k = 0; k < n; k++)                                                                           \
                    sum += a[i * n + k] * b[k * n + j];                                                                \
                c[i * n + j] = alpha * sum + beta * c[i * n + j];                                                      \
            }                                                                                                          \
    }
#define TWO(T)                                                                                                   \
    {                                                                                                                  \
        for (long i = 0; i < n; i++)                                                                                   \
            for (long j = 0; j < n; j++) {                                                                             \
                T sum = 1, most = 0;                                                                                   \
                for (long k = 0; k < n; k++) {                                                                         \
                    T x = a[i * n + k] + b[k * n + j];                                                                 \
                    sum = sum * alpha + x;                                                                             \
                    most = x > most ? x : most;                                                                        \
                }                                                                                                      \
                c[i * n + j] = c[i * n + j] * most - sum;                                                              \
            }                                                                                                          \
    }

// transformed: yes
KERNEL void k_long_double(ARGUMENTS(Long), Long beta) SUM(Long)
// transformed: any
KERNEL void k_two_long_double(ARGUMENTS(Long)) TWO(Long)
// transformed: any
KERNEL void k_bits3(ARGUMENTS(Bits3), Bits3 beta) SUM(Bits3)
// transformed: any
KERNEL void k_bits17(ARGUMENTS(Bits17), Bits17 beta) SUM(Bits17)
// transformed: any
KERNEL void k_two_bits17(ARGUMENTS(Bits17)) TWO(Bits17)
// transformed: any
KERNEL void k_bits37(ARGUMENTS(Bits37), Bits37 beta) SUM(Bits37)
// transformed: any
KERNEL void k_two_bits37(ARGUMENTS(Bits37)) TWO(Bits37)
// transformed: any
KERNEL void k_bits65(ARGUMENTS(Bits65), Bits65 beta) SUM(Bits65)
// transformed: any
KERNEL void k_two_bits65(ARGUMENTS(Bits65)) TWO(Bits65)
// transformed: any
KERNEL void k_bits127(ARGUMENTS(Bits127), Bits127 beta) SUM(Bits127)
// transformed: any
KERNEL void k_bits128(ARGUMENTS(Bits128), Bits128 beta) SUM(Bits128)
// transformed: any
KERNEL void k_two_bits128(ARGUMENTS(Bits128)) TWO(Bits128)
// transformed: any
KERNEL void k_bits200(ARGUMENTS(Bits200), Bits200 beta) SUM(Bits200)
// transformed: any
KERNEL void k_two_bits200(ARGUMENTS(Bits200)) TWO(Bits200)
// transformed: any
KERNEL void k_bits513(ARGUMENTS(Bits513), Bits513 beta) SUM(Bits513)

/* Scalars of two types share a buffer. */
// transformed: any
KERNEL void k_mixed(long n, Long *c, const Long *a, const Bits200 *b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            Long sum = 0;
            Bits200 bits = 5;
            signed char small = 1;
            for (long k = 0; k < n; k++) {
                sum += a[k * n + j];
                bits = bits * 3 + b[k * n + j];
                small = (signed char)(small ^ k);
            }
            c[i * n + j] = c[i * n + j] * 0.5L + sum + (Long)(unsigned long)(bits >> 100) + small;
        }
}

/* Vectors of three and of truth values take more room than they hold. */
// transformed: any
KERNEL void k_three(long n, Three *c, const Three *a, const Three *b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            Three sum = 0;
            for (long k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum - c[i * n + j] * 0.25f;
        }
}

// transformed: any
KERNEL void k_truths(long n, unsigned char *c, const unsigned char *a, const unsigned char *b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            Truths all = __builtin_bit_cast(Truths, (unsigned char)0xff);
            _Bool one = 0;
            for (long k = 0; k < n; k++) {
                all &= __builtin_bit_cast(Truths, (unsigned char)(a[i * n + k] | b[k * n + j]));
                one ^= b[k * n + j] > 77;
            }
            c[i * n + j] = (unsigned char)(c[i * n + j] ^ __builtin_bit_cast(unsigned char, all) ^ one);
        }
}

// transformed: any
KERNEL void k_padded(long n, struct Padded *c, const struct Padded *a, const struct Padded *b, double alpha) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0;
            char tag = 0;
            for (long k = 0; k < n; k++) {
                sum += a[i * n + k].value * b[k * n + j].value;
                tag = (char)(tag ^ b[k * n + j].tag);
            }
            c[i * n + j].value = alpha * sum - c[i * n + j].value;
            c[i * n + j].tag = (char)(c[i * n + j].tag ^ tag);
        }
}

/* Small numbers, so that every type holds them and no bit pattern is not a number. */
FRAME unsigned number(size_t at) { return (unsigned)(at * 2654435761u >> 7) % 7; }
#define RESET(T)                                                                                                       \
    do {                                                                                                               \
        memset(pools, 0, sizeof pools);                                                                                \
        for (size_t at_ = 0; at_ < POOL_BYTES / sizeof(T); at_++) {                                                    \
            ((T *)A)[at_] = (T)number(at_);                                                                            \
            ((T *)B)[at_] = (T)number(at_ + 1000);                                                                     \
            ((T *)C)[at_] = (T)number(at_ + 2000);                                                                     \
        }                                                                                                              \
    } while (0)
#define EACH(T, n, kernel, ...)                                                                                        \
    if ((size_t)(n) * (size_t)(n) * sizeof(T) <= POOL_BYTES) {                                                         \
        RESET(T);                                                                                                      \
        kernel(n, (T *)C, (T *)A, (T *)B __VA_OPT__(, ) __VA_ARGS__);                                                  \
        report(#kernel, n);                                                                                            \
    }

MAIN {
    FOR_SIZES(n) {
        EACH(Long, n, k_long_double, 0.5L, 0.25L)
        EACH(Long, n, k_two_long_double, 0.5L)
        EACH(Bits3, n, k_bits3, 3, 5)
        EACH(Bits17, n, k_bits17, 3, 5)
        EACH(Bits17, n, k_two_bits17, 3)
        EACH(Bits37, n, k_bits37, 3, 5)
        EACH(Bits37, n, k_two_bits37, 3)
        EACH(Bits65, n, k_bits65, 3, 5)
        EACH(Bits65, n, k_two_bits65, 3)
        EACH(Bits127, n, k_bits127, 3, 5)
        EACH(Bits128, n, k_bits128, 3, 5)
        EACH(Bits128, n, k_two_bits128, 3)
        EACH(Bits200, n, k_bits200, 3, 5)
        EACH(Bits200, n, k_two_bits200, 3)
        EACH(Bits513, n, k_bits513, 3, 5)
        if ((size_t)n * (size_t)n * sizeof(Bits200) <= POOL_BYTES) {
            RESET(Long);
            for (size_t at = 0; at < POOL_BYTES / sizeof(Bits200); at++)
                ((Bits200 *)B)[at] = (Bits200)number(at) << 120 | number(at + 5);
            k_mixed(n, C, A, (Bits200 *)B);
            report("k_mixed", n);
        }
        if ((size_t)n * (size_t)n * sizeof(Three) <= POOL_BYTES) {
            RESET(float);
            k_three(n, C, A, B);
            report("k_three", n);
        }
        RUN(bits, k_truths, n, n, C, A, B);
        if ((size_t)n * (size_t)n * sizeof(struct Padded) <= POOL_BYTES) {
            RESET(double);
            k_padded(n, C, A, B, 0.5);
            report("k_padded", n);
        }
    }
}
