//! Iterators that end when the shorter of two does, that take steps, and slices cut at products of sizes and counters.

use check::attempt;

#[path = "check.rs"]
mod check;

// Two iterators in one loop: a row, and a column in steps of a row.
// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_columns_in_steps(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    for (c, a) in c.chunks_exact_mut(n.max(1)).zip(a.chunks_exact(n.max(1))) {
        for (j, c) in c.iter_mut().enumerate() {
            for (a, b) in a.iter().zip(b[j..].iter().step_by(n.max(1))) {
                *c += a * b;
            }
        }
    }
}

// Only steps: how many there are depends on the remainder of a length.
// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_sums_in_steps(n: usize, a: &[f64], sums: &mut [f64]) {
    for (j, sum) in sums.iter_mut().enumerate() {
        for x in a[j..].iter().step_by(n) {
            *sum += x;
        }
    }
}

// Two columns.
// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_products_of_columns(n: usize, a: &[f64], c: &mut [f64]) {
    for i in 0..n {
        for j in i..n {
            let columns = a[i..].iter().step_by(n).zip(a[j..].iter().step_by(n));
            c[i * n + j] = columns.fold(0.0, |sum, (x, y)| sum + x * y);
        }
    }
}

// The number of rounds is a minimum of a counter and a length.
// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_lower(n: usize, a: &[f64], x: &[f64], y: &mut [f64]) {
    for (i, (row, y)) in a.chunks_exact(n).zip(y).enumerate() {
        for (a, x) in row[..=i].iter().zip(x) {
            *y += a * x;
        }
    }
}

// Triangular, and a product of sizes decides how many rows there are.
// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_lower_product(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    for (i, (c, a)) in c.chunks_exact_mut(n).zip(a.chunks_exact(n)).enumerate() {
        for (j, c) in c[..=i].iter_mut().enumerate() {
            for (a, b) in a.iter().zip(b.chunks_exact(n)) {
                *c += a * b[j];
            }
        }
    }
}

// A slice is cut at a multiple of a counter, and both parts are gone through in rows.
// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_split(n: usize, a: &mut [f64]) {
    for i in 0..n {
        let (above, rest) = a.split_at_mut(i * n);
        let row = &mut rest[..n];
        for (j, other) in above.chunks_exact(n).enumerate() {
            for (x, y) in row.iter_mut().zip(other) {
                *x -= 0.01 * other[j] * y;
            }
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_behind(n: usize, a: &mut [f64]) {
    for k in 0..n {
        let (upper, lower) = a.split_at_mut((k + 1) * n);
        let pivot = &upper[k * n..];
        for row in lower.chunks_exact_mut(n) {
            let factor = row[k];
            for (x, above) in row[k + 1..].iter_mut().zip(&pivot[k + 1..]) {
                *x -= factor * above;
            }
        }
    }
}

// An inclusive range in steps.
// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_inclusive(n: usize, step: usize, a: &[f64], c: &mut [f64]) {
    for j in (1..=n.saturating_sub(2)).step_by(2) {
        for i in (0..=n.saturating_sub(1)).step_by(step) {
            c[i * n + j] += a[i * n + j - 1] + a[i * n + j + 1];
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_windows_of_rows(steps: usize, n: usize, a: &mut [f64], b: &mut [f64]) {
    for _ in 0..steps {
        for (b, a) in b.chunks_exact_mut(n).zip(a.windows(2 * n).step_by(n)) {
            let (row, below) = a.split_at(n);
            for ((b, x), y) in b.iter_mut().zip(row).zip(below) {
                *b = 0.5 * (x + y);
            }
        }
        for (a, b) in a.iter_mut().zip(b.iter()) {
            *a = 0.5 * b;
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_backwards(n: usize, a: &[f64], c: &mut [f64]) {
    for (i, row) in a.chunks_exact(n).enumerate().rev() {
        for (j, x) in row.iter().enumerate().rev() {
            c[j * n + i] += x;
        }
    }
}

fn main() {
    std::panic::set_hook(Box::new(|info| println!("{info}")));
    for n in check::SIZES {
        let (a, b) = (check::numbers(n * n, 4), check::numbers(n * n + 5, 5));
        for cut in [0, 1, n / 2, n, n + 1, n * n] {
            let short = n * n - cut.min(n * n);
            attempt("k_columns_in_steps", n, n * n, |c| k_columns_in_steps(n, &a, &b[..short], c));
            attempt("k_columns_in_steps c", n, short, |c| k_columns_in_steps(n, &a, &b, c));
            attempt("k_sums_in_steps", n, n, |c| k_sums_in_steps(n, &a[..short], c));
            attempt("k_sums_in_steps more", n, n + cut % 7, |c| k_sums_in_steps(n, &b, c));
            attempt("k_products_of_columns", n, n * n, |c| k_products_of_columns(n, &a[..short], c));
            attempt("k_lower", n, n, |c| k_lower(n, &a, &b[..n - cut.min(n)], c));
            attempt("k_lower long", n, n, |c| k_lower(n, &a[..short], &b, c));
            attempt("k_lower_product", n, n * n, |c| k_lower_product(n, &a, &b[..short], c));
            attempt("k_lower_product c", n, short, |c| k_lower_product(n, &a, &b, c));
            attempt("k_split", n, short, |c| k_split(n, c));
            attempt("k_behind", n, short, |c| k_behind(n, c));
            attempt("k_inclusive", n, short, |c| k_inclusive(n, 1 + cut % 3, &a, c));
            attempt("k_windows_of_rows", n, short, |c| k_windows_of_rows(3, n, c, &mut a.clone()));
            attempt("k_backwards", n, short, |c| k_backwards(n, &a, c));
        }
    }
}
