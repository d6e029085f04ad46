// PROGRAM KERNEL N TIMES: calls one kernel with data of about N x N or N elements so often and writes `seconds S`, the least time that
// passed in a call, and a hash of its results. For `bench gpu`: what is compared with a library and with the device's bandwidth.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PRODUCT(NAME, T)                                                                    \
    __attribute__((noinline)) void NAME(long n, T *restrict c, const T *restrict a, const T *restrict b) { \
        for (long i = 0; i < n; i++)                                                        \
            for (long j = 0; j < n; j++) {                                                  \
                c[i * n + j] = 0;                                                           \
                for (long k = 0; k < n; k++)                                                \
                    c[i * n + j] += a[i * n + k] * b[k * n + j];                            \
            }                                                                               \
    }
PRODUCT(product_f64, double)
PRODUCT(product_f32, float)

// Steps for which data stay on the device.
enum { STEPS = 50 };

__attribute__((noinline)) void copy(long n, double *restrict a, double *restrict b) {
    for (long t = 0; t < STEPS; t++) {
        for (long i = 0; i < n; i++)
            a[i] = b[i];
        for (long i = 0; i < n; i++)
            b[i] = 0.5 * a[i];
    }
}

__attribute__((noinline)) void jacobi_1d(long n, double *restrict a, double *restrict b) {
    for (long t = 0; t < STEPS; t++) {
        for (long i = 1; i < n - 1; i++)
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1]);
        for (long i = 1; i < n - 1; i++)
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
    }
}

#define AT(x, i, j) x[(i) * n + (j)]
__attribute__((noinline)) void jacobi_2d(long n, double *restrict a, double *restrict b) {
    for (long t = 0; t < STEPS; t++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                AT(a, i, j) = 0.2 * (AT(b, i, j) + AT(b, i, j - 1) + AT(b, i, j + 1) + AT(b, i - 1, j) + AT(b, i + 1, j));
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                AT(b, i, j) = 0.2 * (AT(a, i, j) + AT(a, i, j - 1) + AT(a, i, j + 1) + AT(a, i - 1, j) + AT(a, i + 1, j));
    }
}

#define IN(x, i, j, k) x[((i) * n + (j)) * n + (k)]
#define HEAT(to, of)                                                                                           \
    for (long i = 1; i < n - 1; i++)                                                                           \
        for (long j = 1; j < n - 1; j++)                                                                       \
            for (long k = 1; k < n - 1; k++)                                                                   \
                IN(to, i, j, k) =                                                                              \
                    0.125 * (IN(of, i + 1, j, k) - 2.0 * IN(of, i, j, k) + IN(of, i - 1, j, k)) +              \
                    0.125 * (IN(of, i, j + 1, k) - 2.0 * IN(of, i, j, k) + IN(of, i, j - 1, k)) +              \
                    0.125 * (IN(of, i, j, k + 1) - 2.0 * IN(of, i, j, k) + IN(of, i, j, k - 1)) + IN(of, i, j, k);
__attribute__((noinline)) void heat_3d(long n, double *restrict a, double *restrict b) {
    for (long t = 0; t < STEPS; t++) {
        HEAT(a, b)
        HEAT(b, a)
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *memory(size_t bytes) {
    void *made = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!made) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
    return made;
}

static double random_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 40) / (double)(1 << 24);
}

int main(int argc, char **argv) {
    long n = argc > 3 ? atol(argv[2]) : 0, times = argc > 3 ? atol(argv[3]) : 0;
    if (n < 1 || times < 1) {
        fputs("speed KERNEL N TIMES\n", stderr);
        return 2;
    }
    const char *name = argv[1];
    int is_float = !strcmp(name, "product_f32"), is_product = !strncmp(name, "product", 7);
    int rank = !strcmp(name, "heat_3d") ? 3 : is_product || !strcmp(name, "jacobi_2d") ? 2 : 1;
    size_t count = 1;
    for (int dim = 0; dim < rank; dim++)
        count *= (size_t)n;
    size_t bytes = count * (is_float ? sizeof(float) : sizeof(double));
    void *array[3] = {memory(bytes), memory(bytes), memory(bytes)};
    double best = 0;
    for (long time = 0; time < times; time++) {
        uint64_t state = 1;
        for (int of = 0; of < 3; of++)
            for (size_t at = 0; at < count; at++)
                if (is_float)
                    ((float *)array[of])[at] = (float)random_number(&state);
                else
                    ((double *)array[of])[at] = random_number(&state);
        double start = now();
        if (is_float)
            product_f32(n, array[0], array[1], array[2]);
        else if (is_product)
            product_f64(n, array[0], array[1], array[2]);
        else if (!strcmp(name, "copy"))
            copy(n, array[0], array[1]);
        else if (!strcmp(name, "jacobi_1d"))
            jacobi_1d(n, array[0], array[1]);
        else if (!strcmp(name, "jacobi_2d"))
            jacobi_2d(n, array[0], array[1]);
        else if (!strcmp(name, "heat_3d"))
            heat_3d(n, array[0], array[1]);
        else
            return 2;
        double seconds = now() - start;
        best = time == 0 || seconds < best ? seconds : best;
    }
    uint64_t hash = 0xcbf29ce484222325u, word;
    for (int of = 0; of < 3; of++)
        for (size_t at = 0; at + sizeof word <= bytes; at += sizeof word) {
            memcpy(&word, (char *)array[of] + at, sizeof word);
            hash = (hash ^ word) * 0x100000001b3u;
        }
    printf("%016llx\n", (unsigned long long)hash);
    fprintf(stderr, "seconds: %.9f\n", best);
    return 0;
}
