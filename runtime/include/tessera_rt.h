/* The interface between generated code and libtessera_rt.so.
 *
 * A nest that was compiled for a GPU runs there in a session, or as loops on the host:
 *
 *     tessera_rt_session *session = tessera_rt_begin(&nest, &estimate);
 *     if (session) {
 *         uint64_t x = tessera_rt_array(session, X, n * sizeof(float), TESSERA_RT_IN);
 *         uint64_t y = tessera_rt_array(session, Y, n * sizeof(float), TESSERA_RT_IN | TESSERA_RT_OUT);
 *         const void *parameters[] = {&n, &a, &x, &y};
 *         uint32_t grid[3] = {(n + 255) / 256, 1, 1}, block[3] = {256, 1, 1};
 *         tessera_rt_launch(session, 0, grid, block, 0, parameters);
 *         if (tessera_rt_end(session)) return;
 *     }
 *     ... the loops of the host ...
 *     if (estimate.begun) tessera_rt_host_done(&nest, &estimate);
 *
 * After an error addresses are 0, launches do nothing, and tessera_rt_end answers 0 with nothing on the host changed. So code needs to
 * look at the answers of tessera_rt_begin and tessera_rt_end only. Every function takes a null session.
 *
 * Code should refer to the functions weakly, and run the loops of the host where tessera_rt_begin is null.
 *
 * runtime/src/abi.rs says the same in Rust; a test compares the two.
 */
#ifndef TESSERA_RT_H
#define TESSERA_RT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The interface that this header describes; goes into tessera_rt_nest.abi. */
#define TESSERA_RT_ABI_VERSION 4u

/* Flags of arrays. None of them: room that only kernels use. */
#define TESSERA_RT_IN 1u          /* kernels read what the host has */
#define TESSERA_RT_OUT 2u         /* what kernels wrote is wanted on the host; copied in as well unless overwritten */
#define TESSERA_RT_OVERWRITTEN 4u /* kernels write every byte before they read it */
#define TESSERA_RT_CHANGED 8u     /* with IN | OUT: on the host only bytes are stored that kernels changed. Elements that no kernel
                                     writes are never stored to, so other threads of the program may write them meanwhile. Costs a
                                     second copy on the host and one comparison. Without IN and OUT the session fails */
#define TESSERA_RT_UNCERTAIN 16u  /* the loops of the host may not touch all of it, so that it may not be memory of the program: it is read
                                     only after a look whether it can be, and the session fails where it cannot */

/* A nest that was compiled for the device. Constant data of the program. */
typedef struct tessera_rt_nest {
    uint32_t abi;               /* TESSERA_RT_ABI_VERSION; at this place in every version */
    uint32_t kernel_count;
    const char *name;           /* what traces call it, such as "gemm.c:12" */
    const char *ptx;            /* the PTX text of all kernels; nests may share one */
    uint64_t ptx_bytes;         /* its length, without a zero byte at its end */
    const char *const *kernels; /* names in the text */
} tessera_rt_nest;

/* What the compiler expects of one execution. */
typedef struct tessera_rt_estimate {
    double operations;   /* arithmetic operations of all kernels */
    double doubles;      /* how many of them are on double precision */
    double traffic;      /* bytes between the device's memory and its processors */
    double bytes_in;     /* bytes that are copied to the device */
    double bytes_out;    /* bytes that are copied back */
    double launches;     /* kernels that will be launched */
    double arrays;       /* copies of arrays, each way counted */
    double threads;      /* threads of a launch, on average; 0: not known */
    double host_seconds; /* what the loops of the host take; 0: not known */
    uint64_t begun;      /* 0; tessera_rt_begin writes the time here where the time of the host's loops is of interest */
} tessera_rt_estimate;

typedef struct tessera_rt_session tessera_rt_session;

/* The version of the interface that the library has. */
uint32_t tessera_rt_abi_version(void);

/* Begins a session; null: run the loops of the host. Without an estimate the device is taken only where TESSERA_RT forces it. */
tessera_rt_session *tessera_rt_begin(const tessera_rt_nest *nest, tessera_rt_estimate *estimate);

/* Brings memory of the host to the device and returns its address there, which is passed to kernels as an ordinary parameter. The
 * memory must not change until the session ends; with CHANGED, bytes may that no kernel writes. Memory that was given before, with the
 * same address and size, is one array and has one address, where neither is OUT or the flags of one have those of the other; what only
 * the second wants copied in must be asked for before the first launch. No other memory may overlap an OUT array. */
uint64_t tessera_rt_array(tessera_rt_session *session, void *host, uint64_t bytes, uint32_t flags);

/* The same for rows at equal distances, which they keep on the device. What lies between rows is neither read nor written. */
uint64_t tessera_rt_rectangle(tessera_rt_session *session, void *host, uint64_t row_bytes, uint64_t rows, uint64_t pitch,
                              uint32_t flags);

/* Launches kernel number `kernel`: parameters[i] points to the value of its parameter i, which is copied. 0: the session has failed, and a
 * long loop may stop early. */
int32_t tessera_rt_launch(tessera_rt_session *session, uint32_t kernel, const uint32_t grid[3], const uint32_t block[3],
                          uint32_t shared_bytes, const void *const *parameters);

/* Waits, replaces the host's arrays by the results, and frees the session. 1: done. 0: nothing on the host was changed, run its loops. */
int32_t tessera_rt_end(tessera_rt_session *session);

/* The loops of the host have run after tessera_rt_begin had written the time into the estimate: their time corrects later estimates. */
void tessera_rt_host_done(const tessera_rt_nest *nest, const tessera_rt_estimate *estimate);

#ifdef __cplusplus
}
#endif

#endif
