// PROGRAM OLD NEW SECONDS SIZE...: two builds of one kernel, as shared libraries, take turns on the same data in the same memory.
//
// Every sample is the time of some calls of one of the two, each on fresh data, and every pair of samples gives a ratio; which of the
// two is first alternates. It goes on for about SECONDS of kernel time, for less where all ratios are far above 1. Calls of
// at least a millisecond are measured in processor time of the thread, shorter ones by the clock, whose reading costs less than theirs.
// Standard output: the median seconds of a call of OLD and NEW, the median of the ratios OLD / NEW, their quartiles, the number of
// pairs, and `same` or `different` for the results.
#define _GNU_SOURCE
#include "data.h"
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 16, MARGIN = 64, PAIRS = 1001, FEWEST = 5, CALLS = 64 };

struct build {
    void (*prepare)(const long *, void *const *);
    int (*run)(const long *, void *const *);
    void (*finish)(const long *, void *const *);
};

static const struct problem *problem_of;
static long (*length)(int, const long *);
static long size[MOST];
static int sizes;
static unsigned char *block[MOST], *fresh[MOST], *result[MOST];
static void *array[MOST];
static size_t bytes[MOST];

// What glue asks the driver.
long given_length_of(int of, const long *at) {
    return length(of, at);
}

static _Noreturn void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

static void *symbol(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        fail(name, dlerror());
    }
    return found;
}

static void *opened(const char *path, struct build *build) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fail(path, dlerror());
    }
    *(void **)&build->prepare = symbol(library, "prepare");
    *(void **)&build->run = symbol(library, "run");
    *(void **)&build->finish = symbol(library, "finish");
    return library;
}

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Seconds per call.
static double sample(const struct build *build, int calls, clockid_t clock) {
    double sum = 0;
    for (int call = 0; call < calls; call++) {
        for (int of = 0; of < problem_of->arrays; of++) {
            memcpy(block[of], fresh[of], bytes[of]);
        }
        build->prepare(size, array);
        double start = now(clock);
        build->run(size, array);
        sum += now(clock) - start;
        build->finish(size, array);
    }
    return sum / calls;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    struct build build[2];
    if (argc < 4) {
        fail("arguments", "OLD NEW SECONDS SIZE...");
    }
    void *library = opened(argv[1], &build[0]);
    opened(argv[2], &build[1]);
    double budget = atof(argv[3]);
    for (int i = 4; i < argc && sizes < MOST; i++) {
        size[sizes++] = atol(argv[i]);
    }
    problem_of = symbol(library, "problem");
    *(void **)&length = symbol(library, "length_of");
    long (*last_extent)(int, const long *);
    *(void **)&last_extent = symbol(library, "last_extent_of");
    if (sizes != problem_of->sizes || problem_of->arrays > MOST) {
        fail("arguments", "not one number per size of the kernel");
    }
    for (int of = 0; of < problem_of->arrays; of++) {
        const struct array *what = &problem_of->array[of];
        bytes[of] = MARGIN + ((size_t)length(of, size) * width_of(what) + 63) / 64 * 64 + MARGIN;
        unsigned char **of_kind[] = {block, fresh, result};
        for (int kind = 0; kind < 3; kind++) {
            of_kind[kind][of] = aligned_alloc(64, bytes[of]);
            if (!of_kind[kind][of]) {
                fail(what->name, "out of memory");
            }
            memset(of_kind[kind][of], 0x5a, bytes[of]);
        }
        fill(what, of, fresh[of] + MARGIN, length(of, size), last_extent(of, size));
        array[of] = block[of] + MARGIN;
    }

    // The first calls tell whether results are the same, and how long a call takes.
    double once = sample(&build[0], 1, CLOCK_MONOTONIC);
    for (int of = 0; of < problem_of->arrays; of++) {
        memcpy(result[of], block[of], bytes[of]);
    }
    sample(&build[1], 1, CLOCK_MONOTONIC);
    int same = 1;
    for (int of = 0; of < problem_of->arrays; of++) {
        same = same && !memcmp(result[of], block[of], bytes[of]);
    }
    double again = once < 1e-3 ? sample(&build[0], 1, CLOCK_MONOTONIC) : once;
    once = again < once ? again : once;
    clockid_t clock = once < 1e-3 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    int calls = once > 2e-4 ? 1 : (int)(2e-4 / (once + 1e-9));
    calls = calls < 1 ? 1 : calls > CALLS ? CALLS : calls;

    static double times[2][PAIRS], ratio[PAIRS];
    int pairs = 0, clear = 1;
    for (double spent = 0; pairs < PAIRS && (pairs < FEWEST || spent < budget); pairs++) {
        int first = pairs % 2;
        times[first][pairs] = sample(&build[first], calls, clock);
        times[!first][pairs] = sample(&build[!first], calls, clock);
        ratio[pairs] = times[0][pairs] / times[1][pairs];
        spent += calls * (times[0][pairs] + times[1][pairs]);
        clear = clear && ratio[pairs] > 1.15;
        if (clear && pairs >= 2 && spent > budget / 4) {
            pairs++;
            break;
        }
    }
    qsort(times[0], (size_t)pairs, sizeof(double), ascending);
    qsort(times[1], (size_t)pairs, sizeof(double), ascending);
    qsort(ratio, (size_t)pairs, sizeof(double), ascending);
    printf("%.9f %.9f %.4f %.4f %.4f %d %s\n", times[0][pairs / 2], times[1][pairs / 2], ratio[pairs / 2], ratio[pairs / 4],
           ratio[pairs * 3 / 4], pairs, same ? "same" : "different");
    return 0;
}
