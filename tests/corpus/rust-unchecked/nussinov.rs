//! The most pairs in a folded strand of RNA, for every part of it from i to j; bases 0 and 3, 1 and 2 pair.

#[inline(never)]
pub fn nussinov(n: usize, best: &mut [i32], base: &[i32]) {
    assert!(best.len() >= n * n && base.len() >= n);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for i in (0..n).rev() {
            *best.get_unchecked_mut(i * n + i) = 0;
            for j in i + 1..n {
                let mut most = (*best.get_unchecked((i + 1) * n + j)).max(*best.get_unchecked(i * n + j - 1));
                let inner = if i + 1 < j { *best.get_unchecked((i + 1) * n + j - 1) } else { 0 };
                let paired = inner + if *base.get_unchecked(i) + *base.get_unchecked(j) == 3 { 1 } else { 0 };
                if paired > most {
                    most = paired;
                }
                for k in i + 1..j {
                    let split = *best.get_unchecked(i * n + k) + *best.get_unchecked((k + 1) * n + j);
                    if split > most {
                        most = split;
                    }
                }
                *best.get_unchecked_mut(i * n + j) = most;
            }
        }
    }
}
