//! Shortest paths between all pairs of nodes: through node 0 at most, then through 0 and 1, and so on.

#[inline(never)]
pub fn floyd_warshall(n: usize, path: &mut [Vec<i32>]) {
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                let through = path[i][k] + path[k][j];
                if through < path[i][j] {
                    path[i][j] = through;
                }
            }
        }
    }
}
