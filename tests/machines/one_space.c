// code: new
// Two arrays in one address space, apart.
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { N = 300, BASE = 1 << 20 };
static int memory[N * N + 2 * N], other[N * N + 2 * N];

__attribute__((noinline)) void k(long n, int __seg_gs *a, int __seg_gs *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = b[i * n + j + 1] * 3 + 1;
}

int main(void) {
    unsigned hash = 0;
    syscall(SYS_arch_prctl, ARCH_SET_GS, (long)BASE);
    for (int i = 0; i < N * N + 2 * N; i++)
        other[i] = memory[i] = i % 1000;
    k(N, (int __seg_gs *)((char *)memory - BASE), (int __seg_gs *)((char *)other - BASE));
    for (int i = 0; i < N * N + 2 * N; i++)
        hash = hash * 31 + (unsigned)memory[i];
    printf("%u\n", hash);
}
