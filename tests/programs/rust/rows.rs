//! Vectors of vectors: rows have a length each, and the program panics at the first one that is too short.

use std::panic::{AssertUnwindSafe, catch_unwind};

#[path = "check.rs"]
mod check;

type Rows = Vec<Vec<f64>>;

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_product(n: usize, m: usize, a: &[Vec<f64>], b: &[Vec<f64>], c: &mut [Vec<f64>]) {
    for i in 0..n {
        for j in 0..m {
            c[i][j] *= 0.5;
            for k in 0..n {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_columns(n: usize, m: usize, a: &[Vec<f64>], b: &mut [Vec<f64>]) {
    for j in 0..m {
        for i in 0..n {
            b[i][j] = 0.5 * a[i][j] + 0.125;
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_stencil(n: usize, m: usize, a: &[Vec<f64>], b: &mut [Vec<f64>]) {
    for j in 1..m - 1 {
        for i in 1..n - 1 {
            b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_triangle(n: usize, l: &[Vec<f64>], x: &mut [Vec<f64>]) {
    for j in 0..n {
        for i in 0..n {
            for k in 0..i {
                x[i][j] -= l[i][k] * x[k][j];
            }
        }
    }
}

// The vectors themselves are behind a reference, too.
/// The second of two nests knows the first row of `c` by what the first one has loaded.
// transformed: any
#[inline(never)]
#[unsafe(no_mangle)]
pub fn k_twice(n: u32, a: &[Vec<f64>], c: &mut [Vec<f64>]) {
    for _ in 0..2 {
        for i in 1..n {
            for j in 0..n {
                for k in 0..n {
                    c[0][j as usize] += a[i as usize][k as usize];
                }
            }
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
#[allow(clippy::ptr_arg, reason = "this is what is tested")]
pub fn k_headers(n: usize, m: usize, a: &Rows, b: &Rows, c: &mut Rows) {
    for i in 0..n {
        for j in 0..m {
            for k in 0..n {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

/// Rows of numbers, with room for `m`; the row `short`, if there is one, is shorter by `missing`.
fn rows(n: usize, m: usize, seed: u64, short: usize, missing: usize) -> Rows {
    let length = |i: usize| if i == short { m.saturating_sub(missing) } else { m };
    (0..n).map(|i| check::numbers(length(i), seed + i as u64)).collect()
}

/// Runs a kernel that may panic, and reports what it left behind; the hook reports what it said and where.
fn run(name: &str, size: usize, c: &mut Rows, kernel: impl FnOnce(&mut Rows)) {
    let outcome = catch_unwind(AssertUnwindSafe(|| kernel(c)));
    println!("{name} {}", if outcome.is_ok() { "returns" } else { "panics" });
    check::report(name, size, &c.concat());
}

fn main() {
    std::panic::set_hook(Box::new(|info| println!("{info}")));
    const NONE: usize = usize::MAX;
    for n in check::SIZES {
        if n > 65 {
            continue;
        }
        let last = n.saturating_sub(1);
        // Nothing missing; an element of each matrix; a whole row.
        for case in 0..9 {
            let (short, missing) = [(NONE, 0), (0, 1), (n / 2, 1), (last, 1), (n / 2, n), (last, n)][case % 6];
            let of = |matrix: usize| if case < 6 || matrix == case % 3 { (short, missing) } else { (NONE, 0) };
            let make = |n: usize, m: usize, matrix: usize| {
                let (short, missing) = of(matrix);
                rows(n, m, 10 * matrix as u64, short, missing)
            };
            let (a, b) = (make(n, n, 0), make(n, n, 1));
            let mut c = make(n, n, 2);
            run("k_product", n, &mut c, |c| k_product(n, n, &a, &b, c));
            run("k_headers", n, &mut c, |c| k_headers(n, n, &a, &b, c));
            run("k_columns", n, &mut c, |c| k_columns(n, n, &a, c));
            if n > 0 {
                run("k_stencil", n, &mut c, |c| k_stencil(n, n, &a, c));
            }
            run("k_triangle", n, &mut c, |c| k_triangle(n, &a, c));
            run("k_twice", n, &mut c, |c| k_twice(n as u32, &a, c));
            // Too few rows.
            let (few, mut none) = (rows(last, n, 7, NONE, 0), Rows::new());
            run("k_product", n, &mut c, |c| k_product(n, n, &few, &b, c));
            run("k_product", n, &mut c, |c| k_product(n, n, &a, &few, c));
            run("k_product", n, &mut none, |c| k_product(n, n, &a, &b, c));
            run("k_columns", n, &mut none, |c| k_columns(n, 0, &a, c));
            // Rows of just the length that is needed.
            let ragged: Rows = (0..n).map(|i| check::numbers(i, i as u64)).collect();
            run("k_triangle", n, &mut c, |c| k_triangle(n, &ragged, c));
        }
    }
}
