// options: unprofitable;min-work=0;reorder=off
typedef unsigned _BitInt(4096) Wide;
void Room(long n, Wide *A, Wide *B, const Wide *C, Wide alpha, Wide beta) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            Wide sum = 0, bits = 1, most = 0;
            for (long k = 0; k < n; k++) {
                sum += C[i * n + k];
                bits ^= C[k * n + j];
                most |= C[k * n + i];
            }
            A[i * n + j] = alpha + sum - (beta ^ A[i * n + j]);
            B[i * n + j] = alpha ^ bits ^ (most & B[i * n + j]);
        }
}
