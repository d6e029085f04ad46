// The kernels of the test programs. kernels.ptx is made from this file by
//   clang-22 --target=nvptx64-nvidia-cuda -march=sm_70 -Xclang -target-feature -Xclang +ptx63 -O2 -ffp-contract=off -S kernels.c -o kernels.ptx
// The stub driver has the same kernels as functions of the host, under the same names.
#define KERNEL __attribute__((device_kernel))
#define THREAD_X __nvvm_read_ptx_sreg_tid_x()
#define GLOBAL_X (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x())
#define GLOBAL_Y (__nvvm_read_ptx_sreg_ctaid_y() * __nvvm_read_ptx_sreg_ntid_y() + __nvvm_read_ptx_sreg_tid_y())

KERNEL void saxpy(int n, float a, const float *x, float *y) {
    int i = GLOBAL_X;
    if (i < n) y[i] = a * x[i] + y[i];
}

KERNEL void stencil(int n, const float *in, float *out) {
    int i = GLOBAL_X;
    if (i >= n) return;
    if (i == 0 || i == n - 1) out[i] = in[i];
    else out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

KERNEL void product(int n, const double *a, const double *b, double *c) {
    int j = GLOBAL_X, i = GLOBAL_Y;
    if (i >= n || j >= n) return;
    double sum = 0;
    for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
}

KERNEL void increment(int rows, int columns, int pitch, int *m) {
    int j = GLOBAL_X, i = GLOBAL_Y;
    if (i < rows && j < columns) m[i * pitch + j] += i * columns + j;
}

// One block; through dynamic shared memory.
extern __attribute__((address_space(3))) float shared[];
KERNEL void reverse(int n, float *x) {
    for (int i = THREAD_X; i < n; i += __nvvm_read_ptx_sreg_ntid_x()) shared[i] = x[i];
    __nvvm_bar_sync(0);
    for (int i = THREAD_X; i < n; i += __nvvm_read_ptx_sreg_ntid_x()) x[i] = shared[n - 1 - i];
}

// Writes to an address that nobody has.
KERNEL void illegal(int n, float *x) {
    *(volatile float *)0x10 = x[n - 1];
}
