//! C += A * B on slices with sizes known at run time only, bounds checked once outside of the loops.

#[path = "example.rs"]
mod example;

#[inline(never)]
fn gemm(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    assert!(a.len() == n * n && b.len() == n * n && c.len() == n * n);
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                // SAFETY: i, j, k < n, so each index is below n * n, which is the length of each slice.
                unsafe { *c.get_unchecked_mut(i * n + j) += a.get_unchecked(i * n + k) * b.get_unchecked(k * n + j) };
            }
        }
    }
}

fn main() {
    let n = example::size_argument(1300);
    let (mut a, mut b, mut c) = (vec![0.0; n * n], vec![0.0; n * n], vec![0.0; n * n]);
    example::fill(&mut a, 1);
    example::fill(&mut b, 2);
    example::fill(&mut c, 3);
    let start = std::time::Instant::now();
    gemm(n, &a, &b, &mut c);
    example::finish(&c, start);
}
