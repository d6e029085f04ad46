/* Support code of the C examples: input, timing, and the dump of the result.
 *
 * Every example is called as `PROGRAM [DUMP [SIZE]]`. It prints a hash of the result on standard output, writes the raw
 * bytes of the result to the file DUMP, and prints the time of the kernel on standard error as `kernel seconds: S`.
 * Standard output and DUMP are the same on every run; the demo compares both, bit for bit. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A kernel is never inlined, so its sizes stay run-time values. */
#define KERNEL __attribute__((noinline)) void

static long size_argument(int argc, char **argv, long otherwise) {
    return argc > 2 ? strtol(argv[2], NULL, 10) : otherwise;
}

/* Numbers in [-1, 1) from a linear congruential generator. */
static double *new_array(long count, uint64_t seed) {
    double *array = malloc((size_t)count * sizeof(double));
    if (!array) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    for (long i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        array[i] = (double)(int64_t)(seed >> 11) / (double)(1ll << 52) - 1.0;
    }
    return array;
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Prints the hash (64-bit FNV-1a), writes the dump, prints the time; gives the exit status of the program. */
static int finish(int argc, char **argv, const double *result, long count, double seconds) {
    uint64_t hash = 14695981039346656037u;
    const unsigned char *bytes = (const unsigned char *)result;
    for (long i = 0; i < count * (long)sizeof(double); i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    printf("%016llx first %a last %a\n", (unsigned long long)hash, result[0], result[count - 1]);
    fprintf(stderr, "kernel seconds: %.6f\n", seconds);
    if (argc > 1) {
        FILE *file = fopen(argv[1], "wb");
        if (!file || fwrite(result, sizeof(double), (size_t)count, file) != (size_t)count || fclose(file) != 0) {
            perror(argv[1]);
            return 1;
        }
    }
    return 0;
}

#endif
