// What programs share in which builds of a kernel, shared libraries, take turns on the same data in the same memory.
#ifndef TURNS_H
#define TURNS_H

#include "data.h"
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 16, MARGIN = 64 };

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

static void *opened(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fail(path, dlerror());
    }
    return library;
}

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Makes the arrays that the kernel of a library takes at these sizes, 64 bytes from any other memory.
static void make_arrays(void *library, int count, char **numbers) {
    for (int i = 0; i < count && sizes < MOST; i++) {
        size[sizes++] = atol(numbers[i]);
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
}

// Fresh data in an array, and in all.
static void renew(int of) {
    memcpy(block[of], fresh[of], bytes[of]);
}

static void renew_all(void) {
    for (int of = 0; of < problem_of->arrays; of++) {
        renew(of);
    }
}

// Keeps what all arrays hold now as the results; says whether they hold the same bits, the memory around them included.
static void keep_results(void) {
    for (int of = 0; of < problem_of->arrays; of++) {
        memcpy(result[of], block[of], bytes[of]);
    }
}

static int same_results(void) {
    int same = 1;
    for (int of = 0; of < problem_of->arrays; of++) {
        same = same && !memcmp(result[of], block[of], bytes[of]);
    }
    return same;
}

#endif
