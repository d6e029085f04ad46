//! What people write instead of subscripts: iterators over rows and windows, slices of fixed size, unchecked access.

use check::attempt;

#[path = "check.rs"]
mod check;

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_zip(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    for i in 0..n {
        for j in 0..n {
            let row = &a[i * n..(i + 1) * n];
            c[i * n + j] += row.iter().enumerate().map(|(k, x)| x * b[k * n + j]).sum::<f64>();
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_rows(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    for (row, out) in a.chunks_exact(n).zip(c.chunks_exact_mut(n)) {
        for (x, b_row) in row.iter().zip(b.chunks_exact(n)) {
            for (y, z) in b_row.iter().zip(out.iter_mut()) {
                *z += x * y;
            }
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_columns(n: usize, a: &[f64], sums: &mut [f64]) {
    for (j, sum) in sums.iter_mut().enumerate() {
        for row in a.chunks_exact(n) {
            *sum += row[j];
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_windows(steps: usize, a: &mut [f64], b: &mut [f64]) {
    for _ in 0..steps {
        for (window, out) in a.windows(3).zip(b.iter_mut().skip(1)) {
            *out = 0.25 * window[0] + 0.5 * window[1] + 0.25 * window[2];
        }
        for (x, y) in a.iter_mut().zip(b.iter()) {
            *x = *y;
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_every_third(n: usize, a: &[f64], c: &mut [f64]) {
    for j in 0..n {
        for (i, x) in a.iter().enumerate().skip(j).step_by(3) {
            c[(i % 7) * n + j] += x;
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_unchecked(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    assert!(a.len() >= n * n && b.len() >= n * n && c.len() >= n * n);
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                // SAFETY: all subscripts are below n * n.
                unsafe { *c.get_unchecked_mut(i * n + j) += a.get_unchecked(i * n + k) * b.get_unchecked(k * n + j) };
            }
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_fixed(a: &[[f64; 70]; 60], b: &[[f64; 50]; 70], c: &mut [[f64; 50]; 60]) {
    for i in 0..60 {
        for j in 0..50 {
            for k in 0..70 {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_fixed_part(n: usize, m: usize, a: &[[f64; 64]; 64], c: &mut [[f64; 64]; 64]) {
    for j in 0..m {
        for i in 0..n {
            c[i][j] = 0.5 * c[i][j] + a[i][j];
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_slice_of_rows(m: usize, a: &[[f64; 64]], c: &mut [[f64; 64]]) {
    for j in 0..m {
        for i in 0..a.len() {
            c[i][j] = 0.5 * c[i][j] + a[i][j];
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_for_each(n: usize, a: &[f64], c: &mut [f64]) {
    (0..n).for_each(|j| {
        (0..n).for_each(|i| c[i * n + j] = 0.5 * c[i * n + j] + a[i * n + j]);
    });
}

fn main() {
    std::panic::set_hook(Box::new(|info| println!("{info}")));
    for n in check::SIZES {
        let (a, b) = (check::numbers(n * n, 4), check::numbers(n * n, 5));
        for cut in [0, 1, n, n * n] {
            let short = n * n - cut.min(n * n);
            attempt("k_zip", n, short, |c| k_zip(n, &a, &b, c));
            attempt("k_zip b", n, n * n, |c| k_zip(n, &a, &b[..short], c));
            attempt("k_rows", n, short, |c| k_rows(n, &a, &b, c));
            attempt("k_columns", n, n, |c| k_columns(n, &a[..short], c));
            attempt("k_windows", n, short, |c| k_windows(3, &mut a.clone(), c));
            attempt("k_every_third", n, 7 * n, |c| k_every_third(n, &a[..short], c));
            attempt("k_unchecked", n, short, |c| k_unchecked(n, &a, &b, c));
            attempt("k_for_each", n, short, |c| k_for_each(n, &a, c));
        }
    }
    let numbers = check::numbers(70 * 70, 9);
    let a: &[[f64; 70]; 60] = numbers[..60 * 70].as_chunks::<70>().0.try_into().unwrap();
    let b: &[[f64; 50]; 70] = numbers[..70 * 50].as_chunks::<50>().0.try_into().unwrap();
    attempt("k_fixed", 60, 60 * 50, |c| k_fixed(a, b, c.as_chunks_mut::<50>().0.try_into().unwrap()));
    let a: &[[f64; 64]; 64] = numbers[..64 * 64].as_chunks::<64>().0.try_into().unwrap();
    for n in [0, 1, 31, 64, 65] {
        for m in [1, 32, 63, 64, 65, usize::MAX] {
            attempt("k_fixed_part", n, 64 * 64, |c| {
                k_fixed_part(n, m, a, c.as_chunks_mut::<64>().0.try_into().unwrap());
            });
            for rows in [0, 1, 63, 64] {
                attempt("k_slice_of_rows", n, rows * 64, |c| {
                    k_slice_of_rows(m, &a[..n.min(64)], c.as_chunks_mut::<64>().0);
                });
            }
        }
    }
}
