//! The table of classes of sizes: how many times faster than plain or another build of the plugin, and which measurements are below the floor.

use super::Bench;
use tessera_tests::kernels::build::{Compiler, Kernel};
use tessera_tests::kernels::by_hand::by_hand;
use tessera_tests::kernels::measure::{AGAIN, FLOOR, PLACES, Turns, geometric_mean, turns};
use tessera_tests::kernels::{Class, Form, Problem, problems};
use tessera_tests::process::Failure;

/// A measurement, and those of the places of code if it was repeated.
#[derive(Clone)]
struct Measured {
    turns: Turns,
    places: Vec<f64>,
}

impl Measured {
    fn ratio(&self) -> f64 {
        if self.places.is_empty() { self.turns.ratio } else { geometric_mean(self.places.iter().copied()) }
    }
}

/// What is reached at large sizes beside what was reached by hand, which is less for kernels in other forms than that in C: Rust fuses no
/// multiplication with an addition, so that half as many operations are possible.
fn beside_by_hand(large: &[(Problem, f64, [f64; 2])]) -> Result<(), Failure> {
    let all = by_hand(&problems()?)?;
    let of = |name: &str| large.iter().find(|(problem, ..)| problem.name == name);
    let found: Vec<_> = all.iter().filter_map(|known| of(&known.name).map(|measured| (known, measured))).collect();
    if found.is_empty() {
        return Ok(());
    }
    println!(
        "Large, beside code written by hand (C, AVX-512; see by_hand.txt): 10^9 operations per second, or times plain."
    );
    println!("{:<16}{:>9}{:>9}{:>9}{:>9}", "kernel", "plain", "tessera", "by hand", "part");
    for (known, (problem, ratio, [old, new])) in found {
        let (plain, now, unit) = match known.operations(&Class::Large.sizes(problem)) {
            Some(operations) => (operations / old / 1e9, operations / new / 1e9, ' '),
            None => (1.0, *ratio, 'x'),
        };
        let part = format!("{:.0} %", 100.0 * now / known.speed);
        println!("{:<16}{plain:>8.2}{unit}{now:>8.2}{unit}{:>8.2}{unit}{part:>9}", known.name, known.speed);
    }
    println!();
    Ok(())
}

impl Bench {
    /// One table per form.
    pub(super) fn classes(&mut self) {
        for form in self.options.forms.clone() {
            self.classes_of(form);
        }
    }

    fn classes_of(&mut self, form: Form) {
        let classes = self.options.classes.clone();
        let other = if self.options.against.is_some() { "the other plugin" } else { "plain" };
        println!(
            "How many times faster than {other}, {}: median of the ratios of builds that take turns.",
            form.name()
        );
        println!("`=` marks the same object file, `!` other results.\n");
        print!("{:<16}", "kernel");
        classes.iter().for_each(|class| print!("{:>9}", class.name()));
        println!();
        let mut ratios = vec![Vec::new(); classes.len()];
        let (mut slow, mut failures) = (Vec::new(), Vec::new());
        let mut large = Vec::new();
        for problem in &self.problems {
            print!("{:<16}", problem.name);
            for (class, ratios) in classes.iter().zip(&mut ratios) {
                match self.in_turns(problem, form, *class) {
                    Ok(None) => print!("{:>9}", "="),
                    Ok(Some(measured)) => {
                        let ratio = measured.ratio();
                        print!("{ratio:>8.2}x");
                        ratios.push(ratio);
                        if *class == Class::Large {
                            large.push((problem.clone(), ratio, measured.turns.seconds));
                        }
                        if ratio < FLOOR {
                            slow.push((problem.name.clone(), *class, measured.clone()));
                        }
                        if !measured.turns.same {
                            print!("!");
                            let what = format!("{}, {}, {}", problem.name, form.name(), class.name());
                            failures.push(Failure::new(what, "the results are not those of the plain build"));
                        }
                    }
                    Err(failure) => {
                        print!("{:>9}", "FAILED");
                        failures.push(failure);
                    }
                }
                let _ = std::io::Write::flush(&mut std::io::stdout());
            }
            println!();
        }
        print!("{:<16}", "geometric mean");
        ratios.iter().for_each(|ratios| print!("{:>8.2}x", geometric_mean(ratios.iter().copied())));
        println!(
            "\n\nBelow {FLOOR}x, also when measured for longer in {} places of the code: {}",
            PLACES.len(),
            slow.len()
        );
        slow.sort_by(|one, other| one.2.ratio().total_cmp(&other.2.ratio()));
        for (name, class, measured) in slow {
            let places: Vec<String> = measured.places.iter().map(|ratio| format!("{ratio:.3}")).collect();
            let [old, new] = measured.turns.seconds;
            println!(
                "  {name} {}: {:.3}x ({}), {:.1} us against {:.1} us",
                class.name(),
                measured.ratio(),
                places.join(" "),
                new * 1e6,
                old * 1e6
            );
        }
        println!();
        if self.options.against.is_none() {
            failures.extend(beside_by_hand(&large).err());
        }
        self.failures.extend(failures);
    }

    /// Nothing where the compilers write the same object.
    fn in_turns(&self, problem: &Problem, form: Form, class: Class) -> Result<Option<Measured>, Failure> {
        let sizes = class.sizes(problem);
        let kernel = Kernel { problem, form, sizes: &sizes };
        let options = &self.options.tessera;
        let other = self.options.against.as_ref().map_or(Compiler::Plain, |other| Compiler::Tessera(other, options));
        let compilers = [other, Compiler::Tessera(&self.plugin, options)];
        let codes = [self.code(kernel, compilers[0])?, self.code(kernel, compilers[1])?];
        if codes[0] == codes[1] {
            return Ok(None);
        }
        let program = self.workshop.pair()?;
        let measure = |place, seconds| {
            let library = |compiler| self.workshop.library(kernel, compiler, place);
            turns(&program, [&library(compilers[0])?, &library(compilers[1])?], seconds, &sizes)
        };
        let first = measure(PLACES[0], self.options.seconds)?;
        let mut result = Measured { turns: first, places: Vec::new() };
        if result.turns.ratio < FLOOR {
            for place in PLACES {
                let again = measure(place, self.options.seconds * AGAIN / PLACES.len() as f64)?;
                result.places.push(again.ratio);
                // Other results count wherever they appear.
                result.turns = Turns { same: result.turns.same && again.same, ..again };
            }
        }
        Ok(Some(result))
    }
}
