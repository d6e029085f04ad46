//! The most pairs in a folded strand of RNA, for every part of it from i to j; bases 0 and 3, 1 and 2 pair.

#[inline(never)]
pub fn nussinov<const N: usize>(best: &mut [[i32; N]; N], base: &[i32; N]) {
    for i in (0..N).rev() {
        best[i][i] = 0;
        for j in i + 1..N {
            let mut most = best[i + 1][j].max(best[i][j - 1]);
            let inner = if i + 1 < j { best[i + 1][j - 1] } else { 0 };
            let paired = inner + if base[i] + base[j] == 3 { 1 } else { 0 };
            if paired > most {
                most = paired;
            }
            for k in i + 1..j {
                let split = best[i][k] + best[k + 1][j];
                if split > most {
                    most = split;
                }
            }
            best[i][j] = most;
        }
    }
}
