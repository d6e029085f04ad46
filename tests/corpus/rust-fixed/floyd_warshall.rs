//! Shortest paths between all pairs of nodes: through node 0 at most, then through 0 and 1, and so on.

#[inline(never)]
pub fn floyd_warshall<const N: usize>(path: &mut [[i32; N]; N]) {
    for k in 0..N {
        for i in 0..N {
            for j in 0..N {
                let through = path[i][k] + path[k][j];
                if through < path[i][j] {
                    path[i][j] = through;
                }
            }
        }
    }
}
