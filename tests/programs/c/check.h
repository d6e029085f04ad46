/* The frame of the test programs: four pools of memory, reset before each kernel and hashed after it.
 *
 * A program prints one line for each kernel and size. The plain build and the build with Tessera must print the same
 * bytes. A store outside of its array is seen too, because whole pools are hashed. The frame itself is optnone, so that
 * only kernels are transformed.
 *
 * The line before each kernel says what the pass does with it at its default options, as `transformed: yes`, `no`
 * or `any`; the test `transformed` reads it. */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* External linkage and noinline: the arguments of a kernel stay unknown to the compiler. */
#ifdef __cplusplus
#define KERNEL extern "C" __attribute__((noinline))
#else
#define KERNEL __attribute__((noinline))
#endif
#define FRAME __attribute__((noinline, optnone, unused)) static
#define MAIN __attribute__((noinline, optnone)) int main(void)

enum { POOL_BYTES = 1 << 17, LENGTH = POOL_BYTES / 8 };

/* Character arrays may be read through every type. */
static _Alignas(64) unsigned char pools[4][POOL_BYTES];
static void *const A = pools[0], *const B = pools[1], *const C = pools[2], *const D = pools[3];

static const int sizes[] = {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 100};
#define FOR_SIZES(n) for (int at_ = 0, n; at_ < (int)(sizeof sizes / sizeof *sizes) && (n = sizes[at_], 1); at_++)

static uint64_t state_;
FRAME uint64_t next_bits(void) {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    return z ^ z >> 31;
}

/* Doubles and floats in [-1, 1), or random bits for integers of every width. */
FRAME void reset_f64(void) {
    state_ = 1;
    for (size_t i = 0; i < sizeof pools; i += 8) {
        double x = (double)(int64_t)(next_bits() >> 11) / (double)(1ll << 52) - 1.0;
        memcpy((unsigned char *)pools + i, &x, 8);
    }
}
FRAME void reset_f32(void) {
    state_ = 2;
    for (size_t i = 0; i < sizeof pools; i += 4) {
        float x = (float)(int32_t)(next_bits() >> 40) / (float)(1 << 23) - 1.0f;
        memcpy((unsigned char *)pools + i, &x, 4);
    }
}
FRAME void reset_bits(void) {
    state_ = 3;
    for (size_t i = 0; i < sizeof pools; i += 8) {
        uint64_t x = next_bits();
        memcpy((unsigned char *)pools + i, &x, 8);
    }
}

/* One hash for memory of pointers into itself, by what they point at. */
FRAME void report_pointers(const char *kernel, long size, int way, const void *memory, long count) {
    uint64_t hash = 1;
    for (long i = 0; i < count; i++) {
        const char *at;
        memcpy(&at, (const char *)memory + i * (long)sizeof at, sizeof at);
        hash = (hash ^ (uint64_t)((at - (const char *)memory) / (ptrdiff_t)sizeof at)) * 1099511628211u;
    }
    printf("%s %ld %d %016llx\n", kernel, size, way, (unsigned long long)hash);
}

/* One hash for each pool, and the word in the middle of the third one to look at. */
FRAME void report(const char *kernel, long size) {
    printf("%s %ld", kernel, size);
    for (int p = 0; p < 4; p++) {
        uint64_t hash = 14695981039346656037u, word = 0;
        for (size_t i = 0; i < POOL_BYTES; i += 8) {
            memcpy(&word, pools[p] + i, 8);
            hash = (hash ^ word) * 1099511628211u;
            hash ^= hash >> 29;
        }
        printf(" %016llx", (unsigned long long)hash);
    }
    uint64_t word;
    memcpy(&word, pools[2] + POOL_BYTES / 16, 8);
    printf(" %016llx\n", (unsigned long long)word);
}

/* RUN(f64, k_gemm, size, arguments...) for kernels without a value, RUN_VALUE for those with a number as value. */
#define RUN(type, kernel, size, ...) (reset_##type(), kernel(__VA_ARGS__), report(#kernel, size))
#define RUN_VALUE(type, kernel, size, ...)                                                                             \
    (reset_##type(), printf("%s value %a\n", #kernel, (double)kernel(__VA_ARGS__)), report(#kernel, size))

#endif
