//! Support code of the Rust examples: input, timing, and the dump of the result; the same protocol as `../c/example.h`.

use std::io::Write;
use std::time::Instant;

/// The size given as the second argument, or `otherwise`.
#[allow(dead_code, reason = "an example with constant sizes has no size argument")]
pub fn size_argument(otherwise: usize) -> usize {
    std::env::args().nth(2).map_or(otherwise, |text| text.parse().expect("SIZE is a number"))
}

/// Numbers in [-1, 1) from a linear congruential generator.
pub fn fill(array: &mut [f64], mut seed: u64) {
    for element in array {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *element = (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
    }
}

/// Prints the hash (64-bit FNV-1a) of the result, writes the dump, prints the time since `start`.
pub fn finish(result: &[f64], start: Instant) {
    let seconds = start.elapsed().as_secs_f64();
    let bytes: Vec<u8> = result.iter().flat_map(|x| x.to_ne_bytes()).collect();
    let hash = bytes.iter().fold(14695981039346656037u64, |h, &b| (h ^ u64::from(b)).wrapping_mul(1099511628211));
    println!("{hash:016x} first {:?} last {:?}", result[0], result[result.len() - 1]);
    eprintln!("kernel seconds: {seconds:.6}");
    if let Some(path) = std::env::args().nth(1) {
        std::fs::File::create(path).and_then(|mut file| file.write_all(&bytes)).expect("the dump can be written");
    }
}
