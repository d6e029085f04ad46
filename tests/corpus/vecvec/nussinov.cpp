// The most pairs in a folded strand of RNA, for every part of it from i to j; bases 0 and 3, 1 and 2 pair.
#include <vector>

void nussinov(int n, std::vector<std::vector<int>> &best, const std::vector<int> &base) {
    for (int i = n - 1; i >= 0; i--) {
        best[i][i] = 0;
        for (int j = i + 1; j < n; j++) {
            int most = best[i + 1][j] > best[i][j - 1] ? best[i + 1][j] : best[i][j - 1];
            int inner = i + 1 < j ? best[i + 1][j - 1] : 0;
            int paired = inner + (base[i] + base[j] == 3 ? 1 : 0);
            if (paired > most) {
                most = paired;
            }
            for (int k = i + 1; k < j; k++) {
                int split = best[i][k] + best[k + 1][j];
                if (split > most) {
                    most = split;
                }
            }
            best[i][j] = most;
        }
    }
}
