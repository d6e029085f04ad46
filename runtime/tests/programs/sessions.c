// Programs as the compiler would make them: nests that run in sessions on the device or as loops on the host, with the same bits.
// usage: sessions SCENARIO; TEST_PTX names the file of kernels.ptx. Prints "ok SCENARIO device=D host=H": how many nests ran where.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tessera_rt.h"

static const char *const names[] = {"saxpy", "stencil", "product", "increment", "reverse", "illegal"};
enum { SAXPY, STENCIL, PRODUCT, INCREMENT, REVERSE, ILLEGAL };
static char *ptx;
static tessera_rt_nest nest = {TESSERA_RT_ABI_VERSION, 6, "sessions.c", 0, 0, names};
// Cheap on the device, dear on the host: without TESSERA_RT the device is started at once.
static _Thread_local tessera_rt_estimate dear = {1e3, 0, 1e3, 1e3, 1e3, 1, 2, 0, 1e3, 0};
static long on_device, on_host;

static void fail(const char *what) {
    fprintf(stderr, "WRONG: %s\n", what);
    abort();
}

static void count(int device) { __atomic_add_fetch(device ? &on_device : &on_host, 1, __ATOMIC_RELAXED); }

static void launch(tessera_rt_session *session, int kernel, int blocks_x, int blocks_y, int x, int y, int shared, const void *const *parameters) {
    uint32_t grid[3] = {blocks_x, blocks_y, 1}, block[3] = {x, y, 1};
    tessera_rt_launch(session, kernel, grid, block, shared, parameters);
}

// Ends the session. Where it failed, the arrays must be as they were.
static int end(tessera_rt_session *session, const void *array, const void *before, size_t bytes) {
    if (tessera_rt_end(session)) return 1;
    if (memcmp(array, before, bytes)) fail("an array was changed by a session that failed");
    return 0;
}

static void *copy_of(const void *bytes, size_t count) { return memcpy(malloc(count + 1), bytes, count); }

static void check(const void *array, const void *expected, size_t bytes, int device) {
    if (memcmp(array, expected, bytes)) fail("other bits than on the host");
    count(device);
}

static int nest_saxpy(int n, float a, const float *x, float *y) {
    float *before = copy_of(y, n * 4ul);
    int done = 0;
    tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
    if (session) {
        uint64_t dx = tessera_rt_array(session, (void *)x, n * 4ul, TESSERA_RT_IN);
        uint64_t dy = tessera_rt_array(session, y, n * 4ul, TESSERA_RT_IN | TESSERA_RT_OUT);
        launch(session, SAXPY, (n + 127) / 128, 1, 128, 1, 0, (const void *[]){&n, &a, &dx, &dy});
        done = end(session, y, before, n * 4ul);
    }
    if (!done) for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
    free(before);
    return done;
}

static void test_saxpy(int n) {
    float *x = malloc(n * 4ul + 1), *y = malloc(n * 4ul + 1);
    for (int i = 0; i < n; i++) x[i] = i * 0.37f, y[i] = 1.0f / (i + 1);
    float *expected = copy_of(y, n * 4ul);
    for (int i = 0; i < n; i++) expected[i] = 1.7f * x[i] + expected[i];
    check(y, expected, n * 4ul, nest_saxpy(n, 1.7f, x, y));
    free(x), free(y), free(expected);
}

static void stencil_step(int n, const float *in, float *out) {
    for (int i = 0; i < n; i++) out[i] = i == 0 || i == n - 1 ? in[i] : 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

static void stencil_steps(int n, int steps, float *u) {
    float *v = malloc(n * 4ul);
    for (int step = 0; step < steps; step++) stencil_step(n, u, v), stencil_step(n, v, u);
    free(v);
}

// Time steps on the host around kernels; the second array exists on the device only.
static void test_stencil(int n, int steps) {
    float *u = malloc(n * 4ul);
    for (int i = 0; i < n; i++) u[i] = (i * 7919) % 1000 * 0.001f;
    float *before = copy_of(u, n * 4ul), *expected = copy_of(u, n * 4ul);
    stencil_steps(n, steps, expected);
    int done = 0;
    tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
    if (session) {
        uint64_t du = tessera_rt_array(session, u, n * 4ul, TESSERA_RT_IN | TESSERA_RT_OUT);
        uint64_t dv = tessera_rt_array(session, 0, n * 4ul, 0);
        for (int step = 0; step < steps; step++) {
            launch(session, STENCIL, (n + 255) / 256, 1, 256, 1, 0, (const void *[]){&n, &du, &dv});
            launch(session, STENCIL, (n + 255) / 256, 1, 256, 1, 0, (const void *[]){&n, &dv, &du});
        }
        done = end(session, u, before, n * 4ul);
    }
    if (!done) stencil_steps(n, steps, u);
    check(u, expected, n * 4ul, done);
    free(u), free(before), free(expected);
}

static void product(int n, const double *a, const double *b, double *c) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

// The result is overwritten as a whole: it is not copied in.
static void test_product(int n) {
    size_t bytes = n * n * 8ul;
    double *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes), *expected = malloc(bytes);
    for (int i = 0; i < n * n; i++) a[i] = 1.0 / (i + 3), b[i] = i * 0.01, c[i] = -1;
    double *before = copy_of(c, bytes);
    product(n, a, b, expected);
    int done = 0;
    tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
    if (session) {
        uint64_t da = tessera_rt_array(session, a, bytes, TESSERA_RT_IN);
        uint64_t db = tessera_rt_array(session, b, bytes, TESSERA_RT_IN);
        uint64_t dc = tessera_rt_array(session, c, bytes, TESSERA_RT_OUT | TESSERA_RT_OVERWRITTEN);
        launch(session, PRODUCT, (n + 15) / 16, (n + 15) / 16, 16, 16, 0, (const void *[]){&n, &da, &db, &dc});
        done = end(session, c, before, bytes);
    }
    if (!done) product(n, a, b, c);
    check(c, expected, bytes, done);
    free(a), free(b), free(c), free(expected), free(before);
}

// A part of a matrix; what lies between its rows must stay as it is. Two matrices in one session: both are replaced, or none.
static void test_rectangles(int rows, int columns, int pitch) {
    size_t bytes = rows * pitch * 4ul;
    int *m = malloc(2 * bytes), *second = m + rows * pitch;
    for (int i = 0; i < 2 * rows * pitch; i++) m[i] = i * 31;
    int *before = copy_of(m, 2 * bytes), *expected = copy_of(m, 2 * bytes);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) expected[i * pitch + j] += i * columns + j, expected[(rows + i) * pitch + j] += i * columns + j;
    int done = 0;
    tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
    if (session) {
        uint64_t d1 = tessera_rt_rectangle(session, m, columns * 4ul, rows, pitch * 4ul, TESSERA_RT_OUT);
        uint64_t d2 = tessera_rt_rectangle(session, second, columns * 4ul, rows, pitch * 4ul, TESSERA_RT_IN | TESSERA_RT_OUT);
        launch(session, INCREMENT, (columns + 31) / 32, (rows + 7) / 8, 32, 8, 0, (const void *[]){&rows, &columns, &pitch, &d1});
        launch(session, INCREMENT, (columns + 31) / 32, (rows + 7) / 8, 32, 8, 0, (const void *[]){&rows, &columns, &pitch, &d2});
        done = end(session, m, before, 2 * bytes);
    }
    if (!done)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) m[i * pitch + j] += i * columns + j, second[i * pitch + j] += i * columns + j;
    check(m, expected, 2 * bytes, done);
    free(m), free(before), free(expected);
}

// What other threads of the program do with the array meanwhile: to elements behind each row that no kernel writes, and to the first one, to
// which the kernel adds 0.
static void meanwhile(int rows, int pitch, int *m) {
    for (int i = 0; i < rows; i++) m[(i + 1) * pitch - 1] ^= 0x01010101;
    m[0] += 5;
}

// Only what kernels changed is stored. `width` elements of each row are given; 0: all rows in one piece.
static void test_changed(int rows, int columns, int pitch, int width) {
    size_t bytes = rows * pitch * 4ul;
    int *m = malloc(bytes);
    for (int i = 0; i < rows * pitch; i++) m[i] = i * 31;
    int *before = copy_of(m, bytes);
    meanwhile(rows, pitch, before);
    int *expected = copy_of(before, bytes);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) expected[i * pitch + j] += i * columns + j;
    int done = 0;
    tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
    uint32_t flags = TESSERA_RT_IN | TESSERA_RT_OUT | TESSERA_RT_CHANGED;
    uint64_t dm = width ? tessera_rt_rectangle(session, m, width * 4ul, rows, pitch * 4ul, flags) : tessera_rt_array(session, m, bytes, flags);
    meanwhile(rows, pitch, m);
    if (session) {
        launch(session, INCREMENT, (columns + 31) / 32, (rows + 7) / 8, 32, 8, 0, (const void *[]){&rows, &columns, &pitch, &dm});
        done = end(session, m, before, bytes);
    }
    if (!done)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) m[i * pitch + j] += i * columns + j;
    check(m, expected, bytes, done);
    free(m), free(before), free(expected);
}

// y = a y + y, with y given twice: kernels see one memory. `again`: how often it is given after the launch.
static void test_twice(int n, uint32_t first, uint32_t second, int again) {
    float *y = malloc(n * 4ul), a = 1.7f;
    for (int i = 0; i < n; i++) y[i] = 1.0f / (i + 1);
    float *before = copy_of(y, n * 4ul), *expected = copy_of(y, n * 4ul);
    for (int i = 0; i < n; i++) expected[i] = a * expected[i] + expected[i];
    int done = 0;
    tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
    if (session) {
        uint64_t dx = tessera_rt_array(session, y, n * 4ul, first), dy = tessera_rt_array(session, y, n * 4ul, second), other = dy;
        launch(session, SAXPY, (n + 127) / 128, 1, 128, 1, 0, (const void *[]){&n, &a, &dx, &dy});
        while (again-- && other == dy) other = tessera_rt_array(session, y, n * 4ul, second);
        done = end(session, y, before, n * 4ul);
        if (done && (dx != dy || other != dy)) fail("two addresses of one array");
    }
    if (!done) for (int i = 0; i < n; i++) y[i] = a * y[i] + y[i];
    check(y, expected, n * 4ul, done);
    free(y), free(before), free(expected);
}

// Products of one matrix with itself, or with one that begins `distance` elements later. Neither is written.
static void test_square(int n, int distance) {
    size_t bytes = n * n * 8ul;
    double *a = malloc(bytes + distance * 8ul), *c = malloc(bytes), *expected = malloc(bytes);
    for (int i = 0; i < n * n + distance; i++) a[i] = 1.0 / (i + 3);
    for (int i = 0; i < n * n; i++) c[i] = -1;
    double *before = copy_of(c, bytes);
    product(n, a, a + distance, expected);
    int done = 0;
    tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
    if (session) {
        uint64_t da = tessera_rt_array(session, a, bytes, TESSERA_RT_IN);
        uint64_t db = tessera_rt_array(session, a + distance, bytes, TESSERA_RT_IN);
        uint64_t dc = tessera_rt_array(session, c, bytes, TESSERA_RT_OUT | TESSERA_RT_OVERWRITTEN);
        launch(session, PRODUCT, (n + 15) / 16, (n + 15) / 16, 16, 16, 0, (const void *[]){&n, &da, &db, &dc});
        done = end(session, c, before, bytes);
        if (done && (da == db) != (distance == 0)) fail("addresses of arrays that are read");
    }
    if (!done) product(n, a, a + distance, c);
    check(c, expected, bytes, done);
    free(a), free(c), free(expected), free(before);
}

static void test_reverse(int n) {
    float *x = malloc(n * 4ul), *expected = malloc(n * 4ul);
    for (int i = 0; i < n; i++) x[i] = i, expected[n - 1 - i] = i;
    float *before = copy_of(x, n * 4ul);
    int done = 0;
    tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
    if (session) {
        uint64_t dx = tessera_rt_array(session, x, n * 4ul, TESSERA_RT_IN | TESSERA_RT_OUT);
        launch(session, REVERSE, 1, 1, 256, 1, n * 4, (const void *[]){&n, &dx});
        done = end(session, x, before, n * 4ul);
    }
    check(done ? x : expected, expected, n * 4ul, done);
    free(x), free(expected), free(before);
}

static void all_nests(int round) {
    test_saxpy(1000 + round);
    test_stencil(777, 3);
    test_product(20 + round);
    test_rectangles(5, 7, 11);
    test_reverse(16000); // 64000 bytes of shared memory: more than a kernel may use unasked
    test_saxpy(0);
}

// ---- scenarios ----

static void nests(void) {
    for (int round = 0; round < 2; round++) all_nests(round);
}

// Arrays that several threads copy.
static void large(void) {
    test_saxpy(2200000);
    test_rectangles(3, 800000, 800100);
    test_changed(2000, 1100, 1200, 1150);
}

static void large_changed(void) {
    test_changed(3, 800000, 800100, 800050);
    test_changed(1, 2200000, 2200001, 0);
}

// Arrays of which only changed bytes are stored.
static void changed(void) {
    test_changed(5, 7, 11, 0);
    test_changed(5, 7, 11, 9);
    test_changed(1, 700, 701, 0);
}

static int stop;
static void *count_up(void *element) {
    long rounds = 0;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED) || rounds < 1000) __atomic_add_fetch((int *)element, 1, __ATOMIC_RELAXED), rounds++;
    return (void *)rounds;
}

// Another thread writes an element of the array all the time: none of its values is lost.
static void changed_threads(void) {
    enum { N = 300, OWN = 77 };
    int m[N] = {0}, rows = 1, columns = OWN, pitch = N;
    uint32_t flags = TESSERA_RT_IN | TESSERA_RT_OUT | TESSERA_RT_CHANGED;
    pthread_t thread;
    void *rounds;
    pthread_create(&thread, 0, count_up, &m[OWN]);
    for (int round = 1; round <= 200; round++) {
        tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
        uint64_t dm = tessera_rt_array(session, m, sizeof m, flags);
        launch(session, INCREMENT, 3, 1, 32, 8, 0, (const void *[]){&rows, &columns, &pitch, &dm});
        int done = tessera_rt_end(session);
        if (!done) for (int j = 0; j < columns; j++) m[j] += j;
        for (int j = 0; j < columns; j++) if (m[j] != round * j) fail("other numbers than on the host");
        count(done);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, &rounds);
    if (m[OWN] != (int)(long)rounds) fail("numbers of another thread were lost");
}

// Memory that is given twice, and memory that overlaps and may.
static void twice(void) {
    enum { IN = TESSERA_RT_IN, OUT = TESSERA_RT_OUT, OVERWRITTEN = TESSERA_RT_OVERWRITTEN, CHANGED = TESSERA_RT_CHANGED };
    static const uint32_t flags[][2] = {{IN, IN | OUT}, {IN | OUT, IN}, {IN | OUT, IN | OUT}, {OUT, IN | OUT}, {OUT | OVERWRITTEN, OUT}, {OUT | OVERWRITTEN, IN | OUT | OVERWRITTEN},
        {IN, IN | OUT | CHANGED}, {IN | OUT, IN | OUT | CHANGED}, {IN | OUT | CHANGED, IN}, {IN | OUT | CHANGED, IN | OUT | CHANGED}};
    for (int i = 0; i < 10; i++) test_twice(500, flags[i][0], flags[i][1], i % 3);
    test_square(20, 0);
    test_square(20, 3);
    float x[100], before[100], a = 2;
    for (int i = 0; i < 100; i++) before[i] = i * 0.5f;
    memcpy(x, before, sizeof x);
    int n = 100, done = 0;
    tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
    if (session) { // room of the device and arrays of no bytes overlap nothing, whatever their address is
        uint64_t room = tessera_rt_array(session, x + 5, 40, 0);
        tessera_rt_array(session, x + 7, 0, IN | OUT);
        uint64_t dx = tessera_rt_array(session, x, sizeof x, IN | OUT);
        uint64_t more = tessera_rt_array(session, x, sizeof x, 0);
        tessera_rt_array(session, x + 9, 0, IN | OUT);
        launch(session, SAXPY, 1, 1, 128, 1, 0, (const void *[]){&n, &a, &dx, &dx});
        done = end(session, x, before, sizeof x);
        if (done && (room == dx || more == dx)) fail("room within an array");
    }
    if (!done) for (int i = 0; i < n; i++) x[i] = a * x[i] + x[i];
    for (int i = 0; i < n; i++) before[i] = a * before[i] + before[i];
    check(x, before, sizeof x, done);
}

// Memory that is given twice and is not one array.
static void refused_twice(void) {
    enum { IN = TESSERA_RT_IN, OUT = TESSERA_RT_OUT, OVERWRITTEN = TESSERA_RT_OVERWRITTEN, CHANGED = TESSERA_RT_CHANGED };
    // Flags and bytes of two arrays; the second is given after a launch where `late`.
    static const struct { uint32_t first, second; int first_bytes, second_bytes, late; } cases[] = {
        {IN, OUT | OVERWRITTEN, 400, 400, 0}, {IN | OUT, IN, 400, 396, 0}, {IN, IN | OUT, 396, 400, 0},
        {OUT | OVERWRITTEN, IN | OUT | OVERWRITTEN, 400, 400, 1}, {IN | OUT, IN | OUT | CHANGED, 400, 400, 1},
        {CHANGED, 0, 400, 0, 0}, {IN | CHANGED, 0, 400, 0, 0}, {OUT | CHANGED, 0, 400, 0, 0}};
    float x[100], before[100], a = 2;
    for (int i = 0; i < 100; i++) before[i] = i * 0.5f;
    memcpy(x, before, sizeof x);
    int n = 99;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
        if (!session) continue;
        uint64_t dx = tessera_rt_array(session, x, cases[i].first_bytes, cases[i].first);
        if (cases[i].late) launch(session, SAXPY, 1, 1, 128, 1, 0, (const void *[]){&n, &a, &dx, &dx});
        if (tessera_rt_array(session, x, cases[i].second_bytes, cases[i].second) && cases[i].second) fail("arrays that do not go together");
        if (end(session, x, before, sizeof x)) fail("arrays that do not go together");
        test_saxpy(100 + i);
    }
    // Within two others, of which it is one: the other one is in the way.
    tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
    if (!session) return;
    tessera_rt_array(session, x, 200, IN);
    tessera_rt_array(session, x + 25, 200, IN);
    if (tessera_rt_array(session, x, 200, IN | OUT) || end(session, x, before, sizeof x)) fail("arrays that overlap");
    test_saxpy(100);
}

// A kernel that breaks the context, and nests after it.
static void illegal(void) {
    float x[100] = {0}, before[100] = {0};
    int n = 100;
    test_saxpy(100);
    tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
    if (session) {
        uint64_t dx = tessera_rt_array(session, x, sizeof x, TESSERA_RT_IN | TESSERA_RT_OUT);
        launch(session, ILLEGAL, 1, 1, 1, 1, 0, (const void *[]){&n, &dx});
        if (end(session, x, before, sizeof x)) fail("an illegal address went unnoticed");
    }
    nests();
}

// The kernels of faulty.ptx: those that the emulator finds fault with run on the host.
static void faulty(void) {
    static const char *const kernels[] = {"right", "racy", "beyond", "hasty", "unwritten"};
    tessera_rt_nest wrong = nest;
    wrong.name = "faulty.c", wrong.kernels = kernels, wrong.kernel_count = 5;
    for (int step = 0; step < 9; step++) {
        int kernel = step % 2 ? 0 : step / 2; // every other one is right
        int n = 50;
        float x[50], before[50], expected[50];
        for (int i = 0; i < n; i++) before[i] = i * 0.5f, expected[i] = (n - 1 - i) * 0.5f;
        memcpy(x, before, sizeof x);
        tessera_rt_session *session = tessera_rt_begin(&wrong, &dear);
        if (!session) fail("no session");
        uint64_t dx = tessera_rt_array(session, x, sizeof x, TESSERA_RT_IN | TESSERA_RT_OUT);
        launch(session, kernel, 1, 1, 64, 1, kernel == 1 || kernel == 2 ? 0 : (int)sizeof x, (const void *[]){&n, &dx});
        int done = end(session, x, before, sizeof x);
        if (done != (kernel == 0)) fail(kernels[kernel]);
        check(done ? x : before, done ? expected : before, sizeof x, done);
    }
}

// Requests that cannot be met, each followed by one that can.
static void refused(void) {
    float x[100] = {0}, before[100] = {0};
    char *wrong = strdup("this is no PTX text\n");
    const char *const other[] = {"saxpy", "nobody"};
    tessera_rt_nest bad = nest, missing = nest, empty = nest;
    bad.ptx = wrong, bad.ptx_bytes = strlen(wrong), bad.name = "bad";
    missing.kernels = other, missing.kernel_count = 2, missing.name = "missing";
    empty.kernels = 0;
    for (int i = 0; i < 3; i++) {
        if (tessera_rt_begin(&bad, &dear)) fail("a session with text that is no PTX");
        if (tessera_rt_begin(&missing, &dear)) fail("a session with a kernel that is not there");
        if (tessera_rt_begin(&empty, &dear)) fail("a session without names");
        if (i == 0) test_saxpy(100);
    }
    uint64_t much = 1ull << 45;
    tessera_rt_session *session;
    if ((session = tessera_rt_begin(&nest, &dear))) {
        if (tessera_rt_array(session, 0, much, 0)) fail("32 TiB of memory");
        if (end(session, x, before, sizeof x)) fail("a session without memory");
        test_saxpy(101);
    }
    if ((session = tessera_rt_begin(&nest, &dear))) { // overlapping arrays
        tessera_rt_array(session, x, 200, TESSERA_RT_IN);
        if (tessera_rt_array(session, x + 49, 40, TESSERA_RT_OUT)) fail("arrays that overlap");
        if (end(session, x, before, sizeof x)) fail("arrays that overlap");
        test_saxpy(102);
    }
    if ((session = tessera_rt_begin(&nest, &dear))) { // no host memory, rows that overlap, sizes that do not fit
        tessera_rt_array(session, 0, 8, TESSERA_RT_IN);
        if (tessera_rt_end(session)) fail("an array at null");
    }
    if ((session = tessera_rt_begin(&nest, &dear))) {
        tessera_rt_rectangle(session, x, 16, 4, 12, TESSERA_RT_OUT);
        if (end(session, x, before, sizeof x)) fail("rows that overlap");
    }
    if ((session = tessera_rt_begin(&nest, &dear))) {
        tessera_rt_rectangle(session, x, 16, UINT64_MAX / 8, 64, TESSERA_RT_OUT);
        if (end(session, x, before, sizeof x)) fail("sizes that do not fit");
    }
    if ((session = tessera_rt_begin(&nest, &dear))) { // a kernel that is not in the table
        launch(session, 77, 1, 1, 1, 1, 0, 0);
        if (tessera_rt_end(session)) fail("kernel 77");
        test_saxpy(103);
    }
    if ((session = tessera_rt_begin(&nest, &dear))) { // too many threads
        int n = 0;
        uint64_t dx = tessera_rt_array(session, x, sizeof x, TESSERA_RT_OUT);
        launch(session, REVERSE, 1, 1, 4096, 4096, 0, (const void *[]){&n, &dx});
        if (end(session, x, before, sizeof x)) fail("4096 x 4096 threads");
        test_saxpy(104);
    }
    if ((session = tessera_rt_begin(&nest, &dear))) { // nothing to do
        launch(session, 0, 0, 1, 128, 1, 0, 0);
        count(tessera_rt_end(session));
    }
    test_saxpy(105);
}

// Arrays of TEST_BYTES bytes until there is no memory; then sessions go on, with the memory that the first one gave back.
static void exhaust(void) {
    const char *text = getenv("TEST_BYTES");
    uint64_t bytes = text ? strtoull(text, 0, 10) : 1 << 20;
    test_saxpy(100);
    for (int round = 0; round < 3; round++) {
        int arrays = 0;
        tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
        while (arrays < 4096 && tessera_rt_array(session, 0, bytes, 0)) arrays++;
        if (!session || !arrays || arrays == 4096 || tessera_rt_end(session)) fail("a device without end");
        printf("%d arrays of %lu bytes\n", arrays, (unsigned long)bytes);
        // Larger than what the pool keeps: its memory is given back first.
        session = tessera_rt_begin(&nest, &dear);
        if (!tessera_rt_array(session, 0, arrays * bytes / 2, 0) || !tessera_rt_end(session)) fail("memory was not given back");
        test_saxpy(100);
    }
}

static void *many_sessions(void *rounds) {
    for (long round = 0; round < (long)rounds; round++) {
        test_saxpy(100 + round % 50);
        test_stencil(300, 2);
        test_rectangles(3, 5, 9);
    }
    return 0;
}

static void with_threads(int threads, long rounds, void (*meanwhile)(void)) {
    pthread_t thread[64];
    for (int i = 0; i < threads; i++) pthread_create(&thread[i], 0, many_sessions, (void *)rounds);
    if (meanwhile) meanwhile();
    for (int i = 0; i < threads; i++) pthread_join(thread[i], 0);
}

static void threads(void) { with_threads(8, 200, 0); }

static void few_threads(void) { with_threads(4, 10, 0); }

// In a child: every nest runs on the host, and nothing blocks.
static void child(tessera_rt_session *session, float *x, const float *before, size_t bytes) {
    alarm(20);
    if (session) {
        uint64_t dx = tessera_rt_array(session, x, bytes, TESSERA_RT_OUT);
        int n = 1;
        launch(session, REVERSE, 1, 1, 1, 1, 0, (const void *[]){&n, &dx});
        if (end(session, x, before, bytes)) fail("a session of the parent went on in the child");
    }
    long device = on_device;
    test_saxpy(50);
    if (on_device != device) fail("the device in a fork");
    _exit(0);
}

static void reap(void) {
    int status;
    while (wait(&status) > 0)
        if (!WIFEXITED(status) || WEXITSTATUS(status)) fail("a child ended badly");
}

static void forks(void) {
    test_saxpy(100); // the device is started here; a child could start its own otherwise
    for (int i = 0; i < 50; i++) {
        float x[64] = {0}, before[64] = {0};
        tessera_rt_session *session = i % 2 ? tessera_rt_begin(&nest, &dear) : 0;
        if (i % 4 == 3) launch(session, 77, 1, 1, 1, 1, 0, 0); // it has failed before the fork
        uint64_t dx = tessera_rt_array(session, x, sizeof x, TESSERA_RT_IN | TESSERA_RT_OUT);
        if (fork() == 0) child(session, x, before, sizeof x);
        int n = 64;
        launch(session, REVERSE, 1, 1, 64, 1, 256, (const void *[]){&n, &dx});
        if (session) end(session, x, before, sizeof x);
        usleep(500);
    }
    reap();
}

// The first session of the process is in a fork: nothing was started in the parent.
static void fork_first(void) {
    if (fork() == 0) {
        nests();
        _exit(on_device ? 0 : 1);
    }
    reap();
    nests();
}

// Forks while other threads are in sessions, also while the device starts.
static void fork_threads(void) { with_threads(4, 300, forks); }

static void unended(void) {
    static float x[1000];
    test_saxpy(100);
    for (int i = 0; i < 5; i++) {
        tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
        tessera_rt_array(session, x, sizeof x, TESSERA_RT_OUT);
    }
    test_saxpy(100);
}

static void *for_ever(void *unused) {
    (void)unused;
    for (;;) test_saxpy(2000);
    return 0;
}

static void at_the_end(void) { test_saxpy(500); }

// The program exits while threads are in sessions, and a handler runs a nest.
static void exiting(void) {
    atexit(at_the_end);
    pthread_t thread;
    for (int i = 0; i < 4; i++) pthread_create(&thread, 0, for_ever, 0);
    usleep(20000);
}

// The program's own context is current before and after.
static void *driver(void) {
    const char *path = getenv("TESSERA_RT_DRIVER");
    void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW);
    if (!library) fail("no driver for the program's own context");
    return library;
}

static void context(void) {
    void *library = driver();
    int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");
    int (*create)(void **, unsigned, int) = (int (*)(void **, unsigned, int))dlsym(library, "cuCtxCreate_v2");
    int (*current)(void **) = (int (*)(void **))dlsym(library, "cuCtxGetCurrent");
    void *own = 0, *now = 0;
    if (current(&now) == 0 && now) fail("a context before there is one");
    if (init(0) || create(&own, 0, 0)) fail("no own context");
    nests();
    if (current(&now) || now != own) fail("another context than before");
    if (!on_device) fail("nothing ran on the device beside the program's context");
}

// The program resets the device: what the library has there is gone.
static void reset(void) {
    all_nests(0);
    int (*reset)(int) = (int (*)(int))dlsym(driver(), "cuDevicePrimaryCtxReset_v2");
    if (reset(0)) fail("no reset");
    all_nests(1);
}

static void versions(void) {
    tessera_rt_nest newer = nest, older = nest;
    newer.abi = TESSERA_RT_ABI_VERSION + 1, newer.ptx = (char *)8, newer.kernels = (const char *const *)8;
    older.abi = 1;
    for (int i = 0; i < 3; i++)
        if (tessera_rt_begin(&newer, &dear) || tessera_rt_begin(&older, &dear)) fail("a session of another interface");
    if (tessera_rt_abi_version() != TESSERA_RT_ABI_VERSION) fail("header and library differ");
    test_saxpy(100);
}

// Without TESSERA_RT: tiny nests stay on the host and start nothing, dear ones start the device.
static void choice(void) {
    tessera_rt_estimate tiny = {200, 0, 1200, 800, 400, 1, 3, 100, 1e-7, 0};
    for (int i = 0; i < 1000; i++)
        if (tessera_rt_begin(&nest, &tiny)) fail("the device for a hundred elements");
    if (tessera_rt_begin(&nest, 0)) fail("the device without an estimate");
    tessera_rt_estimate garbage = {-1, 1.0 / 0, 0.0 / 0, 0, 0, 0, 0, 0, 0.0 / 0, 0};
    if (tessera_rt_begin(&nest, &garbage)) fail("the device for garbage");
    tessera_rt_estimate some = dear;
    some.host_seconds = 0.05; // 50 ms each: the start is paid back after some
    int first = -1;
    for (int i = 0; i < 100; i++) {
        tessera_rt_session *session = tessera_rt_begin(&nest, &some);
        if (session && first < 0) first = i;
        if (session) tessera_rt_end(session);
    }
    if (tessera_rt_begin(&nest, &tiny)) fail("the device for a hundred elements, after it was started");
    printf("first session of a nest of 50 ms: %d\n", first);
    nests();
}

// Without TESSERA_RT: a nest of 20 ms that the compiler takes for one of 20 us.
static void experience(void) {
    test_saxpy(100);
    tessera_rt_estimate wrong = dear;
    int first = -1;
    for (int i = 0; i < 100 && first < 0; i++) {
        wrong.host_seconds = 2e-5, wrong.begun = 0, wrong.bytes_in = 1e6;
        tessera_rt_session *session = tessera_rt_begin(&nest, &wrong);
        if (session) first = i;
        if (tessera_rt_end(session)) break;
        if (!wrong.begun) fail("the time of the host is of no interest");
        usleep(20000);
        tessera_rt_host_done(&nest, &wrong);
    }
    printf("first session of a nest of 20 ms instead of 20 us: %d\n", first);
}

// Without TESSERA_RT: nests that fail are tried less and less, and PTX text is translated when that is paid back.
static void patience(void) {
    test_saxpy(100);
    int sessions = 0;
    tessera_rt_nest failing = nest;
    failing.name = "failing";
    for (int i = 0; i < 1000; i++) {
        tessera_rt_session *session = tessera_rt_begin(&failing, &dear);
        sessions += !!session;
        tessera_rt_array(session, 0, 1ull << 45, 0);
        if (tessera_rt_end(session)) fail("32 TiB of memory");
    }
    printf("sessions of 1000 that fail: %d\n", sessions);
    tessera_rt_nest later = nest;
    later.ptx_bytes -= 1;
    later.name = "later";
    tessera_rt_estimate some = dear;
    some.host_seconds = 0.004;
    int first = -1;
    for (int i = 0; i < 100 && first < 0; i++) {
        tessera_rt_session *session = tessera_rt_begin(&later, &some);
        if (session) first = i;
        tessera_rt_end(session);
    }
    printf("first session of a nest of 4 ms: %d\n", first);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

// Times of what a program calls.
static void times(void) {
    tessera_rt_estimate tiny = {200, 0, 1200, 800, 400, 1, 3, 100, 1e-7, 0};
    test_saxpy(100);
    test_saxpy(100);
    int rounds = 1000000;
    double begun = now();
    for (int i = 0; i < rounds; i++)
        if (tessera_rt_begin(&nest, &tiny)) { rounds = i + 1; break; }
    printf("begin that answers host: %.1f ns (%d rounds)\n", (now() - begun) / rounds * 1e9, rounds);
    float x[256] = {0};
    int n = 256;
    float a = 1;
    for (int arrays = 0; arrays <= 2; arrays++) {
        int done = 0;
        begun = now();
        for (int i = 0; i < 2000; i++) {
            tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
            if (!session) break;
            if (arrays) {
                uint64_t dx = tessera_rt_array(session, x, sizeof x, arrays == 1 ? TESSERA_RT_IN : TESSERA_RT_OUT);
                launch(session, SAXPY, 1, 1, 256, 1, 0, (const void *[]){&n, &a, &dx, &dx});
            } else launch(session, SAXPY, 1, 1, 32, 1, 0, (const void *[]){&(int){0}, &a, &(uint64_t){0}, &(uint64_t){0}});
            done += tessera_rt_end(session);
        }
        if (done) printf("session with %s: %.1f us\n", arrays == 0 ? "no array" : arrays == 1 ? "1 KiB in" : "1 KiB in and out", (now() - begun) / done * 1e6);
    }
}

// Times of whole nests at growing sizes, beside the host's.
static void sizes(void) {
    for (int n = 64; n <= 2048; n *= 2) {
        double best = 1e9;
        long before = on_device;
        size_t bytes = n * (size_t)n * 8;
        double *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
        for (int i = 0; i < n * n; i++) a[i] = 1.0 / (i + 3), b[i] = i * 0.01, c[i] = -1;
        for (int round = 0; round < 5; round++) {
            double begun = now();
            tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
            if (!session) break;
            uint64_t da = tessera_rt_array(session, a, bytes, TESSERA_RT_IN);
            uint64_t db = tessera_rt_array(session, b, bytes, TESSERA_RT_IN);
            uint64_t dc = tessera_rt_array(session, c, bytes, TESSERA_RT_OUT | TESSERA_RT_OVERWRITTEN);
            launch(session, PRODUCT, (n + 15) / 16, (n + 15) / 16, 16, 16, 0, (const void *[]){&n, &da, &db, &dc});
            count(tessera_rt_end(session));
            if (now() - begun < best) best = now() - begun;
        }
        double begun = now();
        if (n <= 512) product(n, a, b, c);
        double host = now() - begun;
        if (on_device > before) printf("product of %d: device %.1f us, plain host loops %.1f us\n", n, best * 1e6, host * 1e6);
        free(a), free(b), free(c);
    }
    for (long n = 1 << 10; n <= 1l << 28; n *= 8) {
        float *x = malloc(n * 4), *y = malloc(n * 4);
        for (long i = 0; i < n; i++) x[i] = i, y[i] = 1;
        double best = 1e9, first = 0;
        for (int round = 0; round < 4; round++) {
            double begun = now();
            tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
            if (!session) break;
            int m = n;
            float a = 1;
            uint64_t dx = tessera_rt_array(session, x, n * 4, TESSERA_RT_IN);
            uint64_t dy = tessera_rt_array(session, y, n * 4, TESSERA_RT_IN | TESSERA_RT_OUT);
            launch(session, SAXPY, (m + 255) / 256, 1, 256, 1, 0, (const void *[]){&m, &a, &dx, &dy});
            if (!tessera_rt_end(session)) break;
            double time = now() - begun;
            if (!round) first = time;
            if (time < best) best = time;
        }
        double begun = now();
        for (long i = 0; i < n; i++) y[i] = 1.0f * x[i] + y[i];
        double host = now() - begun;
        printf("saxpy of %ld: first %.1f us, device %.1f us (%.2f GB/s moved), host %.1f us\n", n, first * 1e6, best * 1e6, 12.0 * n / best / 1e9, host * 1e6);
        free(x), free(y);
    }
}

// Whether estimates choose the faster side: nests at growing sizes, with the measured time of the host as the compiler's estimate.
static void decisions(void) {
    tessera_rt_nest asked = nest;
    asked.name = "asked";
    for (int warm = 0; warm < 3; warm++) { // loads the kernels of the nest that is asked for
        tessera_rt_session *session = tessera_rt_begin(&asked, &dear);
        tessera_rt_end(session);
    }
    test_saxpy(100);
    int right = 0, all = 0;
    double lost = 0;
    for (int kind = 0; kind < 3; kind++)
        for (long n = kind == 0 ? 16 : 1 << 8; n <= (kind == 0 ? 1024 : 1 << 24); n *= kind == 0 ? 2 : 4) {
            static const char *const kinds[] = {"product", "saxpy", "100 stencil steps"};
            if (kind == 2 && n > 1 << 22) break;
            size_t elements = kind == 0 ? n * n : n, bytes = elements * 8;
            double *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
            for (size_t i = 0; i < elements; i++) a[i] = b[i] = c[i] = 0.5;
            double device = 1e9, host = 1e9;
            int m = (int)n;
            float factor = 0.5f;
            for (int round = 0; round < 4; round++) {
                double begun = now();
                tessera_rt_session *session = tessera_rt_begin(&nest, &dear);
                if (!session) break;
                if (kind == 0) {
                    uint64_t da = tessera_rt_array(session, a, bytes, TESSERA_RT_IN), db = tessera_rt_array(session, b, bytes, TESSERA_RT_IN);
                    uint64_t dc = tessera_rt_array(session, c, bytes, TESSERA_RT_OUT | TESSERA_RT_OVERWRITTEN);
                    launch(session, PRODUCT, (m + 15) / 16, (m + 15) / 16, 16, 16, 0, (const void *[]){&m, &da, &db, &dc});
                } else {
                    uint64_t da = tessera_rt_array(session, a, n * 4, TESSERA_RT_IN | (kind == 2 ? TESSERA_RT_OUT : 0));
                    uint64_t db = tessera_rt_array(session, kind == 2 ? 0 : b, n * 4, kind == 2 ? 0 : TESSERA_RT_IN | TESSERA_RT_OUT);
                    for (int step = 0; step < (kind == 2 ? 50 : 1); step++)
                        if (kind == 1) launch(session, SAXPY, (m + 255) / 256, 1, 256, 1, 0, (const void *[]){&m, &factor, &da, &db});
                        else {
                            launch(session, STENCIL, (m + 255) / 256, 1, 256, 1, 0, (const void *[]){&m, &da, &db});
                            launch(session, STENCIL, (m + 255) / 256, 1, 256, 1, 0, (const void *[]){&m, &db, &da});
                        }
                }
                if (tessera_rt_end(session) && now() - begun < device) device = now() - begun;
            }
            for (int round = 0; round < (kind == 0 && n > 500 ? 1 : 3); round++) {
                double begun = now();
                if (kind == 0) product(m, a, b, c);
                else if (kind == 1) for (long i = 0; i < n; i++) ((float *)b)[i] += factor * ((float *)a)[i];
                else stencil_steps(m, 50, (float *)a);
                if (now() - begun < host) host = now() - begun;
            }
            tessera_rt_estimate estimate = {2.0 * n, 0, 12.0 * n, 8.0 * n, 4.0 * n, 1, 3, n, host, 0};
            if (kind == 0) estimate = (tessera_rt_estimate){2.0 * n * n * n, 2.0 * n * n * n, 8.0 * n * n * n / 8, 16.0 * n * n, 8.0 * n * n, 1, 3, n * (double)n, host, 0};
            if (kind == 2) estimate = (tessera_rt_estimate){500.0 * n, 0, 800.0 * n, 4.0 * n, 4.0 * n, 100, 2, n, host, 0};
            tessera_rt_session *session = tessera_rt_begin(&asked, &estimate);
            int chosen = !!session, better = device < host;
            tessera_rt_end(session);
            right += chosen == better, all++;
            double ratio = (chosen ? device : host) / (better ? device : host);
            if (ratio - 1 > lost) lost = ratio - 1;
            printf("%s of %ld: host %.1f us, device %.1f us, chosen %s%s\n", kinds[kind], n, host * 1e6, device * 1e6, chosen ? "device" : "host", chosen == better ? "" : " (WORSE)");
            free(a), free(b), free(c);
        }
    printf("%d of %d right, at most %.2f times the better side\n", right, all, 1 + lost);
}

int main(int count, char **words) {
    static const struct { const char *name; void (*run)(void); } scenarios[] = {
        {"nests", nests}, {"large", large}, {"large_changed", large_changed}, {"changed", changed}, {"changed_threads", changed_threads}, {"twice", twice}, {"refused_twice", refused_twice}, {"illegal", illegal}, {"faulty", faulty}, {"refused", refused}, {"threads", threads}, {"few_threads", few_threads}, {"forks", forks}, {"fork_first", fork_first},
        {"fork_threads", fork_threads}, {"unended", unended}, {"exiting", exiting}, {"context", context}, {"reset", reset}, {"exhaust", exhaust},
        {"versions", versions}, {"choice", choice}, {"patience", patience}, {"experience", experience}, {"times", times}, {"sizes", sizes}, {"decisions", decisions},
    };
    FILE *file = fopen(getenv("TEST_PTX") ? getenv("TEST_PTX") : "kernels.ptx", "r");
    if (!file || count < 2) return fprintf(stderr, "usage: TEST_PTX=kernels.ptx sessions SCENARIO\n"), 2;
    ptx = calloc(1, 1 << 16);
    nest.ptx = ptx;
    nest.ptx_bytes = fread(ptx, 1, (1 << 16) - 1, file);
    fclose(file);
    for (unsigned i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        if (!strcmp(words[1], scenarios[i].name)) {
            scenarios[i].run();
            printf("ok %s device=%ld host=%ld\n", words[1], on_device, on_host);
            return 0;
        }
    return fprintf(stderr, "no scenario %s\n", words[1]), 2;
}
