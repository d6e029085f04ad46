// The most pairs in a folded strand of RNA, for every part of it from i to j; bases 0 and 3, 1 and 2 pair.
#include "mdspan.hpp"

void nussinov(mdspan<int, 2> best, std::span<const int> base) {
    const std::size_t n = best.extent(0);
    for (std::size_t i = n; i-- > 0;) {
        best(i, i) = 0;
        for (std::size_t j = i + 1; j < n; j++) {
            int most = best(i + 1, j) > best(i, j - 1) ? best(i + 1, j) : best(i, j - 1);
            int inner = i + 1 < j ? best(i + 1, j - 1) : 0;
            int paired = inner + (base[i] + base[j] == 3 ? 1 : 0);
            if (paired > most) {
                most = paired;
            }
            for (std::size_t k = i + 1; k < j; k++) {
                int split = best(i, k) + best(k + 1, j);
                if (split > most) {
                    most = split;
                }
            }
            best(i, j) = most;
        }
    }
}
