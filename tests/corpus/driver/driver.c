// PROGRAM [--times N] [--wall] [--bits FILE] [--short A COUNT] [--overlap A B OFFSET] SIZE...: runs one kernel N times (1), each
// time on the same fresh data.
//
// Standard output has a hash of all arrays after the last run, the inputs and the margins around every array included, so
// that a stray store is seen. Standard error has `kernel seconds: S`: processor time of the kernel alone, the best of all
// runs; with --wall it is time that passed. FILE receives the bytes that are hashed. With --short a Rust kernel gets the array A (the first is 0) without its
// last COUNT elements; with --overlap the array B starts OFFSET elements behind the begin of A, in the same memory.
#include "data.h"
#include "driver.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 16, MARGIN = 64 };

static int short_array = -1;
static long missing;

long given_length_of(int array, const long *size) {
    long length = length_of(array, size);
    return array != short_array ? length : length > missing ? length - missing : 0;
}

static _Noreturn void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s: %s\n", problem.name, what, why);
    exit(2);
}

static long number(const char *text) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < 0 || value > 1000000000) {
        fail(text, "not a number from 0 to 1000000000");
    }
    return value;
}

static clockid_t time_of = CLOCK_PROCESS_CPUTIME_ID;

static double now(void) {
    struct timespec t;
    clock_gettime(time_of, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// FNV-1a over words of eight bytes, in eight lanes that a compiler can make a vector of; every block is a multiple of 64.
static uint64_t hash_of(uint64_t hash, const unsigned char *bytes, size_t count) {
    uint64_t lane[8];
    for (int i = 0; i < 8; i++) {
        lane[i] = hash + (uint64_t)i;
    }
    for (size_t at = 0; at < count; at += 64) {
        uint64_t word[8];
        memcpy(word, bytes + at, 64);
        for (int i = 0; i < 8; i++) {
            lane[i] = (lane[i] ^ word[i]) * 0x100000001b3u;
            lane[i] ^= lane[i] >> 29;
        }
    }
    for (int i = 0; i < 8; i++) {
        hash = (hash ^ lane[i]) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

int main(int argc, char **argv) {
    long size[MOST], times = 1;
    int sizes = 0, over = -1, under = -1;
    long offset = 0;
    const char *dump = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--times") && i + 1 < argc) {
            times = number(argv[++i]);
        } else if (!strcmp(argv[i], "--wall")) {
            time_of = CLOCK_MONOTONIC;
        } else if (!strcmp(argv[i], "--bits") && i + 1 < argc) {
            dump = argv[++i];
        } else if (!strcmp(argv[i], "--short") && i + 2 < argc) {
            short_array = (int)number(argv[++i]);
            missing = number(argv[++i]);
        } else if (!strcmp(argv[i], "--overlap") && i + 3 < argc) {
            over = (int)number(argv[++i]);
            under = (int)number(argv[++i]);
            offset = number(argv[++i]);
        } else if (sizes < MOST) {
            size[sizes++] = number(argv[i]);
        }
    }
    if (sizes != problem.sizes || problem.arrays > MOST || times < 1) {
        fail("arguments", "[--times N] [--bits FILE] and one number per size of the kernel");
    }

    if (over >= problem.arrays || under >= problem.arrays || short_array >= problem.arrays || (over >= 0 && over == under)) {
        fail("arguments", "--short and --overlap take different numbers of arrays");
    }

    unsigned char *block[MOST];
    void *array[MOST];
    size_t bytes[MOST];
    for (int of = 0; of < problem.arrays; of++) {
        size_t used = (size_t)length_of(of, size) * width_of(&problem.array[of]);
        if (of == over) {
            size_t behind = (size_t)offset * width_of(&problem.array[of]);
            size_t both = behind + (size_t)length_of(under, size) * width_of(&problem.array[under]);
            used = both > used ? both : used;
        }
        bytes[of] = MARGIN + (used + 63) / 64 * 64 + MARGIN;
        block[of] = aligned_alloc(64, bytes[of]);
        if (!block[of]) {
            fail(problem.array[of].name, "out of memory");
        }
        memset(block[of], 0x5a, bytes[of]);
        array[of] = block[of] + MARGIN;
    }
    if (over >= 0) {
        array[under] = (char *)array[over] + (size_t)offset * width_of(&problem.array[over]);
    }

    int ended = 1;
    double best = 0.0;
    for (long time = 0; time < times; time++) {
        for (int of = 0; of < problem.arrays; of++) {
            fill(&problem.array[of], of, array[of], length_of(of, size), last_extent_of(of, size));
        }
        prepare(size, array);
        double start = now();
        ended = run(size, array);
        double seconds = now() - start;
        finish(size, array);
        best = time == 0 || seconds < best ? seconds : best;
    }

    uint64_t hash = 0xcbf29ce484222325u;
    for (int of = 0; of < problem.arrays; of++) {
        hash = hash_of(hash, block[of], bytes[of]);
    }
    printf("%s %016llx%s\n", problem.name, (unsigned long long)hash, ended ? "" : " panicked");
    fprintf(stderr, "kernel seconds: %.6f\n", best);
    if (dump) {
        FILE *file = fopen(dump, "wb");
        for (int of = 0; file && of < problem.arrays; of++) {
            if (fwrite(block[of], 1, bytes[of], file) != bytes[of]) {
                fail(dump, strerror(errno));
            }
        }
        if (!file || fclose(file) != 0) {
            fail(dump, strerror(errno));
        }
    }
    return 0;
}
