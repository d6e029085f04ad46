//! Random pairs per rule of coalescing:
//! `cargo run --release -p tessera-oracle --bin coalescing -- [PAIRS] [SEED] [RULE]` prints how many of them both sides
//! make one disjunct, and those where isl has fewer; with `--list` behind these arguments also all that isl makes one.
//! See `tessera_oracle::coalescing`.

use std::process::ExitCode;

use tessera_oracle::coalescing::{Outcome, RULES, compare, draw};
use tessera_oracle::differential::random::Random;
use tessera_oracle::finish;
use tessera_oracle::isl::Isl;

fn run() -> Result<bool, String> {
    let mut args = std::env::args().skip(1);
    let mut number = |default: u64| match args.next() {
        Some(text) => text.parse::<u64>().map_err(|_| format!("`{text}` is not a number")),
        None => Ok(default),
    };
    let (pairs, seed) = (number(200)?, number(1)?);
    let only = std::env::args().nth(3).unwrap_or_default();
    let list = std::env::args().nth(4).is_some_and(|a| a == "--list");
    let (polly, debian) = (Isl::polly()?, Isl::debian()?);
    let mut good = true;
    println!(
        "{:32} {:>6} {:>9} {:>9} {:>10} {:>9} {:>7}",
        "rule", "pairs", "ours one", "isl one", "isl fewer", "ours fewer", "no isl"
    );
    for (k, rule) in RULES.iter().enumerate().filter(|(_, r)| r.contains(&only)) {
        let mut random = Random::new(seed.wrapping_mul(1000).wrapping_add(k as u64));
        let mut counts = [0u64; 5];
        for _ in 0..pairs {
            let text = draw(rule, &mut random).to_string();
            match compare(&[&polly, &debian], &text) {
                Outcome::IslGaveUp => counts[4] += 1,
                Outcome::Counts { before, ours, isl } => {
                    if list && isl == 1 && before > 1 {
                        println!("ONE {rule}: {text}");
                    }
                    counts[0] += u64::from(ours <= 1);
                    counts[1] += u64::from(isl <= 1);
                    counts[2] += u64::from(isl < ours);
                    counts[3] += u64::from(ours < isl);
                    if isl < ours {
                        good &= isl > 1;
                        println!("  ours {ours}, isl {isl}: {text}");
                    }
                }
                Outcome::Wrong(why) => {
                    good = false;
                    println!("  WRONG: {why}");
                }
            }
        }
        let [ours, isl, fewer, more, none] = counts;
        println!("{rule:32} {pairs:>6} {ours:>9} {isl:>9} {fewer:>10} {more:>9} {none:>7}");
    }
    Ok(good)
}

fn main() -> ExitCode {
    finish(run())
}
