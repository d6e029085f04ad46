//! `scripts/fuzz-flow [PROGRAMS] [SEED]`: dependences of random programs, ours against isl's; see
//! `tessera_oracle::programs`.

use std::process::ExitCode;

use tessera_oracle::finish;
use tessera_oracle::isl::Isl;
use tessera_oracle::programs::{Tally, program};

fn run() -> Result<bool, String> {
    let mut numbers = std::env::args().skip(1).map(|a| a.parse::<u64>().map_err(|_| format!("`{a}` is not a number")));
    let programs = numbers.next().transpose()?.unwrap_or(20_000);
    let seed = numbers.next().transpose()?.unwrap_or(1);
    let tally = Tally::of(&Isl::polly()?, seed..seed + programs);
    for (seed, what) in tally.different.iter().take(5) {
        println!("seed {seed}: {:#?}\n{what}\n", program(*seed));
    }
    println!("{tally}");
    Ok(tally.different.is_empty())
}

fn main() -> ExitCode {
    finish(run())
}
