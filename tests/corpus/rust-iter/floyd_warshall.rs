//! Shortest paths between all pairs of nodes: through node 0 at most, then through 0 and 1, and so on.

#[inline(never)]
pub fn floyd_warshall(n: usize, path: &mut [i32]) {
    for k in 0..n {
        // The way from k to k has no length, so that the row of k stays as it is.
        let (above, rest) = path.split_at_mut(k * n);
        let (middle, below) = rest.split_at_mut(n);
        shorten(above, middle, k);
        shorten(below, middle, k);
    }
}

fn shorten(rows: &mut [i32], middle: &[i32], k: usize) {
    for row in rows.chunks_exact_mut(middle.len()) {
        let first = row[k];
        for (length, second) in row.iter_mut().zip(middle) {
            *length = (*length).min(first + second);
        }
    }
}
