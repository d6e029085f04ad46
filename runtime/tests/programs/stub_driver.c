// A CUDA driver of one device, on memory of the host, for tests: it does what the real one does for correct calls, and is stricter otherwise.
//
// - Addresses of the device are none of the host, and every copy and kernel is checked against the allocations.
// - Copies back and kernels run as late as possible, when their stream is synchronised: who looks earlier sees garbage.
// - Calls outside of the context, and calls in a fork, fail.
//
// Variables of the environment make it fail:
//   STUB_FAIL_AT=N   the N-th call of the process fails; a copy back writes half of its bytes before
//   STUB_CODE=C      with this CUresult (999)
//   STUB_STICKY=1    and all later calls too
//   STUB_MEMORY=B    the device has this many bytes (2^33)
//   STUB_VERSION=V   what cuDriverGetVersion answers (12080)
//   STUB_DEVICES=D   how many devices there are (1)
//   STUB_COUNT=FILE  at exit, the number of calls is written there
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int CUresult;
typedef uint64_t Address;
enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, INVALID_CONTEXT = 201, INVALID_PTX = 218, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700 };
#define EXPORT __attribute__((visibility("default")))
#define DISTANCE 0x4000000000000000ull // between a device address and the memory behind it

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long calls, fail_at, code = 999, sticky, memory_left = 1l << 33, version = 12080, devices = 1;
static int poisoned, initialised;
static pid_t pid;
static uint64_t generation = 1; // of the primary context

static long number(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? strtol(text, 0, 10) : otherwise;
}

__attribute__((constructor)) static void begin(void) {
    fail_at = number("STUB_FAIL_AT", 0);
    code = number("STUB_CODE", code);
    sticky = number("STUB_STICKY", 0);
    memory_left = number("STUB_MEMORY", memory_left);
    version = number("STUB_VERSION", version);
    devices = number("STUB_DEVICES", devices);
    pid = getpid();
}

__attribute__((destructor)) static void end(void) {
    const char *file = getenv("STUB_COUNT");
    FILE *out = file && getpid() == pid ? fopen(file, "w") : 0;
    if (out) fprintf(out, "%ld\n", calls), fclose(out);
}

// Counts a call; what it must answer at once, or 0.
static CUresult counted(void) {
    long call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (getpid() != pid) {
        fprintf(stderr, "stub: a call in a fork\n");
        return NOT_INITIALIZED;
    }
    if (fail_at && (call == fail_at || (sticky && call > fail_at))) return (CUresult)code;
    return poisoned;
}
#define COUNT() do { CUresult answer = counted(); if (answer) return answer; } while (0)

// Contexts: 1 is the primary one, others belong to the program.
static __thread uintptr_t stack[16];
static __thread int depth;
#define INSIDE() do { if (!initialised) return NOT_INITIALIZED; if (!depth || stack[depth - 1] != 1) return INVALID_CONTEXT; } while (0)

// Allocations.
typedef struct Block { struct Block *next; Address address; size_t bytes; uint64_t generation; } Block;
static Block *blocks;

// The memory behind an address of the device, or null.
static char *behind(Address address, size_t bytes) {
    char *found = 0;
    pthread_mutex_lock(&mutex);
    for (Block *block = blocks; block; block = block->next)
        if (block->generation == generation && address >= block->address && address - block->address <= block->bytes && bytes <= block->bytes - (address - block->address))
            found = (char *)(uintptr_t)(address - DISTANCE);
    pthread_mutex_unlock(&mutex);
    return found;
}

// Work that waits for its stream to be synchronised.
typedef struct { size_t width, height, from_pitch, to_pitch; } Rows;
typedef struct Work {
    struct Work *next;
    CUresult (*kernel)(const unsigned *grid, const unsigned *block, unsigned shared, void *const *values);
    unsigned grid[3], block[3], shared;
    uint64_t values[8];
    void *to;
    const void *from;
    Rows rows;
} Work;
typedef struct { Work *first, **last; uint64_t generation; } Stream;

static void append(Stream *stream, Work work) {
    Work *copy = malloc(sizeof work);
    *copy = work;
    copy->next = 0;
    *stream->last = copy;
    stream->last = &copy->next;
}

static void copy_rows(const Work *work) {
    for (size_t row = 0; row < work->rows.height; row++)
        memcpy((char *)work->to + row * work->rows.to_pitch, (const char *)work->from + row * work->rows.from_pitch, work->rows.width);
}

// Kernels: the values of parameters come as in cuLaunchKernel.
#define VALUE(type, index) (*(const type *)values[index])
#define MEMORY(type, index, bytes) ((type *)behind(VALUE(Address, index), bytes))
#define FOR(i, n) for (long i = 0; i < (n) && i < (long)grid[0] * block[0]; i++)
#define KERNEL(name) static CUresult name(const unsigned *grid, const unsigned *block, unsigned shared, void *const *values)

KERNEL(nothing) { (void)grid, (void)block, (void)shared, (void)values; return 0; }

KERNEL(saxpy) {
    (void)shared;
    int n = VALUE(int, 0);
    float a = VALUE(float, 1), *x = MEMORY(float, 2, n * 4ul), *y = MEMORY(float, 3, n * 4ul);
    if (n > 0 && (!x || !y)) return ILLEGAL_ADDRESS;
    FOR(i, n) y[i] = a * x[i] + y[i];
    return 0;
}

KERNEL(stencil) {
    (void)shared;
    int n = VALUE(int, 0);
    float *in = MEMORY(float, 1, n * 4ul), *out = MEMORY(float, 2, n * 4ul);
    if (!in || !out) return ILLEGAL_ADDRESS;
    FOR(i, n) out[i] = i == 0 || i == n - 1 ? in[i] : 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
    return 0;
}

KERNEL(product) {
    (void)shared;
    int n = VALUE(int, 0);
    double *a = MEMORY(double, 1, n * n * 8ul), *b = MEMORY(double, 2, n * n * 8ul), *c = MEMORY(double, 3, n * n * 8ul);
    if (!a || !b || !c) return ILLEGAL_ADDRESS;
    for (int i = 0; i < n && i < (int)(grid[1] * block[1]); i++)
        FOR(j, n) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    return 0;
}

KERNEL(increment) {
    (void)shared;
    int rows = VALUE(int, 0), columns = VALUE(int, 1), pitch = VALUE(int, 2);
    int *m = MEMORY(int, 3, ((rows - 1) * pitch + columns) * 4ul);
    if (!m) return ILLEGAL_ADDRESS;
    for (int i = 0; i < rows && i < (int)(grid[1] * block[1]); i++)
        FOR(j, columns) m[i * pitch + j] += i * columns + j;
    return 0;
}

KERNEL(reverse) {
    (void)grid, (void)block;
    int n = VALUE(int, 0);
    float *x = MEMORY(float, 1, n * 4ul);
    if (!x || shared < n * 4ul) return ILLEGAL_ADDRESS;
    for (int i = 0; i < n / 2; i++) {
        float swap = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = swap;
    }
    return 0;
}

KERNEL(illegal) {
    (void)grid, (void)block, (void)shared, (void)values;
    return ILLEGAL_ADDRESS;
}

typedef struct { const char *name; CUresult (*run)(const unsigned *, const unsigned *, unsigned, void *const *); unsigned parameters, sizes[8]; } Kernel;
static const Kernel kernels[] = {
    {"tessera_rt_empty", nothing, 0, {0}},
    {"saxpy", saxpy, 4, {4, 4, 8, 8}},
    {"stencil", stencil, 3, {4, 8, 8}},
    {"product", product, 4, {4, 8, 8, 8}},
    {"increment", increment, 4, {4, 4, 4, 8}},
    {"reverse", reverse, 2, {4, 8}},
    {"illegal", illegal, 2, {4, 8}},
};

// Dynamic shared memory that kernels were allowed beyond what all may use.
static int allowed[sizeof kernels / sizeof *kernels];

// The driver.
EXPORT CUresult cuInit(unsigned flags) { (void)flags; COUNT(); initialised = 1; return 0; }
EXPORT CUresult cuDriverGetVersion(int *value) { COUNT(); *value = (int)version; return 0; }
EXPORT CUresult cuDeviceGetCount(int *count) { COUNT(); *count = (int)devices; return 0; }
EXPORT CUresult cuDeviceGet(int *device, int ordinal) { COUNT(); if (ordinal >= devices) return 101; *device = ordinal; return 0; }
EXPORT CUresult cuDeviceGetName(char *name, int length, int device) { (void)device; COUNT(); snprintf(name, length, "stub"); return 0; }
EXPORT CUresult cuDeviceGetUuid(unsigned char *uuid, int device) { (void)device; COUNT(); memset(uuid, 0x5a, 16); return 0; }
EXPORT CUresult cuDeviceGetAttribute(int *value, int which, int device) {
    (void)device;
    COUNT();
    *value = which == 87 ? 2 : which == 16 ? 4 : which == 37 ? 256 : 1000000;
    return 0;
}
EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, int device) { (void)device; COUNT(); *bytes = (size_t)memory_left; return 0; }
EXPORT CUresult cuDevicePrimaryCtxRetain(uintptr_t *context, int device) { (void)device; COUNT(); *context = 1; return 0; }
EXPORT CUresult cuDevicePrimaryCtxReset_v2(int device) { (void)device; COUNT(); generation++; return 0; }
EXPORT CUresult cuCtxCreate_v2(uintptr_t *context, unsigned flags, int device) {
    (void)flags, (void)device;
    COUNT();
    static uintptr_t next = 2;
    stack[depth++] = *context = __atomic_fetch_add(&next, 1, __ATOMIC_SEQ_CST);
    return 0;
}
EXPORT CUresult cuCtxGetCurrent(uintptr_t *context) { COUNT(); *context = depth ? stack[depth - 1] : 0; return 0; }
EXPORT CUresult cuCtxPushCurrent_v2(uintptr_t context) { COUNT(); if (depth == 16) return INVALID_VALUE; stack[depth++] = context; return 0; }
EXPORT CUresult cuCtxPopCurrent_v2(uintptr_t *context) { COUNT(); if (!depth) return INVALID_CONTEXT; *context = stack[--depth]; return 0; }
EXPORT CUresult cuCtxGetId(uintptr_t context, uint64_t *id) { (void)context; COUNT(); *id = generation; return 0; }

EXPORT CUresult cuMemAlloc_v2(Address *address, size_t bytes) {
    COUNT();
    INSIDE();
    if (!bytes) return INVALID_VALUE;
    if (__atomic_sub_fetch(&memory_left, (long)bytes, __ATOMIC_SEQ_CST) < 0) {
        __atomic_add_fetch(&memory_left, (long)bytes, __ATOMIC_SEQ_CST);
        return OUT_OF_MEMORY;
    }
    char *memory = malloc(bytes);
    if (!memory) return OUT_OF_MEMORY;
    memset(memory, 0xa5, bytes);
    Block *block = malloc(sizeof *block);
    *block = (Block){0, (uintptr_t)memory + DISTANCE, bytes, generation};
    *address = block->address;
    pthread_mutex_lock(&mutex);
    block->next = blocks;
    blocks = block;
    pthread_mutex_unlock(&mutex);
    return 0;
}

EXPORT CUresult cuMemFree_v2(Address address) {
    COUNT();
    INSIDE();
    pthread_mutex_lock(&mutex);
    Block **link = &blocks;
    while (*link && (*link)->address != address) link = &(*link)->next;
    Block *block = *link;
    if (block) *link = block->next;
    pthread_mutex_unlock(&mutex);
    if (!block) return INVALID_VALUE;
    __atomic_add_fetch(&memory_left, (long)block->bytes, __ATOMIC_SEQ_CST);
    free((void *)(uintptr_t)(address - DISTANCE));
    free(block);
    return 0;
}

EXPORT CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
    (void)flags;
    COUNT();
    INSIDE();
    *memory = malloc(bytes);
    if (!*memory) return OUT_OF_MEMORY;
    memset(*memory, 0x5a, bytes);
    return 0;
}
EXPORT CUresult cuMemFreeHost(void *memory) { COUNT(); INSIDE(); free(memory); return 0; }

EXPORT CUresult cuStreamCreate(Stream **stream, unsigned flags) {
    (void)flags;
    COUNT();
    INSIDE();
    *stream = malloc(sizeof **stream);
    **stream = (Stream){0, &(*stream)->first, generation};
    return 0;
}

EXPORT CUresult cuStreamSynchronize(Stream *stream) {
    CUresult answer = counted();
    if (!initialised) return NOT_INITIALIZED;
    if (!depth || stack[depth - 1] != 1) return INVALID_CONTEXT;
    for (Work *work = stream->first, *next; work; work = next) {
        next = work->next;
        if (!answer && work->kernel) {
            void *values[8];
            for (int i = 0; i < 8; i++) values[i] = &work->values[i];
            answer = work->kernel(work->grid, work->block, work->shared, values);
            if (answer == ILLEGAL_ADDRESS) poisoned = answer;
        } else if (!work->kernel) {
            // An error while the device works: some of the bytes have arrived.
            if (answer) work->rows.height = (work->rows.height + 1) / 2, work->rows.width /= 2;
            copy_rows(work);
        }
        free(work);
    }
    stream->first = 0;
    stream->last = &stream->first;
    return answer;
}

EXPORT CUresult cuModuleLoadDataEx(const char **module, const char *text, unsigned count, int *options, void **values) {
    COUNT();
    INSIDE();
    if (!strstr(text, ".version")) {
        char *log = 0;
        size_t bytes = 0;
        for (unsigned i = 0; i < count; i++) {
            if (options[i] == 5) log = values[i];
            if (options[i] == 6) bytes = (uintptr_t)values[i];
        }
        if (log) snprintf(log, bytes, "ptxas stub, line 1: no .version\nptxas fatal: giving up\n");
        return INVALID_PTX;
    }
    *module = strdup(text);
    return 0;
}

EXPORT CUresult cuModuleGetFunction(const Kernel **function, const char *module, const char *name) {
    COUNT();
    INSIDE();
    char entry[100];
    snprintf(entry, sizeof entry, ".entry %s(", name);
    if (!strstr(module, entry)) return NOT_FOUND;
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (!strcmp(kernels[i].name, name)) return *function = &kernels[i], 0;
    return NOT_FOUND;
}

EXPORT CUresult cuFuncSetAttribute(const Kernel *function, int attribute, int value) {
    COUNT();
    INSIDE();
    if (!function || attribute != 8 || value > 200 * 1024) return INVALID_VALUE;
    __atomic_store_n(&allowed[function - kernels], value, __ATOMIC_SEQ_CST);
    return 0;
}

EXPORT CUresult cuLaunchKernel(const Kernel *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, Stream *stream, void *const *parameters, void **extra) {
    COUNT();
    INSIDE();
    if (extra || !gx || !gy || !gz || !bx || !by || !bz || (uint64_t)bx * by * bz > 1024) return INVALID_VALUE;
    if (shared > 48 * 1024 && (int)shared > __atomic_load_n(&allowed[function - kernels], __ATOMIC_SEQ_CST)) return INVALID_VALUE;
    Work work = {.kernel = function->run, .grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared};
    for (unsigned i = 0; i < function->parameters; i++) memcpy(&work.values[i], parameters[i], function->sizes[i]);
    append(stream, work);
    return 0;
}

EXPORT CUresult cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, Stream *stream) {
    COUNT();
    INSIDE();
    char *memory = behind(to, bytes);
    if (!memory) return INVALID_VALUE;
    append(stream, (Work){.to = memory, .from = from, .rows = {bytes, 1, 0, 0}});
    return 0;
}

EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, Stream *stream) {
    CUresult answer = counted();
    INSIDE();
    char *memory = behind(from, bytes);
    if (answer) {
        if (memory) memcpy(to, memory, bytes / 2);
        return answer;
    }
    if (!memory) return INVALID_VALUE;
    append(stream, (Work){.to = to, .from = memory, .rows = {bytes, 1, 0, 0}});
    return 0;
}

typedef struct { size_t x, y; unsigned type; void *host; Address device; void *array; size_t pitch; } Side;
typedef struct { Side from, to; size_t width, height; } Copy2d;

EXPORT CUresult cuMemcpy2DAsync_v2(const Copy2d *copy, Stream *stream) {
    COUNT();
    INSIDE();
    Side from = copy->from, to = copy->to;
    if (from.x || from.y || to.x || to.y || from.array || to.array || from.pitch < copy->width || to.pitch < copy->width || !copy->height) return INVALID_VALUE;
    if (from.type + to.type != 3) return INVALID_VALUE;
    Side *device = from.type == 2 ? &from : &to;
    device->host = behind(device->device, (copy->height - 1) * device->pitch + copy->width);
    if (!device->host) return INVALID_VALUE;
    append(stream, (Work){.to = to.host, .from = from.host, .rows = {copy->width, copy->height, from.pitch, to.pitch}});
    return 0;
}
