// PROGRAM OLD NEW SECONDS SIZE...: two builds of one kernel, as shared libraries, take turns on the same data in the same memory.
//
// Every sample is the time of some calls of one of the two, each on fresh data, and every pair of samples gives a ratio; which of the
// two is first alternates. It goes on for about SECONDS of kernel time, for less where all ratios are far above 1. Calls of
// at least a millisecond are measured in processor time of the thread, shorter ones by the clock, whose reading costs less than theirs.
// Standard output: the median seconds of a call of OLD and NEW, the median of the ratios OLD / NEW, their quartiles, the number of
// pairs, and `same` or `different` for the results.
#define _GNU_SOURCE
#include "turns.h"

enum { PAIRS = 1001, FEWEST = 5, CALLS = 64 };

struct build {
    void (*prepare)(const long *, void *const *);
    int (*run)(const long *, void *const *);
    void (*finish)(const long *, void *const *);
};

static void *build_of(const char *path, struct build *build) {
    void *library = opened(path);
    *(void **)&build->prepare = symbol(library, "prepare");
    *(void **)&build->run = symbol(library, "run");
    *(void **)&build->finish = symbol(library, "finish");
    return library;
}

// Seconds per call.
static double sample(const struct build *build, int calls, clockid_t clock) {
    double sum = 0;
    for (int call = 0; call < calls; call++) {
        renew_all();
        build->prepare(size, array);
        double start = now(clock);
        build->run(size, array);
        sum += now(clock) - start;
        build->finish(size, array);
    }
    return sum / calls;
}

int main(int argc, char **argv) {
    struct build build[2];
    if (argc < 4) {
        fail("arguments", "OLD NEW SECONDS SIZE...");
    }
    void *library = build_of(argv[1], &build[0]);
    build_of(argv[2], &build[1]);
    double budget = atof(argv[3]);
    make_arrays(library, argc - 4, argv + 4);

    // The first calls tell whether results are the same, and how long a call takes.
    double once = sample(&build[0], 1, CLOCK_MONOTONIC);
    keep_results();
    sample(&build[1], 1, CLOCK_MONOTONIC);
    int same = same_results();
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
