// Shortest paths between all pairs of nodes: through node 0 at most, then through 0 and 1, and so on.
#include "mdspan.hpp"

void floyd_warshall(mdspan<int, 2> path) {
    const std::size_t n = path.extent(0);
    for (std::size_t k = 0; k < n; k++) {
        for (std::size_t i = 0; i < n; i++) {
            for (std::size_t j = 0; j < n; j++) {
                int through = path[i][k] + path[k][j];
                if (through < path[i][j]) {
                    path[i][j] = through;
                }
            }
        }
    }
}
