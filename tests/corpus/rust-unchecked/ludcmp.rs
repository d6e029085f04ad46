//! Solves A x = b: A = L U row by row, then y by forward and x by backward substitution.

#[inline(never)]
pub fn ludcmp(n: usize, a: &mut [f64], x: &mut [f64], y: &mut [f64], b: &[f64]) {
    assert!(a.len() >= n * n && x.len() >= n && y.len() >= n && b.len() >= n);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for i in 0..n {
            for j in 0..i {
                let mut rest = *a.get_unchecked(i * n + j);
                for k in 0..j {
                    rest -= *a.get_unchecked(i * n + k) * *a.get_unchecked(k * n + j);
                }
                *a.get_unchecked_mut(i * n + j) = rest / *a.get_unchecked(j * n + j);
            }
            for j in i..n {
                let mut rest = *a.get_unchecked(i * n + j);
                for k in 0..i {
                    rest -= *a.get_unchecked(i * n + k) * *a.get_unchecked(k * n + j);
                }
                *a.get_unchecked_mut(i * n + j) = rest;
            }
        }
        for i in 0..n {
            let mut rest = *b.get_unchecked(i);
            for j in 0..i {
                rest -= *a.get_unchecked(i * n + j) * *y.get_unchecked(j);
            }
            *y.get_unchecked_mut(i) = rest;
        }
        for i in (0..n).rev() {
            let mut rest = *y.get_unchecked(i);
            for j in i + 1..n {
                rest -= *a.get_unchecked(i * n + j) * *x.get_unchecked(j);
            }
            *x.get_unchecked_mut(i) = rest / *a.get_unchecked(i * n + i);
        }
    }
}
