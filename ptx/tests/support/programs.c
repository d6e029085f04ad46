// What people write for a device: every kernel has no fault, the last one has a race.
typedef unsigned u32;
#define SHARED __attribute__((address_space(3)))
#define KERNEL __attribute__((nvptx_kernel))
#define TID __nvvm_read_ptx_sreg_tid_x()
#define BID __nvvm_read_ptx_sreg_ctaid_x()
static SHARED float tile[32][33];
static SHARED u32 counts[64];
static SHARED float parts[8];
static SHARED int line[2][256];

KERNEL void transpose(const float *restrict a, float *restrict b) {
    u32 x = TID & 31, y = TID >> 5;
    for (u32 i = 0; i < 32; i += 8)
        tile[y + i][x] = a[(y + i) * 32 + x];
    __syncthreads();
    for (u32 i = 0; i < 32; i += 8)
        b[(y + i) * 32 + x] = tile[x][y + i];
}

KERNEL void histogram(const u32 *restrict a, u32 *restrict h) {
    if (TID < 64)
        counts[TID] = 0;
    __syncthreads();
    for (u32 i = TID; i < 1024; i += 256)
        __atomic_fetch_add(&counts[a[i] & 63], 1, __ATOMIC_RELAXED);
    __syncthreads();
    if (TID < 64)
        __atomic_fetch_add(&h[TID], counts[TID], __ATOMIC_RELAXED);
}

KERNEL void reduce(const float *restrict a, float *restrict r) {
    float v = 0;
    for (u32 i = TID; i < 1024; i += 256)
        v += a[i];
    for (int o = 16; o; o >>= 1)
        v += __nvvm_shfl_sync_down_f32(-1, v, o, 31);
    if (!(TID & 31))
        parts[TID >> 5] = v;
    __syncthreads();
    if (TID == 0) {
        float s = 0;
        for (int i = 0; i < 8; i++)
            s += parts[i];
        r[BID] = s;
    }
}

KERNEL void scan(const int *restrict a, int *restrict r) {
    int p = 0;
    line[0][TID] = a[TID];
    __syncthreads();
    for (u32 o = 1; o < 256; o <<= 1) {
        int v = line[p][TID];
        if (TID >= o)
            v += line[p][TID - o];
        line[p ^ 1][TID] = v;
        p ^= 1;
        __syncthreads();
    }
    r[TID] = line[p][TID];
}

KERNEL void saxpy(const float *restrict x, float *restrict y) {
    u32 i = BID * 256 + TID;
    if (i < 1000)
        y[i] = 2.5f * x[i] + y[i];
}

KERNEL void racing_scan(const int *restrict a, int *restrict r) {
    line[0][TID] = a[TID];
    __syncthreads();
    for (u32 o = 1; o < 256; o <<= 1) {
        int v = line[0][TID];
        if (TID >= o)
            v += line[0][TID - o];
        line[0][TID] = v;
        __syncthreads();
    }
    r[TID] = line[0][TID];
}
