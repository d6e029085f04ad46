//! Random kernels: what the emulator computes against what the host does, bit for bit, with all checks.

#[path = "support/random.rs"]
mod random;

use tessera_ptx::Checks;

/// Files, and kernels in each. `cargo run --release --example random` runs as many as one likes.
const FILES: u64 = 12;
const KERNELS: usize = 8;

#[test]
fn as_on_the_host() {
    let folder = std::env::temp_dir().join(format!("tessera-ptx-random-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for seed in 0..FILES {
        let compiled = random::compile(&folder, seed, KERNELS).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        for checks in [Checks::ALL, Checks::NONE] {
            random::run(&compiled, KERNELS, checks).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
