// The most operations per second of a processor, from values that never leave its registers: with FUSED fused multiply-adds, where the
// machine has them, else multiplications and additions that do not wait for each other. ELEMENT is double or float.
//
// As many chains as the registers hold beside two constants: more than any machine's latency times its units.
#if defined(__AVX512F__)
enum { WIDEST = 64, CHAINS = 24 };
#elif defined(__AVX__)
enum { WIDEST = 32, CHAINS = 12 };
#else
enum { WIDEST = 16, CHAINS = 12 };
#endif

enum { ROUNDS = 1000 };

#define PEAK(NAME, WIDTH)                                                                                               \
    typedef ELEMENT NAME##_vector __attribute__((vector_size(WIDTH)));                                                  \
    static ELEMENT NAME(long rounds, ELEMENT given) {                                                                   \
        NAME##_vector one = (NAME##_vector){0} + given, step = one - given, chain[CHAINS];                              \
        for (int i = 0; i < CHAINS; i++) {                                                                              \
            chain[i] = one * (ELEMENT)i;                                                                                \
        }                                                                                                               \
        for (long round = 0; round < rounds; round++) {                                                                 \
            _Pragma("clang loop unroll(full)") for (int i = 0; i < CHAINS; i++) {                                       \
                chain[i] = STEP(chain[i], i, one, step);                                                                \
            }                                                                                                           \
        }                                                                                                               \
        NAME##_vector sum = chain[0];                                                                                   \
        for (int i = 1; i < CHAINS; i++) {                                                                              \
            sum += chain[i];                                                                                            \
        }                                                                                                               \
        return sum[0];                                                                                                  \
    }

#if defined(FUSED) && defined(__FMA__)
enum { OPERATIONS = 2 };
#define STEP(CHAIN, NUMBER, ONE, STEP) ((CHAIN) * (ONE) + (STEP))
#else
enum { OPERATIONS = 1 };
#define STEP(CHAIN, NUMBER, ONE, STEP) ((NUMBER) % 2 ? (CHAIN) * (ONE) : (CHAIN) + (STEP))
#endif

PEAK(widest, WIDEST)

// A processor may run wide vectors slower than two of half the width.
#if defined(__AVX512F__)
PEAK(narrower, 32)
#endif

static volatile ELEMENT given = 1;

// Executes floating-point operations, and gives their number. `width` 0: the widest vectors, 1: those of half the width.
double execute(int width) {
    ELEMENT last;
    long bytes = WIDEST;
#if defined(__AVX512F__)
    if (width) {
        last = narrower(ROUNDS, given);
        bytes = 32;
    } else
#endif
        last = widest(ROUNDS, given);
    (void)width;
    given = last * 0 + 1;
    return (double)ROUNDS * CHAINS * OPERATIONS * (double)(bytes / (long)sizeof(ELEMENT));
}
