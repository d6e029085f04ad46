//! Safe Rust with bounds checks: the checks stay, and fail at the same moment with the same message.

use std::panic::{AssertUnwindSafe, catch_unwind};

#[path = "check.rs"]
mod check;

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_product(n: usize, m: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    for i in 0..n {
        for j in 0..m {
            for k in 0..n {
                c[i * m + j] += a[i * n + k] * b[k * m + j];
            }
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_column_sums(n: usize, a: &[f64], sums: &mut [f64]) {
    for j in 0..n {
        for i in 0..n {
            sums[j] += a[i * n + j];
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_stencil(n: usize, steps: usize, a: &mut [f64], b: &mut [f64]) {
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                b[i * n + j] = 0.25 * (a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]);
            }
        }
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                a[i * n + j] = b[i * n + j];
            }
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_triangle(n: usize, l: &[f64], x: &mut [f64]) {
    for j in 0..n {
        for i in 0..n {
            for k in 0..i {
                x[i * n + j] -= l[i * n + k] * x[k * n + j];
            }
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_rows(a: &[Vec<f64>], b: &[Vec<f64>], c: &mut [Vec<f64>]) {
    let n = c.len();
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_limit(n: usize, limit: usize, a: &[f64], c: &mut [f64]) -> usize {
    for j in 0..n {
        for i in 0..n {
            if i + 2 * j > limit {
                return i * n + j;
            }
            c[i * n + j] = 0.5 * c[i * n + j] + a[i * n + j];
        }
    }
    usize::MAX
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_search(n: usize, a: &[f64], c: &mut [f64]) -> Option<usize> {
    for j in 0..n {
        for i in 0..n {
            if a[i * n + j] > 0.999 {
                return Some(i * n + j);
            }
            c[i * n + j] += a[i * n + j];
        }
    }
    None
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_assertion(n: usize, top: usize, a: &[f64], c: &mut [f64]) {
    for j in 0..n {
        for i in 0..n {
            assert!(i + j < top, "diagonal {} of {top}", i + j);
            c[i * n + j] += a[j * n + i];
        }
    }
}

/// Runs a kernel that may panic, and reports what it left behind and what it said.
fn attempt(name: &str, n: usize, c: &mut [f64], kernel: impl FnOnce(&mut [f64])) {
    let outcome = catch_unwind(AssertUnwindSafe(|| kernel(c)));
    match outcome {
        Ok(()) => println!("{name} returns"),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().cloned();
            println!("{name} panics: {}", text.or_else(|| payload.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default());
        }
    }
    check::report(name, n, c);
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    for n in check::SIZES {
        let (a, b) = (check::numbers(n * n, 4), check::numbers(n * n, 5));
        // Slices that are long enough, and that are too short at the end, in the middle, everywhere.
        for cut in [0, 1, n, n * n / 2, n * n] {
            let short = n * n - cut.min(n * n);
            let fresh = |length: usize| check::numbers(length, 6);
            attempt("k_product", n, &mut fresh(short), |c| k_product(n, n, &a, &b, c));
            attempt("k_product b", n, &mut fresh(n * n), |c| k_product(n, n, &a, &b[..short], c));
            attempt("k_column_sums", n, &mut fresh(n), |c| k_column_sums(n, &a[..short], c));
            attempt("k_triangle", n, &mut fresh(short), |c| k_triangle(n, &a, c));
            attempt("k_stencil", n, &mut fresh(n * n), |c| {
                let mut other = fresh(short);
                k_stencil(n.max(2), 3, &mut other, c);
            });
            attempt("k_search", n, &mut fresh(n * n), |c| println!("{:?}", k_search(n, &a[..short], c)));
            attempt("k_limit", n, &mut fresh(n * n), |c| println!("{}", k_limit(n, 3 * n - cut.min(3 * n), &a, c)));
            attempt("k_assertion", n, &mut fresh(n * n), |c| k_assertion(n, 2 * n - cut.min(2 * n), &a, c));
        }
        let rows = |seed, width: usize| -> Vec<Vec<f64>> { (0..n).map(|i| check::numbers(width, seed + i as u64)).collect() };
        for width in [n, n.saturating_sub(1)] {
            let mut c = rows(30, n);
            let outcome = catch_unwind(AssertUnwindSafe(|| k_rows(&rows(10, n), &rows(20, width), &mut c))).is_ok();
            println!("k_rows {outcome}");
            c.iter().for_each(|row| check::report("k_rows", n, row));
        }
    }
    // Products that wrap around: nothing may be read or written before the panic.
    for n in [1usize << 32, (1 << 63) + 5, usize::MAX] {
        let mut c = check::numbers(10, 3);
        attempt("k_product wide", 10, &mut c, |c| k_product(1, n, &[1.0], &[1.0; 4], c));
        attempt("k_limit wide", 10, &mut c, |c| println!("{}", k_limit(n, 3, &[1.0; 6], c)));
    }
}
