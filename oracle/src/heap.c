/* Counts what is allocated from the C library's heap by the whole process, whoever asks: loaded before it (LD_PRELOAD) in the
   processes of `scripts/bench polyhedral` that compare memory. A block counts with its usable size and the word in front of it. */
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static _Atomic uint64_t now, peak;

static uint64_t size(void *p) { return p ? malloc_usable_size(p) + sizeof(size_t) : 0; }

static void *count(void *p) {
    uint64_t total = atomic_fetch_add(&now, size(p)) + size(p);
    if (total > atomic_load(&peak)) atomic_store(&peak, total);
    return p;
}

void *malloc(size_t n) { return count(__libc_malloc(n)); }
void *calloc(size_t n, size_t each) { return count(__libc_calloc(n, each)); }
void *memalign(size_t alignment, size_t n) { return count(__libc_memalign(alignment, n)); }
void *aligned_alloc(size_t alignment, size_t n) { return count(__libc_memalign(alignment, n)); }

int posix_memalign(void **result, size_t alignment, size_t n) {
    *result = memalign(alignment, n);
    return *result ? 0 : 12; /* ENOMEM */
}

void free(void *p) {
    atomic_fetch_sub(&now, size(p));
    __libc_free(p);
}

void *realloc(void *p, size_t n) {
    uint64_t before = size(p);
    void *result = __libc_realloc(p, n);
    if (result || n == 0) atomic_fetch_sub(&now, before);
    return count(result);
}

/* Bytes in use. */
uint64_t tessera_heap_now(void) { return atomic_load(&now); }

/* The most bytes in use since the last call. */
uint64_t tessera_heap_peak(void) { return atomic_exchange(&peak, atomic_load(&now)); }
