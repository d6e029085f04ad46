//! Arithmetic with overflow checks, as in debug builds: an overflow panics at the moment at which it happens.
//@ compile-flags: -Coverflow-checks=on -Cdebug-assertions=on

use check::attempt;
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
pub fn k_columns(n: usize, a: &[f64], c: &mut [f64]) {
    for j in 1..n - 1 {
        for i in 1..n - 1 {
            c[i * n + j] += a[(i - 1) * n + j] + a[(i + 1) * n + j];
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_signed(n: i32, first: i32, a: &[f64], c: &mut [f64]) {
    for j in first..n {
        for i in first..n {
            c[(i * n + j) as usize] += a[(j * n + i) as usize];
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_narrow(n: u8, a: &[f64], c: &mut [f64]) {
    for j in 0..n {
        for i in 0..n {
            c[usize::from(i) * usize::from(n) + usize::from(j)] += a[usize::from(i + j)];
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_difference(n: usize, shift: usize, a: &[f64], c: &mut [f64]) {
    for j in 0..n {
        for i in 0..n {
            c[i * n + j] += a[i + j - shift];
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_up_to(n: usize, a: &[f64], c: &mut [f64]) {
    for j in 0..n {
        for i in 0..=j {
            c[i * n + j] += 0.5 * a[i * n + j];
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_counted(n: usize, a: &[f64], c: &mut [f64]) {
    let mut j = 0;
    while j < n {
        let mut i = 0;
        while i < n {
            c[i * n + j] = 0.5 * c[i * n + j] + a[i * n + j];
            i += 1;
        }
        j += 1;
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_sum(n: usize, words: &[u32], c: &mut [u32]) {
    for j in 0..n {
        for i in 0..n {
            c[j] += words[i * n + j];
        }
    }
}

fn main() {
    std::panic::set_hook(Box::new(|info| println!("{info}")));
    for n in check::SIZES {
        let (a, b) = (check::numbers(n * n, 4), check::numbers(n * n, 5));
        for cut in [0, 1, n] {
            let short = n * n - cut.min(n * n);
            attempt("k_product", n, short, |c| k_product(n, n, &a, &b, c));
            attempt("k_product b", n, n * n, |c| k_product(n, n, &a, &b[..short], c));
            attempt("k_columns", n, short, |c| k_columns(n, &a, c));
            attempt("k_up_to", n, n * n, |c| k_up_to(n, &a[..short], c));
            attempt("k_counted", n, n * n, |c| k_counted(n, &a[..short], c));
            for first in [0, 1, -1] {
                attempt("k_signed", n, short, |c| k_signed(n as i32, first, &a, c));
            }
            attempt("k_narrow", n, short, |c| k_narrow(n as u8, &a, c));
            for shift in [0, 1, n] {
                attempt("k_difference", n, short, |c| k_difference(n, shift, &a, c));
            }
        }
        for seed in [2, 3] {
            let words: Vec<u32> = check::words(n * n, seed).iter().map(|w| w >> (3 + 3 * seed)).collect();
            let mut c = check::words(n, 7).iter().map(|w| w >> 8).collect::<Vec<u32>>();
            let outcome = catch_unwind(AssertUnwindSafe(|| k_sum(n, &words, &mut c)));
            println!("k_sum {} {c:?}", outcome.is_ok());
        }
    }
    let numbers = check::numbers(1 << 16, 9);
    for n in [127u8, 128, 129, 200, 255] {
        attempt("k_narrow", usize::from(n), 1 << 16, |c| k_narrow(n, &numbers, c));
    }
    for n in [46340, 46341, i32::MAX] {
        attempt("k_signed", 0, 10, |c| k_signed(n, n - 2, &numbers, c));
        attempt("k_signed", 0, 10, |c| k_signed(n, 0, &numbers, c));
    }
    for n in [1usize << 32, (1 << 63) + 5, usize::MAX] {
        attempt("k_product", 10, 10, |c| k_product(2, n, &[1.0; 4], &[1.0; 4], c));
        attempt("k_columns", 10, 10, |c| k_columns(n, &numbers, c));
        attempt("k_up_to", 10, 10, |c| k_up_to(n, &numbers, c));
    }
    attempt("k_columns", 0, 10, |c| k_columns(0, &numbers, c));
}
