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
// transformed: any
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
// transformed: any
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
        }
    }
}
