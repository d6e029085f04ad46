/* What random loop nests in C need around them: memory, calls, a report of everything that was written. */
#define _GNU_SOURCE
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PLAIN
#define PLAIN __attribute__((noinline, optnone))
#endif

/* Rows that are not where they should be may begin a little before their pool, or end behind it. */
enum { POOLS = 3, HALF = 4096, SLACK = 2048, ELEMENTS = POOLS * 2 * HALF + 2 * SLACK, WORDS = 4 * ELEMENTS, ROWS = 160 };
enum element { DOUBLE, FLOAT, U32, U8, LONG_DOUBLE, BITS37, BITS200, U128, KINDS };
typedef long double longdouble;
typedef unsigned _BitInt(37) bits37;
typedef unsigned _BitInt(200) bits200;
typedef unsigned __int128 u128;
enum order { RISING, SWAPPED, SHARED, SHIFTED, FALLING, SCATTERED };
struct call { int64_t n, m, ld; int pool[3]; int64_t offset[3]; enum order order; };
typedef void kernel_type(const struct call *call, void *const *arrays, void *result);

/* The pools, with some elements on both sides, then the result. Shared, so that a child's writes can be seen after it is gone. */
static uint64_t *memory;
static uint64_t initial[KINDS][WORDS] __attribute__((aligned(16)));

/* Pointers to rows. The first one is in the middle. */
static void *tables[3][2 * ROWS + 1];

/* Where the address space of the register gs begins: a number in it is that of another place in the same memory. */
PLAIN char *space_base(void) {
    char *base = (char *)(POOLS * 2 * HALF * sizeof(double));
#ifdef __x86_64__
    static int is_set;
    if (!is_set && syscall(SYS_arch_prctl, 0x1001 /* ARCH_SET_GS */, base))
        exit(97);
    is_set = 1;
#endif
    return base;
}

PLAIN static void fill(void) {
    uint64_t state = 1;
    for (int i = 0; i < ELEMENTS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        ((double *)initial[DOUBLE])[i] = (double)(int32_t)(state >> 33) / (1 << 30) - 1;
        ((float *)initial[FLOAT])[i] = (float)((double)(int32_t)(state >> 33) / (1 << 30) - 1);
        ((uint32_t *)initial[U32])[i] = (uint32_t)(state >> 40);
        ((uint8_t *)initial[U8])[i] = (uint8_t)(state >> 40);
        ((longdouble *)initial[LONG_DOUBLE])[i] = (longdouble)(int32_t)(state >> 33) / (1 << 30) - 1;
        ((bits37 *)initial[BITS37])[i] = (bits37)(state >> 20);
        ((bits200 *)initial[BITS200])[i] = (bits200)state << 130 ^ state;
        ((u128 *)initial[U128])[i] = (u128)state << 50 ^ state;
    }
}

PLAIN static uint64_t word(enum element element, const void *from, int i) {
    uint64_t bits = 1;
    /* Not-a-numbers count as equal: their bits are not defined. */
    switch (element) {
    case DOUBLE: {
        double x = ((const double *)from)[i];
        if (x == x)
            memcpy(&bits, &x, sizeof x);
        break;
    }
    case FLOAT: {
        float x = ((const float *)from)[i];
        if (x == x)
            memcpy(&bits, &x, sizeof x);
        break;
    }
    case U32: bits = ((const uint32_t *)from)[i]; break;
    case U8: bits = ((const uint8_t *)from)[i]; break;
    case LONG_DOUBLE: {
        longdouble x = ((const longdouble *)from)[i];
        uint16_t exponent;
        if (x == x) {
            memcpy(&bits, &x, sizeof bits);
            memcpy(&exponent, (char *)&x + sizeof bits, sizeof exponent);
            bits ^= (uint64_t)exponent << 40;
        }
        break;
    }
    case BITS37: bits = (uint64_t)((const bits37 *)from)[i]; break;
    case BITS200: {
        bits200 x = ((const bits200 *)from)[i];
        bits = (uint64_t)x * 3 ^ (uint64_t)(x >> 64) * 5 ^ (uint64_t)(x >> 128) * 7 ^ (uint64_t)(x >> 192);
        break;
    }
    case U128: bits = (uint64_t)((const u128 *)from)[i] * 3 ^ (uint64_t)(((const u128 *)from)[i] >> 64); break;
    case KINDS: break;
    }
    return bits;
}

PLAIN static uint64_t mix(uint64_t hash, uint64_t bits) {
    hash = (hash ^ bits) * 1099511628211u;
    return hash ^ hash >> 29;
}

PLAIN static uint64_t hash(enum element element) {
    uint64_t result = 14695981039346656037u;
    if (element != U32 && element != U8) {
        for (int i = 0; i < ELEMENTS; i++)
            result = mix(result, word(element, memory, i));
    } else {
        size_t words = element == U8 ? ELEMENTS / 8 : ELEMENTS / 2;
        for (size_t i = 0; i < words; i++)
            result = mix(result, memory[i]);
    }
    return result;
}

/* Fills a table with pointers to rows of `ld` elements of `size` bytes each around `middle`. */
PLAIN static void lay(void **table, char *middle, ptrdiff_t size, const struct call *call) {
    for (long row = -ROWS; row <= ROWS; row++) {
        long place = row;
        switch (call->order) {
        case SWAPPED: place = row ^ 1; break;
        case SHARED: place = row & ~1l; break;
        case FALLING: place = -row; break;
        case RISING: case SHIFTED: case SCATTERED: break;
        }
        long shift = call->order == SHIFTED && row == 3 ? -1 : call->order == SCATTERED && row % 8 == 1 ? 1500 : 0;
        table[row + ROWS] = middle + (ptrdiff_t)(place * call->ld + shift) * size;
    }
}

/* Calls the kernel of the case `seed` in turn and prints for each call a hash of the result and of all memory. Arrays with a bit in
   `rows` are tables; two at the same place are the same table. With `aborts` every call is a process of its own. */
PLAIN void test_case(unsigned long seed, enum element element, int aborts, int rows, kernel_type *kernel,
                     const struct call *calls, int count) {
    static const size_t sizes[] = {sizeof(double),     sizeof(float),  sizeof(uint32_t), sizeof(uint8_t),
                                   sizeof(longdouble), sizeof(bits37), sizeof(bits200),  sizeof(u128)};
    if (!memory) {
        memory = mmap(NULL, (WORDS + 4) * sizeof *memory, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            exit(99);
        fill();
    }
    for (int at = 0; at < count; at++) {
        void *arrays[3];
        memcpy(memory, initial[element], ELEMENTS * sizes[element]);
        memset(&memory[WORDS], 0, 4 * sizeof *memory);
        for (int array = 0; array < 3; array++) {
            ptrdiff_t size = (ptrdiff_t)sizes[element];
            const struct call *call = &calls[at];
            arrays[array] =
                (char *)memory + size * (SLACK + call->pool[array] * 2 * HALF + HALF + call->offset[array]);
        }
        for (int array = 2; array >= 0; array--) {
            if (!(rows >> array & 1))
                continue;
            int table = array;
            for (int other = 0; other < array; other++)
                if (rows >> other & 1 && arrays[other] == arrays[array])
                    table = other;
            lay(tables[table], arrays[array], (ptrdiff_t)sizes[element], &calls[at]);
            arrays[array] = &tables[table][ROWS];
        }
        printf("case %lu call %d:", seed, at);
        int status = 0;
        if (aborts) {
            fflush(stdout);
            pid_t child = fork();
            if (child == 0) {
                setvbuf(stdout, NULL, _IONBF, 0);
                kernel(&calls[at], arrays, &memory[WORDS]);
                _exit(0);
            }
            if (child < 0 || waitpid(child, &status, 0) != child)
                exit(98);
        } else {
            kernel(&calls[at], arrays, &memory[WORDS]);
        }
        printf(" %d %016llx %016llx\n", status, (unsigned long long)word(element, &memory[WORDS], 0),
               (unsigned long long)hash(element));
    }
}
