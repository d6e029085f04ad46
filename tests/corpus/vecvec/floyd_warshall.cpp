// Shortest paths between all pairs of nodes: through node 0 at most, then through 0 and 1, and so on.
#include <vector>

void floyd_warshall(int n, std::vector<std::vector<int>> &path) {
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                int through = path[i][k] + path[k][j];
                if (through < path[i][j]) {
                    path[i][j] = through;
                }
            }
        }
    }
}
