//! The frame of the Rust test programs, with the same rules as `../c/check.h`: each kernel gets fresh memory, and the
//! program prints a hash of all of it.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The sizes that every kernel is run with.
pub const SIZES: [usize; 11] = [0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 100];

/// Numbers in [-1, 1) that depend on `seed` alone.
pub fn numbers(count: usize, mut seed: u64) -> Vec<f64> {
    (0..count).map(|_| (next(&mut seed) >> 11) as f64 / (1u64 << 52) as f64 - 1.0).collect()
}

/// Random words that depend on `seed` alone.
#[allow(dead_code, reason = "not every program has integers")]
pub fn words(count: usize, mut seed: u64) -> Vec<u32> {
    (0..count).map(|_| (next(&mut seed) >> 32) as u32).collect()
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ z >> 31
}

/// Prints one line: the kernel, the size and the hash of the bits of `data`.
#[inline(never)]
pub fn report(kernel: &str, size: usize, data: &[f64]) {
    let mut hash = 14695981039346656037u64;
    for x in data {
        hash = (hash ^ x.to_bits()).wrapping_mul(1099511628211);
        hash ^= hash >> 29;
    }
    let some = data.get(data.len() / 2).map_or(0, |x| x.to_bits());
    println!("{kernel} {size} {hash:016x} {some:016x}");
}

/// Runs a kernel that may panic, and reports what it left behind, what it said and where.
#[allow(dead_code, reason = "not every program has kernels that panic")]
pub fn attempt(name: &str, n: usize, length: usize, kernel: impl FnOnce(&mut [f64])) {
    let mut c = numbers(length, 6);
    let outcome = catch_unwind(AssertUnwindSafe(|| kernel(&mut c)));
    println!("{name} {}", if outcome.is_ok() { "returns" } else { "panics" });
    report(name, n, &c);
}
