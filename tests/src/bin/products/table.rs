//! The tables of speeds.

use super::turns::{Bench, Turns};
use std::io::Write;
use tessera_tests::kernels::measure::median;
use tessera_tests::kernels::{Form, Language};
use tessera_tests::process::Failure;

/// A measured size.
pub(crate) struct Line {
    pub(crate) form: Form,
    /// The order of the loops and the type of elements.
    pub(crate) name: String,
    pub(crate) size: i64,
    pub(crate) turns: Turns,
}

/// Measures and prints everything that the options ask for.
pub(crate) fn print(bench: &Bench) -> Result<Vec<Line>, Failure> {
    let options = &bench.options;
    println!("Products of square matrices, C += A B, one thread, compiled for {}.", options.target.name());
    println!(
        "10^9 operations per second (GFLOP/s), and Tessera's speed in parts of others': medians of builds that take turns."
    );
    match &bench.openblas {
        Some(found) => println!("OpenBLAS: {}", found.description),
        None => {
            println!("OpenBLAS is missing: run scripts/setup openblas, or name the library with TESSERA_OPENBLAS=FILE.")
        }
    }
    let mut lines = Vec::new();
    for &form in &options.forms {
        for problem in &bench.problems {
            let is_wanted = |list: &[String]| list.iter().any(|part| problem.name.contains(part.as_str()));
            if !is_wanted(&options.elements) || !is_wanted(&options.orders) {
                continue;
            }
            let is_rust = form.language() == Language::Rust;
            let openblas = bench.openblas.is_some() && !is_rust;
            println!("\n{}, {}", form.name(), problem.name);
            print!("{:>5}{:>9}{:>9}", "n", "plain", "tessera");
            print!("{}", if openblas { format!("{:>9}", "OpenBLAS") } else { String::new() });
            print!("{:>9}", "/plain");
            print!("{}", if openblas { format!("{:>10}", "/OpenBLAS") } else { String::new() });
            println!("{:>8}", "/peak");
            let mut peaks = Vec::new();
            for &size in &options.sizes {
                let turns = bench.measure(problem, form, size)?;
                print!("{size:>5}{:>9.2}{:>9.2}", turns.plain, turns.tessera);
                print!("{}", if openblas { format!("{:>9.2}", turns.openblas) } else { String::new() });
                print!("{:>8.2}x", turns.to_plain);
                print!("{}", if openblas { percent(turns.to_openblas, 10) } else { String::new() });
                println!("{}", percent(turns.to_peak, 8));
                let _ = std::io::stdout().flush();
                peaks.push(turns.peak);
                lines.push(Line { form, name: problem.name.clone(), size, turns });
            }
            let kind = if is_rust { "separate multiplications and additions" } else { "what C may fuse" };
            println!("peak, {kind}: {:.1} GFLOP/s", median(&peaks));
        }
    }
    println!();
    Ok(lines)
}

/// A part in percent, so many characters wide.
fn percent(part: f64, width: usize) -> String {
    format!("{:>width$}", format!("{:.0} %", 100.0 * part))
}
