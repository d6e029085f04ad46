// PLAIN TESSERA LIBRARY PEAK c|rust SECONDS N: two builds of a product of square matrices, C += A B, a library's product (OpenBLAS) and the
// processor's peak take turns in one process. Any of them but TESSERA may be `-`.
//
// A sample is the processor time of the thread for some calls of one of them, one after the other on the same A and B, as a program's loop
// would; C is renewed before every sample, so that it stays small. Every round takes a sample of each, beginning with another one, and the
// ratios are those of samples of one round. A plain build that is far slower than TESSERA, and slow, is sampled once.
//
// Standard output: operations per nanosecond of all four, the medians of the ratios of TESSERA's speed to the three others, the number of
// rounds, `same` or `different` for the results of PLAIN and TESSERA. What is missing is `nan`. That the library's results are the same but
// for rounding is checked here.
//
// `products library LIBRARY`: its name for this processor, and its version.
#define _GNU_SOURCE
#include "turns.h"

#include <math.h>
#include <stdbool.h>

enum { PLAIN, TESSERA, LIBRARY, PEAK, PARTIES };
enum { ROUNDS_MOST = 301, FEWEST = 5 };

// A sample is to take at least so many seconds, and what takes less than the second is called once before, untimed.
static const double SHORTEST = 1e-3, WARM = 5e-3;

// A function of CBLAS, whose integers are of either width; see `row_major_product`.
static void (*gemm)(void);
static bool wide_integers;

static bool is_float, is_rust;
static void (*kernel[2])(void);
static double (*execute)(int);
static int peak_width;
static long n;

// Finds a function of CBLAS by any name that builds of OpenBLAS give it; `found` holds its name.
static void *library_function(void *library, const char *name) {
    static const char *const names[][2] = {{"", ""}, {"scipy_", "64_"}, {"", "64_"}, {"scipy_", ""}};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        char whole[100];
        snprintf(whole, sizeof whole, "%s%s%s", names[at][0], name, names[at][1]);
        void *found = dlsym(library, whole);
        if (found) {
            wide_integers = *names[at][1] != 0;
            return found;
        }
    }
    fail(name, "the library has no such function: is it OpenBLAS with CBLAS?");
}

static void *open_library(const char *path) {
    void *library = opened(path);
    void (*threads)(int);
    *(void **)&threads = library_function(library, "openblas_set_num_threads");
    threads(1);
    return library;
}

#define ROW_MAJOR_PRODUCT(INTEGER, ELEMENT)                                                                             \
    do {                                                                                                                \
        typedef void product(int, int, int, INTEGER, INTEGER, INTEGER, ELEMENT, const ELEMENT *, INTEGER,               \
                             const ELEMENT *, INTEGER, ELEMENT, ELEMENT *, INTEGER);                                    \
        enum { ROW_MAJOR = 101, AS_IT_IS = 111 };                                                                       \
        INTEGER rows = (INTEGER)n;                                                                                      \
        for (long call = 0; call < calls; call++) {                                                                     \
            ((product *)gemm)(ROW_MAJOR, AS_IT_IS, AS_IT_IS, rows, rows, rows, 1, array[1], rows, array[2], rows, 1,    \
                              array[0], rows);                                                                          \
        }                                                                                                               \
    } while (0)

static void call_library(long calls) {
    if (wide_integers && is_float) {
        ROW_MAJOR_PRODUCT(int64_t, float);
    } else if (wide_integers) {
        ROW_MAJOR_PRODUCT(int64_t, double);
    } else if (is_float) {
        ROW_MAJOR_PRODUCT(int, float);
    } else {
        ROW_MAJOR_PRODUCT(int, double);
    }
}

// Straight into the kernel: at n = 1 glue between would take longer than what is measured.
static void call_kernel(void (*function)(void), long calls) {
    if (is_rust) {
        typedef int rust(long, void *, long, const void *, long, const void *, long);
        for (long call = 0; call < calls; call++) {
            if (!((rust *)function)(n, array[0], n * n, array[1], n * n, array[2], n * n)) {
                fail(problem_of->name, "the kernel panicked");
            }
        }
    } else {
        typedef void c(long, void *, const void *, const void *);
        for (long call = 0; call < calls; call++) {
            ((c *)function)(n, array[0], array[1], array[2]);
        }
    }
}

// Operations.
static double call(int party, long calls) {
    double operations = 2.0 * (double)n * (double)n * (double)n * (double)calls;
    switch (party) {
    case LIBRARY: call_library(calls); break;
    case PEAK:
        operations = 0;
        for (long at = 0; at < calls; at++) {
            operations += execute(peak_width);
        }
        break;
    default: call_kernel(kernel[party], calls);
    }
    return operations;
}

// Seconds of the thread; `operations` per nanosecond go to `speed`.
static double sample(int party, long calls, double *speed) {
    renew(0);
    double start = now(CLOCK_THREAD_CPUTIME_ID);
    double operations = call(party, calls);
    double seconds = now(CLOCK_THREAD_CPUTIME_ID) - start;
    *speed = operations / seconds * 1e-9;
    return seconds;
}

// The number of calls that take `least` seconds, and a guess how long one takes.
static long calls_of(int party, double least, double *once) {
    double speed;
    for (long calls = 1;; calls *= 4) {
        double seconds = sample(party, calls, &speed);
        *once = seconds / (double)calls;
        if (seconds >= SHORTEST / 4 || calls > 1L << 40) {
            double wanted = least / *once;
            return wanted < 1 ? 1 : (long)wanted;
        }
    }
}

// Sums of positive products: what rounding may make of one is at most so many times itself.
static void check_library(void) {
    double most = 2.0 * (double)(n + 2) * (is_float ? 0x1p-24 : 0x1p-53);
    renew_all();
    call_library(1);
    for (long at = 0; at < n * n; at++) {
        double expected = is_float ? (double)((float *)(result[0] + MARGIN))[at] : ((double *)(result[0] + MARGIN))[at];
        double found = is_float ? (double)((float *)array[0])[at] : ((double *)array[0])[at];
        if (!(fabs(found - expected) <= most * fabs(expected))) {
            char text[100];
            snprintf(text, sizeof text, "element %ld is %.17g and not %.17g", at, found, expected);
            fail("the library's product is another one", text);
        }
    }
}

static double median(double *values, int count) {
    if (!count) {
        return NAN;
    }
    qsort(values, (size_t)count, sizeof(double), ascending);
    return values[count / 2];
}

static int say_library(const char *path) {
    void *library = open_library(path);
    char *(*core)(void), *(*config)(void);
    *(void **)&core = library_function(library, "openblas_get_corename");
    *(void **)&config = library_function(library, "openblas_get_config");
    printf("%s | %s\n", core(), config());
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "library")) {
        return say_library(argv[2]);
    }
    if (argc != 8) {
        fail("arguments", "PLAIN TESSERA LIBRARY PEAK c|rust SECONDS N, or library LIBRARY");
    }
    bool takes_part[PARTIES];
    for (int party = 0; party < PARTIES; party++) {
        takes_part[party] = strcmp(argv[1 + party], "-") != 0;
    }
    is_rust = !strcmp(argv[5], "rust");
    double budget = atof(argv[6]);
    void *tessera = opened(argv[1 + TESSERA]);
    make_arrays(tessera, argc - 7, argv + 7);
    n = size[0];
    is_float = problem_of->array[0].element == FLOAT;
    *(void **)&kernel[TESSERA] = symbol(tessera, problem_of->name);
    if (takes_part[PLAIN]) {
        *(void **)&kernel[PLAIN] = symbol(opened(argv[1 + PLAIN]), problem_of->name);
    }
    if (takes_part[LIBRARY]) {
        *(void **)&gemm = library_function(open_library(argv[1 + LIBRARY]), is_float ? "cblas_sgemm" : "cblas_dgemm");
    }
    if (takes_part[PEAK]) {
        *(void **)&execute = symbol(opened(argv[1 + PEAK]), "execute");
    }

    // The first calls compare results.
    renew_all();
    call(TESSERA, 1);
    keep_results();
    bool same = true;
    double once[PARTIES] = {0}, first_plain = NAN;
    if (takes_part[PLAIN]) {
        renew_all();
        once[PLAIN] = sample(PLAIN, 1, &first_plain);
        same = same_results();
    }
    if (takes_part[LIBRARY]) {
        check_library();
    }

    double least = budget / (25 * PARTIES);
    least = least < SHORTEST ? SHORTEST : least;
    long calls[PARTIES] = {0};
    calls[TESSERA] = calls_of(TESSERA, least, &once[TESSERA]);
    bool one_sample = once[PLAIN] > 2 * once[TESSERA] && once[PLAIN] > budget / 8;
    for (int party = 0; party < PARTIES; party++) {
        if (takes_part[party] && party != TESSERA && !(party == PLAIN && one_sample)) {
            calls[party] = calls_of(party, least, &once[party]);
        }
    }
    if (takes_part[PEAK]) {
        // The better width of three tries.
        double best[2] = {0};
        for (int time = 0; time < 6; time++) {
            double speed;
            peak_width = time % 2;
            sample(PEAK, calls[PEAK], &speed);
            best[peak_width] = speed > best[peak_width] ? speed : best[peak_width];
        }
        peak_width = best[1] > best[0];
    }

    static double speed[PARTIES][ROUNDS_MOST], ratio[PARTIES][ROUNDS_MOST];
    int rounds = 0;
    for (double spent = 0; rounds < ROUNDS_MOST && (rounds < FEWEST || spent < budget); rounds++) {
        for (int turn = 0; turn < PARTIES; turn++) {
            int party = (turn + rounds) % PARTIES;
            if (!takes_part[party]) {
                speed[party][rounds] = NAN;
            } else if (party == PLAIN && one_sample) {
                speed[party][rounds] = first_plain;
            } else {
                if (once[party] < WARM) {
                    call(party, 1);
                }
                spent += sample(party, calls[party], &speed[party][rounds]);
            }
        }
        for (int party = 0; party < PARTIES; party++) {
            ratio[party][rounds] = speed[TESSERA][rounds] / speed[party][rounds];
        }
    }
    for (int party = 0; party < PARTIES; party++) {
        printf("%.5f ", takes_part[party] ? median(speed[party], rounds) : NAN);
    }
    for (int party = 0; party < PARTIES; party++) {
        if (party != TESSERA) {
            printf("%.4f ", takes_part[party] ? median(ratio[party], rounds) : NAN);
        }
    }
    printf("%d %s\n", rounds, same ? "same" : "different");
    return 0;
}
