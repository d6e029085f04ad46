/* What random loop nests in C need around them: memory, calls, a report of everything that was written.
 *
 * Each call is made with all of memory at hand, then with exactly the bytes that it touches: a copy of the kernel that is never
 * optimised tells these. Bytes at the end of what is touched end a page, or bytes at the start begin one, and pages are there, and
 * writable, only where the program touches them, and writes. With FUZZ_WHOLE in the environment pages between such ones can be read,
 * too: a device gets an array from its first byte that is touched to its last one.
 *
 * Linked with `-Wl,--wrap=malloc,--wrap=free`, memory that a kernel takes while it runs ends where a page begins that nobody may touch,
 * or begins where one ends, and holds nothing that a program would compute; in some calls there is none to be had from some piece on. */
#define _GNU_SOURCE
#include <limits.h>
#include <math.h>
#include <signal.h>
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
enum { POOLS = 3, HALF = 4096, SLACK = 2048, ELEMENTS = POOLS * 2 * HALF + 2 * SLACK, WORDS = 4 * ELEMENTS, ROWS = 160, RESULT = 4 };
enum element { DOUBLE, FLOAT, U32, U8, I16, LONG_DOUBLE, BITS37, BITS200, U128, KINDS };
typedef long double longdouble;
typedef unsigned _BitInt(37) bits37;
typedef unsigned _BitInt(200) bits200;
#ifdef __SIZEOF_INT128__
typedef unsigned __int128 u128;
#else
typedef unsigned _BitInt(128) u128;
#endif
enum order { RISING, SWAPPED, SHARED, SHIFTED, FALLING, SCATTERED, SHUFFLED };
struct call { int64_t n, m, ld; int pool[3]; int64_t offset[3]; enum order order; };
typedef void kernel_type(const struct call *call, void *const *arrays, void *result);

/* The pools, with some elements on both sides, then the result. Shared, so that a child's writes can be seen after it is gone. */
static uint64_t *memory;
static uint64_t initial[KINDS][WORDS] __attribute__((aligned(16)));

/* Pointers to rows. The first one is in the middle. */
enum { TABLES = 3, ENTRIES = 2 * ROWS + 1 };
static void *tables[TABLES][ENTRIES];

/* What is touched of the pools and of the tables, byte by byte: bit 0 for reads, bit 1 for writes. Shared like memory. */
enum { PAGE = 4096, BYTES = WORDS * 8, TABLE_BYTES = ENTRIES * sizeof(void *), WAYS = 3 };
struct touched { unsigned char pools[BYTES], tables[TABLES][TABLE_BYTES]; };
static struct touched *touched;

/* So many bytes of memory belong to the elements of the present case. */
static size_t in_use;

PLAIN void *touch(const void *at, size_t bytes, int how) {
    uintptr_t pool = (uintptr_t)at - (uintptr_t)memory, table = (uintptr_t)at - (uintptr_t)tables;
    unsigned char *mark = pool < in_use ? &touched->pools[pool] : table < sizeof tables ? &touched->tables[0][0] + table : NULL;
    for (size_t byte = 0; mark && byte < bytes; byte++)
        mark[byte] |= (unsigned char)how;
    return (void *)at;
}

/* Pieces of memory that kernels took, and asked for in vain, over all calls; those of the present call that were not given back.
   Shared like memory. */
struct pieces { long taken, refused, kept; };
static struct pieces *pieces;

/* What a kernel gets that asks for memory: what any program gets, pieces at the end of a page, or at the start of one. */
enum memory_for { ANYBODY, KERNEL_AT_END, KERNEL_AT_START };
static enum memory_for memory_for;

/* How many pieces the present call may still have. */
static long to_be_had;

enum { MOST_PIECES = 64, VECTOR = 64, ALIGNED = 16 };
static struct piece { char *at, *area; size_t size; } held[MOST_PIECES];

void *__real_malloc(size_t bytes) __attribute__((weak));
void __real_free(void *at) __attribute__((weak));

/* New code asks for a vector more than it needs and begins at a multiple of one. A piece at the end of a page is as far behind a
   multiple as it can be, and its last bytes, that are left over then, are beyond the page. A list of rows is an odd number of words,
   and ends with the page. */
PLAIN void *__wrap_malloc(size_t bytes) {
    if (memory_for == ANYBODY)
        return __real_malloc(bytes);
    if (to_be_had-- <= 0) {
        pieces->refused++;
        return NULL;
    }
    pieces->taken++;
    pieces->kept++;
#if defined __has_feature
#if __has_feature(memory_sanitizer)
    /* It knows what is not set in memory of its own. */
    return __real_malloc(bytes);
#endif
#endif
    struct piece *piece = held;
    while (piece < held + MOST_PIECES && piece->at)
        piece++;
    size_t whole = (bytes + PAGE - 1) / PAGE * PAGE;
    size_t room = bytes % 16 == 8 ? bytes : bytes % VECTOR ? (bytes + ALIGNED - 1) / ALIGNED * ALIGNED : bytes - ALIGNED;
    if (piece == held + MOST_PIECES)
        exit(95);
    piece->size = whole + 2 * PAGE;
    piece->area = mmap(NULL, piece->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (piece->area == MAP_FAILED || mprotect(piece->area + PAGE, whole, PROT_READ | PROT_WRITE))
        exit(95);
    memset(piece->area + PAGE, 0xff, whole);
    piece->at = piece->area + PAGE + (memory_for == KERNEL_AT_END ? whole - room : 0);
    return piece->at;
}

PLAIN void __wrap_free(void *at) {
    if (memory_for != ANYBODY && at)
        pieces->kept--;
    for (struct piece *piece = held; at && piece < held + MOST_PIECES; piece++)
        if (piece->at == at) {
            munmap(piece->area, piece->size);
            piece->at = NULL;
            return;
        }
    __real_free(at);
}

__attribute__((destructor)) PLAIN static void tell_of_pieces(void) {
    if (pieces && pieces->taken + pieces->refused)
        fprintf(stderr, "memory for kernels: %ld pieces, %ld refused\n", pieces->taken, pieces->refused);
}

static int kind(unsigned char how) { return how & 2 ? 2 : how; }

/* `byte`, or a later one, eight at a time, up to which nothing else is done than with the byte before. */
PLAIN static size_t skip_alike(const unsigned char *how, size_t byte, size_t bytes) {
    if (byte) {
        uint64_t like = how[byte - 1] * 0x0101010101010101u, next;
        while (byte + sizeof next <= bytes && (memcpy(&next, how + byte, sizeof next), next == like))
            byte += sizeof next;
    }
    return byte;
}

/* The byte that begins a page: behind the last one that is touched, the first one, or some at which what is done changes. */
PLAIN static size_t border(const unsigned char *how, size_t bytes, int way, unsigned random) {
    size_t changes = 0;
    for (int round = 0; round < 2; round++) {
        size_t chosen = way == 0 ? changes : way == 1 ? 1 : changes ? random % changes + 1 : 0;
        changes = 0;
        for (size_t byte = 0; (byte = skip_alike(how, byte, bytes)) <= bytes; byte++) {
            int before = byte ? kind(how[byte - 1]) : 0, here = byte < bytes ? kind(how[byte]) : 0;
            if (before != here && ++changes == chosen && round == 1)
                return byte;
        }
        if (changes == 0)
            break;
    }
    return 0;
}

/* All that is done to some bytes. */
PLAIN static int all_of(const unsigned char *how, size_t bytes) {
    uint64_t all = 0, next;
    size_t byte = 0;
    for (; byte + sizeof next <= bytes; byte += sizeof next) {
        memcpy(&next, how + byte, sizeof next);
        all |= next;
    }
    for (; byte < bytes; byte++)
        all |= how[byte];
    for (int half = 32; half >= 8; half /= 2)
        all |= all >> half;
    return (int)(all & 0xff);
}

/* Gives the pages of some bytes the rights that these need. */
PLAIN static void protect(char *from, const unsigned char *how, size_t bytes, int all) {
    char *page = from - (uintptr_t)from % PAGE, *end = from + bytes, *start = page;
    size_t first = bytes, last = 0;
    int present = -1;
    if (!all && getenv("FUZZ_WHOLE"))
        for (size_t byte = 0; byte < bytes; byte++)
            if (how[byte]) {
                first = first < byte ? first : byte;
                last = byte;
            }
    /* Pages beside each other with the same rights get them together. */
    for (;; page += PAGE) {
        int protection = -2;
        if (page < end) {
            char *low = page < from ? from : page, *high = page + PAGE < end ? page + PAGE : end;
            int rights = first < bytes && page + PAGE > from + first && page <= from + last;
            rights |= all ? 2 : all_of(how + (low - from), (size_t)(high - low));
            protection = all || rights & 2 ? PROT_READ | PROT_WRITE : rights ? PROT_READ : PROT_NONE;
        }
        if (protection == present)
            continue;
        if (start < page && mprotect(start, (size_t)(page - start), present))
            exit(97);
        if (page >= end)
            return;
        start = page;
        present = protection;
    }
}

/* Memory for some bytes, with pages around that nobody may touch, of which byte `first` begins a page. */
PLAIN static char *reserve(char **area, size_t bytes, size_t first) {
    size_t size = (bytes + 3 * PAGE) / PAGE * PAGE + PAGE;
    if (!*area)
        *area = mmap(NULL, size, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (*area == MAP_FAILED || mprotect(*area, size, PROT_NONE))
        exit(96);
    return *area + PAGE + (PAGE - first % PAGE) % PAGE;
}

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
        ((int16_t *)initial[I16])[i] = (int16_t)(state >> 40);
        ((longdouble *)initial[LONG_DOUBLE])[i] = (longdouble)(int32_t)(state >> 33) / (1 << 30) - 1;
        ((bits37 *)initial[BITS37])[i] = (bits37)(state >> 20);
        ((bits200 *)initial[BITS200])[i] = (bits200)state << 130 ^ state;
        ((u128 *)initial[U128])[i] = (u128)state << 50 ^ state;
    }
}

/* What memory holds before a call. In every fourth case one number with a fraction in about sixty is a zero with a sign, too small for
   all of its digits, infinite, or not a number. */
PLAIN static void lay_out(void *to, enum element element, size_t bytes, unsigned long seed) {
    static const double special[] = {-0.0, -0.0, 0.0, 3e-310, -2e-320, 1e-45, INFINITY, -INFINITY, NAN};
    enum { SPECIAL = sizeof special / sizeof *special };
    memcpy(to, initial[element], bytes);
    if (seed % 4 != 1 || (element != DOUBLE && element != FLOAT && element != LONG_DOUBLE))
        return;
    uint32_t state = (uint32_t)seed;
    for (int i = 0; i < ELEMENTS; i += 1 + (int)(state >> 16) % 120) {
        state = state * 1103515245u + 12345u;
        double x = special[(state >> 8) % SPECIAL];
        switch (element) {
        case DOUBLE: ((double *)to)[i] = x; break;
        case FLOAT: ((float *)to)[i] = (float)x; break;
        default: ((longdouble *)to)[i] = x; break;
        }
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
    case I16: bits = (uint64_t)((const int16_t *)from)[i]; break;
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

PLAIN static uint64_t hash(enum element element, const void *from) {
    uint64_t result = 14695981039346656037u;
    if (element != U32 && element != U8 && element != I16) {
        for (int i = 0; i < ELEMENTS; i++)
            result = mix(result, word(element, from, i));
    } else {
        size_t words = element == U8 ? ELEMENTS / 8 : element == I16 ? ELEMENTS / 4 : ELEMENTS / 2;
        for (size_t i = 0; i < words; i++) {
            uint64_t bits;
            memcpy(&bits, (const char *)from + 8 * i, sizeof bits);
            result = mix(result, bits);
        }
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
        case SHUFFLED: place = (row & ~7l) + ((row * 5 + 3) & 7); break;
        case RISING: case SHIFTED: case SCATTERED: break;
        }
        long shift = call->order == SHIFTED && row == 3 ? -1 : call->order == SCATTERED && row % 8 == 1 ? 1500 : 0;
        table[row + ROWS] = middle + (ptrdiff_t)(place * call->ld + shift) * size;
    }
}

/* The arrays of a call in memory that begins at `base`. Those with a bit in `rows` are tables, which are put at `places`; two at the
   same place are the same table. */
PLAIN static void arrange(void **arrays, char *base, char *const *places, ptrdiff_t size, int rows, const struct call *call) {
    for (int array = 0; array < 3; array++)
        arrays[array] = base + size * (SLACK + call->pool[array] * 2 * HALF + HALF + call->offset[array]);
    void *starts[3] = {arrays[0], arrays[1], arrays[2]};
    for (int array = 2; array >= 0; array--) {
        if (!(rows >> array & 1))
            continue;
        int table = array;
        for (int other = 0; other < array; other++)
            if (rows >> other & 1 && starts[other] == starts[array])
                table = other;
        lay((void **)places[table], starts[array], size, call);
        arrays[array] = (void **)places[table] + ROWS;
    }
}

/* Makes a call, as a process of its own if `apart`, in which so many pieces of memory can be had; gives how it ends. */
PLAIN static int make(kernel_type *kernel, const struct call *call, void *const *arrays, int apart, enum memory_for way, long count) {
    int status = 0;
    pieces->kept = 0;
    to_be_had = count;
    if (!apart) {
        memory_for = way;
        kernel(call, arrays, &memory[WORDS]);
        memory_for = ANYBODY;
    } else {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            setvbuf(stdout, NULL, _IONBF, 0);
            memory_for = way;
            kernel(call, arrays, &memory[WORDS]);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child)
            exit(98);
    }
    if (!status && pieces->kept)
        printf(" %ld pieces of memory are not given back,", pieces->kept);
    return status;
}

/* What the present call leaves in memory. */
static uint64_t left[WORDS];

/* Says which call touches what it should not. */
static unsigned long current_case;
static int current_call, current_way;

/* Of the three ways in which pages may end, every call is made in one only: cases for a device, which take long. */
int one_way;

PLAIN static void refuse(int number) {
    printf("\ncase %lu call %d: touches what the program does not touch (way %d)\n", current_case, current_call, current_way);
    fflush(stdout);
    _exit(128 + number);
}

/* Calls the kernel of the case `seed` in turn and prints for each call a hash of the result and of all memory. Arrays with a bit in
   `rows` are tables. With `aborts` every call is a process of its own. */
PLAIN void test_case(unsigned long seed, enum element element, int aborts, int rows, kernel_type *kernel, kernel_type *telling,
                     const struct call *calls, int count) {
    static const size_t sizes[] = {sizeof(double),     sizeof(float),  sizeof(uint32_t), sizeof(uint8_t), sizeof(int16_t),
                                   sizeof(longdouble), sizeof(bits37), sizeof(bits200),  sizeof(u128)};
    static char *const plain[] = {(char *)tables[0], (char *)tables[1], (char *)tables[2]};
    size_t bytes = ELEMENTS * sizes[element];
    ptrdiff_t size = (ptrdiff_t)sizes[element];
    if (!memory) {
        size_t all = (WORDS + RESULT) * sizeof *memory + sizeof *pieces + sizeof *touched;
        memory = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            exit(99);
        pieces = (struct pieces *)(memory + WORDS + RESULT);
        touched = (struct touched *)(pieces + 1);
        fill();
    }
    current_case = seed;
    in_use = bytes;
    for (int at = 0; at < count; at++) {
        void *arrays[3];
        current_call = at;
        lay_out(memory, element, bytes, seed);
        memset(&memory[WORDS], 0, RESULT * sizeof *memory);
        arrange(arrays, (char *)memory, plain, size, rows, &calls[at]);
        printf("case %lu call %d:", seed, at);
        int status = make(kernel, &calls[at], arrays, aborts, KERNEL_AT_END, LONG_MAX);
        uint64_t expected = hash(element, memory);
        memcpy(left, memory, bytes);
        printf(" %d %016llx %016llx\n", status, (unsigned long long)word(element, &memory[WORDS], 0),
               (unsigned long long)expected);
        /* Now again, to be told what it touches, and with no more than that. */
        lay_out(memory, element, bytes, seed);
        memset(touched->pools, 0, bytes);
        memset(touched->tables, 0, sizeof touched->tables);
        make(telling, &calls[at], arrays, aborts, ANYBODY, 0);
        for (int way = 0; way < WAYS; way++) {
            if (one_way && (seed + (unsigned long)at) % WAYS != (unsigned long)way)
                continue;
            static char *areas[1 + TABLES];
            unsigned random = (unsigned)(seed * 31 + (unsigned long)at * 7 + (unsigned)way);
            char *places[TABLES], *guarded;
            current_way = way;
            guarded = reserve(&areas[0], BYTES, border(touched->pools, bytes, way, random));
            protect(guarded, touched->pools, bytes, 1);
            lay_out(guarded, element, bytes, seed);
            for (int table = 0; table < TABLES; table++) {
                size_t first = border(touched->tables[table], TABLE_BYTES, way, random);
                places[table] = reserve(&areas[1 + table], TABLE_BYTES, first);
                protect(places[table], touched->tables[table], TABLE_BYTES, 1);
            }
            arrange(arrays, guarded, places, size, rows, &calls[at]);
            protect(guarded, touched->pools, bytes, 0);
            for (int table = 0; table < TABLES; table++)
                protect(places[table], touched->tables[table], TABLE_BYTES, 0);
            signal(SIGSEGV, refuse);
            printf("case %lu call %d way %d:", seed, at, way);
            static const enum memory_for memory_in[WAYS] = {KERNEL_AT_END, KERNEL_AT_START, KERNEL_AT_END};
            status = make(kernel, &calls[at], arrays, aborts, memory_in[way], way < 2 ? LONG_MAX : random / 7 % 3);
            signal(SIGSEGV, SIG_DFL);
            protect(guarded, touched->pools, bytes, 1);
            for (int table = 0; table < TABLES; table++)
                protect(places[table], touched->tables[table], TABLE_BYTES, 1);
            int same = !memcmp(guarded, left, bytes) || hash(element, guarded) == expected;
            printf(" %d%s\n", status, same ? "" : ", and other results");
        }
    }
}
