//! Shortest paths between all pairs of nodes: through node 0 at most, then through 0 and 1, and so on.

#[inline(never)]
pub fn floyd_warshall(n: usize, path: &mut [i32]) {
    for k in 0..n {
        let middle = path[k * n..(k + 1) * n].to_vec();
        for row in path.chunks_exact_mut(n) {
            let first = row[k];
            for (length, second) in row.iter_mut().zip(&middle) {
                *length = (*length).min(first + second);
            }
        }
    }
}
