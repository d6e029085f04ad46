// Runs kernels on a device and compares their results with those of the emulator, bit for bit.
//
//   cargo run --release -p tessera-ptx --example forms -- /tmp/forms
//   cargo run --release -p tessera-ptx --example random -- /tmp/random 1 100 10 keep
//   clang -O1 device/compare.c -o compare -ldl
//   (cd /tmp/forms && compare manifest) && (cd /tmp/random && compare manifest)
//
// It needs only the driver (libcuda.so.1). A second argument is the driver's level of optimisation, 0 to 4. A line of
// a manifest is one kernel `k(in, out)`:
//
//   TEXT KERNEL INPUT EXPECTED OFFSET BYTES GRID BLOCK
//
// where the expected output is BYTES at OFFSET in the file EXPECTED. Words of 64 bits that are a NaN of double
// precision on both sides are counted apart: payloads may differ after atomics.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Result;
typedef void *Handle;
typedef unsigned long long Address;

static Result (*init)(unsigned);
static Result (*device_get)(int *, int);
static Result (*device_name)(char *, int, int);
static Result (*context)(Handle *, unsigned, int);
static Result (*allocate)(Address *, size_t);
static Result (*to_device)(Address, const void *, size_t);
static Result (*from_device)(void *, Address, size_t);
static Result (*fill)(Address, unsigned char, size_t);
static Result (*load)(Handle *, const void *, unsigned, int *, void **);
static Result (*unload)(Handle);
static Result (*function)(Handle *, Handle, const char *);
static Result (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void **,
                        void **);
static Result (*synchronise)(void);

static const struct {
    void *pointer;
    const char *name;
} driver[] = {
    {&init, "cuInit"},
    {&device_get, "cuDeviceGet"},
    {&device_name, "cuDeviceGetName"},
    {&context, "cuCtxCreate_v2"},
    {&allocate, "cuMemAlloc_v2"},
    {&to_device, "cuMemcpyHtoD_v2"},
    {&from_device, "cuMemcpyDtoH_v2"},
    {&fill, "cuMemsetD8_v2"},
    {&load, "cuModuleLoadDataEx"},
    {&unload, "cuModuleUnload"},
    {&function, "cuModuleGetFunction"},
    {&launch, "cuLaunchKernel"},
    {&synchronise, "cuCtxSynchronize"},
};

static void check(Result result, const char *what) {
    if (result != 0) {
        printf("%s: error %d of the driver\n", what, result);
        exit(2);
    }
}

static char *content(const char *name, size_t *length) {
    FILE *file = fopen(name, "rb");
    if (!file) {
        printf("%s cannot be read\n", name);
        exit(2);
    }
    fseek(file, 0, SEEK_END);
    *length = ftell(file);
    rewind(file);
    char *bytes = malloc(*length + 1);
    if (fread(bytes, 1, *length, file) != *length)
        exit(2);
    bytes[*length] = 0;
    fclose(file);
    return bytes;
}

static int is_nan(uint64_t word) { return (word & ~(1ull << 63)) > 0x7ff0000000000000ull; }

int main(int count, char **arguments) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    FILE *manifest = count > 1 ? fopen(arguments[1], "r") : NULL;
    if (!library || !manifest) {
        puts(library ? "usage: compare MANIFEST [LEVEL]" : "there is no driver");
        return 2;
    }
    for (size_t i = 0; i < sizeof driver / sizeof *driver; i++) {
        void *symbol = dlsym(library, driver[i].name);
        if (!symbol) {
            printf("the driver has no %s\n", driver[i].name);
            return 2;
        }
        memcpy(driver[i].pointer, &symbol, sizeof symbol);
    }
    const size_t size = 64 << 20;
    int device;
    Handle ignored;
    Address in, out;
    char name[100];
    check(init(0), "start");
    check(device_get(&device, 0), "device");
    check(device_name(name, sizeof name, device), "name");
    check(context(&ignored, 0, device), "context");
    check(allocate(&in, size), "memory");
    check(allocate(&out, size), "memory");

    long level = count > 2 ? atol(arguments[2]) : 4;
    char text[300], kernel[300], input[300], expected[300];
    char last_text[300] = "", last_input[300] = "", last_expected[300] = "";
    long offset, bytes;
    unsigned grid, block;
    Handle module = NULL;
    char *want = NULL;
    size_t length;
    long agree = 0, differ = 0, failed = 0, nans = 0;
    while (fscanf(manifest, "%299s %299s %299s %299s %ld %ld %u %u", text, kernel, input, expected, &offset, &bytes, &grid,
                  &block) == 8) {
        if (strcmp(text, last_text)) {
            if (module)
                unload(module);
            module = NULL;
            char *source = content(text, &length), log[8192] = "";
            int options[] = {7 /* level of optimisation */, 5 /* errors */, 6 /* their size */};
            void *values[] = {(void *)level, log, (void *)sizeof log};
            if (load(&module, source, 3, options, values) != 0) {
                printf("%s cannot be loaded: %s\n", text, log);
                module = NULL;
            }
            free(source);
            strcpy(last_text, text);
        }
        if (strcmp(input, last_input)) {
            char *data = content(input, &length);
            check(to_device(in, data, length), "input");
            free(data);
            strcpy(last_input, input);
        }
        if (strcmp(expected, last_expected)) {
            free(want);
            want = content(expected, &length);
            strcpy(last_expected, expected);
        }
        Handle entry;
        if (!module || function(&entry, module, kernel) != 0) {
            failed++;
            continue;
        }
        void *parameters[] = {&in, &out};
        check(fill(out, 0, bytes), "output");
        check(launch(entry, grid, 1, 1, block, 1, 1, 0, NULL, parameters, NULL), kernel);
        check(synchronise(), kernel);
        uint64_t *got = malloc(bytes);
        check(from_device(got, out, bytes), "output");
        long wrong = 0;
        for (long i = 0; i < bytes / 8; i++) {
            uint64_t word;
            memcpy(&word, want + offset + i * 8, 8);
            if (got[i] == word)
                continue;
            nans += is_nan(got[i]) && is_nan(word);
            if (wrong++ < 3)
                printf("%s %s [%ld]: device %016llx, emulator %016llx\n", text, kernel, i, (unsigned long long)got[i],
                       (unsigned long long)word);
        }
        free(got);
        if (wrong)
            printf("%s %s: %ld words differ\n", text, kernel, wrong);
        differ += wrong > 0;
        agree += wrong == 0;
    }
    printf("%s, level %ld: %ld kernels agree, %ld differ, %ld failed; %ld words differ as NaN only\n", name, level, agree,
           differ, failed, nans);
    return differ + failed > 0;
}
