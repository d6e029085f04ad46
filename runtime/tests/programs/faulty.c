// Kernels with the faults that the emulator finds, and one without. faulty.ptx is made from this file as kernels.ptx from kernels.c.
#define KERNEL __attribute__((device_kernel))
#define THREAD_X __nvvm_read_ptx_sreg_tid_x()
#define GLOBAL_X (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x())

// Reverses x; one block.
extern __attribute__((address_space(3))) float shared[];
KERNEL void right(int n, float *x) {
    int i = THREAD_X;
    if (i < n) shared[i] = x[i];
    __nvvm_bar_sync(0);
    if (i < n) x[i] = shared[n - 1 - i];
}

// Threads of all blocks write one element.
KERNEL void racy(int n, float *x) {
    int i = GLOBAL_X;
    if (i > 0 && i < n) x[0] = x[i];
}

// One element more than there are.
KERNEL void beyond(int n, float *x) {
    int i = GLOBAL_X;
    if (i <= n) x[i] = i;
}

// Threads read what others may not have replaced yet.
KERNEL void hasty(int n, float *x) {
    int i = THREAD_X;
    if (i < n) shared[i] = 0;
    __nvvm_bar_sync(0);
    if (i < n) shared[i] = x[i];
    if (i < n) x[i] = shared[n - 1 - i];
}

// One element is read that nobody has written.
KERNEL void unwritten(int n, float *x) {
    int i = THREAD_X;
    if (i > 0 && i < n) shared[i] = x[i];
    __nvvm_bar_sync(0);
    if (i < n) x[i] = shared[i];
}
