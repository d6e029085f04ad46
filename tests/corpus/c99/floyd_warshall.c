// Shortest paths between all pairs of nodes: through node 0 at most, then through 0 and 1, and so on.
#include "sizes.h"

void floyd_warshall(SIZES(long n) int path[n][n]) {
    for (long k = 0; k < n; k++) {
        for (long i = 0; i < n; i++) {
            for (long j = 0; j < n; j++) {
                int through = path[i][k] + path[k][j];
                if (through < path[i][j]) {
                    path[i][j] = through;
                }
            }
        }
    }
}
