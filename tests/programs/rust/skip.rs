//! Loops whose first iteration is different: iterators that skip elements, with and without elements to skip, and flags.

use check::attempt;

#[path = "check.rs"]
mod check;

// Above the diagonal.
// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_upper(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    for (i, row) in c.chunks_exact_mut(n).enumerate() {
        for (j, out) in row.iter_mut().enumerate().skip(i + 1) {
            for k in 0..n {
                *out += a[i * n + k] * b[k * n + j];
            }
        }
    }
}

// Nothing may be there to skip.
// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_some(n: usize, some: usize, a: &[f64], c: &mut [f64]) {
    for i in 0..n {
        for (j, x) in a.iter().enumerate().skip(some) {
            c[j * n + i] += x * a[i];
        }
    }
}

// Several at once, and from the end.
// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_between(n: usize, some: usize, a: &[f64], c: &mut [f64]) {
    for (i, row) in c.chunks_exact_mut(n).enumerate().skip(1) {
        for (j, out) in row.iter_mut().enumerate().take(n - 1).skip(some + 1) {
            *out += a[(i - 1) * n + j - 1] + a[(i - 1) * n + j + 1];
        }
    }
}

// The first element counts twice, and its sign is another one.
// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_flag(n: usize, a: &[f64], c: &mut [f64]) {
    for i in 0..n {
        let mut first = true;
        let mut step = 1;
        let mut j = 0;
        while j < n {
            c[j * n + i] += if first { -2.0 * a[j] } else { a[j * n + i] };
            j += step;
            first = false;
            step = 2;
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_nth(n: usize, some: usize, a: &[f64], c: &mut [f64]) {
    for row in c.chunks_exact_mut(n) {
        let mut rest = a.iter();
        let first = rest.nth(some);
        for (out, x) in row.iter_mut().zip(rest) {
            *out += x * first.copied().unwrap_or(0.5);
        }
    }
}

// The inner part of a box: how many planes there are is a quotient by a product, and inner loops are left from one place in the first
// iteration and from another one in others.
// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_box((steps, p, n, m): (usize, usize, usize, usize), a: &[f64], c: &mut [f64]) {
    for _ in 0..steps {
        for (k, plane) in c.chunks_exact_mut(n * m).enumerate().take(p - 1).skip(1) {
            for (i, row) in plane.chunks_exact_mut(m).enumerate().take(n - 1).skip(1) {
                for (j, x) in row.iter_mut().enumerate().take(m - 1).skip(1) {
                    let sides = a[(k + 1) * n * m + i * m + j] + a[(k - 1) * n * m + i * m + j];
                    *x += 0.125 * (sides + a[k * n * m + (i + 1) * m + j] + a[k * n * m + i * m + j - 1]);
                }
            }
        }
    }
}

// What comes after the first chunk is null where there is nothing.
// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_null(n: usize, a: &[f64], c: &mut [f64]) {
    for i in 0..n {
        for (row, from) in c.chunks_exact_mut(n).skip(1).zip(a.windows(2 * n).step_by(n)) {
            row[i] += 0.5 * from[i];
        }
    }
}

// A difference that is zero where it would be negative.
// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_saturating(n: usize, m: usize, a: &[f64], c: &mut [f64]) {
    for i in 0..n {
        for j in 0..m.saturating_sub(i) {
            c[j * n + i] += a[i * n + j];
        }
    }
}

fn main() {
    std::panic::set_hook(Box::new(|info| println!("{info}")));
    for n in check::SIZES {
        let (a, b) = (check::numbers(n * n, 4), check::numbers(n * n + 5, 5));
        for cut in [0, 1, n / 2, n, n + 1, n * n] {
            let short = n * n - cut.min(n * n);
            attempt("k_upper", n, n * n, |c| k_upper(n, &a, &b[..short], c));
            attempt("k_upper a", n, n * n, |c| k_upper(n, &a[..short], &b, c));
            attempt("k_upper c", n, short, |c| k_upper(n, &a, &b, c));
            for some in [0, 1, 2, n / 2, n, n + 3] {
                attempt("k_some", n, n * n, |c| k_some(n, some, &a[..n - cut.min(n)], c));
                attempt("k_some c", n, short, |c| k_some(n, some, &a[..n], c));
                attempt("k_between", n, n * n, |c| k_between(n, some, &a[..short], c));
                attempt("k_between c", n, short, |c| k_between(n, some, &a, c));
                attempt("k_nth", n, short, |c| k_nth(n, some, &a, c));
            }
            attempt("k_flag", n, short, |c| k_flag(n, &a, c));
            attempt("k_null", n, short, |c| k_null(n, &a[..n * n], c));
            attempt("k_null a", n, n * n, |c| k_null(n, &a[..short], c));
            for side in [0, 1, n / 8, n / 4] {
                attempt("k_box", n, n * n, |c| k_box((3, side, 4, n / 4), &a[..short], c));
                attempt("k_box c", n, short, |c| k_box((2, 5, side, n / 5), &a, c));
            }
            for most in [0, 1, n / 2, n, n + 1, usize::MAX] {
                attempt("k_saturating", n, short, |c| k_saturating(n, most, &a, c));
            }
        }
    }
}
