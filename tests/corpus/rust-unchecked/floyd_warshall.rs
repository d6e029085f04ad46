//! Shortest paths between all pairs of nodes: through node 0 at most, then through 0 and 1, and so on.

#[inline(never)]
pub fn floyd_warshall(n: usize, path: &mut [i32]) {
    assert!(path.len() >= n * n);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    let through = *path.get_unchecked(i * n + k) + *path.get_unchecked(k * n + j);
                    if through < *path.get_unchecked(i * n + j) {
                        *path.get_unchecked_mut(i * n + j) = through;
                    }
                }
            }
        }
    }
}
