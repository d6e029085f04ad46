//! Other loop nests in Rust: stencils, transposition, steps, reversed ranges, conditions, integers, reductions.

#[path = "check.rs"]
mod check;

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_columns(n: usize, a: &[f64], b: &mut [f64]) {
    assert!(a.len() == n * n && b.len() == n * n);
    for j in 0..n {
        for i in 0..n {
            // SAFETY: i, j < n, and both slices have n * n elements.
            unsafe { *b.get_unchecked_mut(i * n + j) = 0.5 * a.get_unchecked(i * n + j) };
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_stencil(n: usize, a: &[f64], b: &mut [f64]) {
    for j in 1..n.saturating_sub(1) {
        for i in 1..n - 1 {
            b[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_reversed(n: usize, a: &mut [f64]) {
    for j in (0..n).rev() {
        for i in (0..n).rev().step_by(3) {
            a[i * n + j] = 0.5 * a[i * n + j] + 0.125;
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_inclusive(n: usize, a: &mut [f64]) {
    for j in 0..=n.wrapping_sub(1).min(n) {
        for i in j..=n {
            if let Some(x) = a.get_mut(i * n + j) {
                *x += 1.0;
            }
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_triangle(n: i32, a: &mut [f64], b: &[f64]) {
    for i in 0..n {
        for j in 0..=i {
            let at = (j * n + i) as usize;
            if (i + j) % 2 == 0 { a[at] += b[at] } else { a[at] *= 0.5 }
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_wrapping(n: usize, a: &[u32], b: &mut [u32]) {
    for j in 0..n {
        for i in 0..n {
            b[i * n + j] = b[i * n + j].wrapping_mul(1664525).wrapping_add(a[j * n + i]);
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_sum(n: usize, a: &[f64]) -> f64 {
    let mut sum = 0.0;
    for j in 0..n {
        for i in 0..n {
            sum += a[i * n + j];
        }
    }
    sum
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_vectors(rows: &mut [Vec<f64>], x: &[f64]) {
    for j in 0..x.len() {
        for row in rows.iter_mut() {
            row[j] += x[j];
        }
    }
}

fn main() {
    for n in check::SIZES {
        let a = check::numbers(n * n, 1);
        let mut b = check::numbers(n * n, 2);
        k_columns(n, &a, &mut b);
        check::report("k_columns", n, &b);
        k_stencil(n, &a, &mut b);
        check::report("k_stencil", n, &b);
        k_reversed(n, &mut b);
        check::report("k_reversed", n, &b);
        k_inclusive(n, &mut b);
        check::report("k_inclusive", n, &b);
        k_triangle(n as i32, &mut b, &a);
        check::report("k_triangle", n, &b);
        let words = check::words(n * n, 3);
        let mut result = check::words(n * n, 4);
        k_wrapping(n, &words, &mut result);
        check::report("k_wrapping", n, &result.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
        check::report("k_sum", n, &[k_sum(n, &a)]);
        let mut rows: Vec<_> = a.chunks(n.max(1)).map(<[f64]>::to_vec).collect();
        k_vectors(&mut rows, &b[..n]);
        check::report("k_vectors", n, &rows.concat());
    }
}
