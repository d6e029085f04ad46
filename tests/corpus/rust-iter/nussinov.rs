//! The most pairs in a folded strand of RNA, for every part of it from i to j; bases 0 and 3, 1 and 2 pair.

#[inline(never)]
pub fn nussinov(n: usize, best: &mut [i32], base: &[i32]) {
    for (i, &first) in base.iter().enumerate().rev() {
        let (row, below) = best[i * n..].split_at_mut(n);
        row[i] = 0;
        for (j, &last) in base.iter().enumerate().skip(i + 1) {
            let inner = if i + 1 < j { below[j - 1] } else { 0 };
            let paired = inner + i32::from(first + last == 3);
            let most = below[j].max(row[j - 1]).max(paired);
            let splits = row[i + 1..j].iter().zip(below.chunks_exact(n).skip(1));
            row[j] = splits.fold(most, |most, (left, right)| most.max(left + right[j]));
        }
    }
}
