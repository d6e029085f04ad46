// The most pairs in a folded strand of RNA, for every part of it from i to j; bases 0 and 3, 1 and 2 pair.
void nussinov(long n, int *best, const int *base) {
    for (long i = n - 1; i >= 0; i--) {
        best[i * n + i] = 0;
        for (long j = i + 1; j < n; j++) {
            int most = best[(i + 1) * n + j] > best[i * n + j - 1] ? best[(i + 1) * n + j] : best[i * n + j - 1];
            int inner = i + 1 < j ? best[(i + 1) * n + j - 1] : 0;
            int paired = inner + (base[i] + base[j] == 3 ? 1 : 0);
            if (paired > most) {
                most = paired;
            }
            for (long k = i + 1; k < j; k++) {
                int split = best[i * n + k] + best[(k + 1) * n + j];
                if (split > most) {
                    most = split;
                }
            }
            best[i * n + j] = most;
        }
    }
}
