//! The table of classes of sizes: how many times faster than plain, and which measurements are below the floor.

use super::Bench;
use tessera_tests::kernels::build::{Compiler, Kernel};
use tessera_tests::kernels::measure::{Turns, geometric_mean, turns};
use tessera_tests::kernels::{Class, Form, Problem};
use tessera_tests::process::Failure;

/// No kernel may be slower than this part of its plain speed.
const FLOOR: f64 = 0.98;

/// What is below the floor is measured again for so many times longer; what stays below counts.
const AGAIN: f64 = 4.0;

impl Bench {
    /// One table per form.
    pub(super) fn classes(&mut self) {
        for form in self.options.forms.clone() {
            self.classes_of(form);
        }
    }

    fn classes_of(&mut self, form: Form) {
        let classes = self.options.classes.clone();
        println!("How many times faster than plain, {}: median of the ratios of builds that take turns.", form.name());
        println!("`=` marks the same object file, `!` other results.\n");
        print!("{:<16}", "kernel");
        classes.iter().for_each(|class| print!("{:>9}", class.name()));
        println!();
        let mut ratios = vec![Vec::new(); classes.len()];
        let (mut slow, mut failures) = (Vec::new(), Vec::new());
        for problem in &self.problems {
            print!("{:<16}", problem.name);
            for (class, ratios) in classes.iter().zip(&mut ratios) {
                match self.in_turns(problem, form, *class) {
                    Ok(None) => print!("{:>9}", "="),
                    Ok(Some(turns)) => {
                        print!("{:>8.2}x", turns.ratio);
                        ratios.push(turns.ratio);
                        if turns.ratio < FLOOR {
                            slow.push((problem.name.clone(), *class, turns.clone()));
                        }
                        if !turns.same {
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
        println!("\n\nBelow {FLOOR}x, also when measured for longer: {}", slow.len());
        slow.sort_by(|one, other| one.2.ratio.total_cmp(&other.2.ratio));
        for (name, class, Turns { seconds: [old, new], ratio, quartiles: [low, high], pairs, .. }) in slow {
            println!(
                "  {name} {}: {ratio:.3}x (quartiles {low:.3} to {high:.3} of {pairs}), {:.1} us against {:.1} us",
                class.name(),
                new * 1e6,
                old * 1e6
            );
        }
        println!();
        self.failures.extend(failures);
    }

    /// Nothing where the compilers write the same object.
    fn in_turns(&self, problem: &Problem, form: Form, class: Class) -> Result<Option<Turns>, Failure> {
        let sizes = class.sizes(problem);
        let kernel = Kernel { problem, form, sizes: &sizes };
        let compilers = [Compiler::Plain, Compiler::Tessera(&self.plugin, &self.options.tessera)];
        let codes = [self.code(kernel, compilers[0])?, self.code(kernel, compilers[1])?];
        if codes[0] == codes[1] {
            return Ok(None);
        }
        let program = self.workshop.pair()?;
        let libraries = [self.workshop.library(kernel, compilers[0])?, self.workshop.library(kernel, compilers[1])?];
        let measure = |seconds| turns(&program, [&libraries[0], &libraries[1]], seconds, &sizes);
        let first = measure(self.options.seconds)?;
        Ok(Some(if first.ratio < FLOOR { measure(self.options.seconds * AGAIN)? } else { first }))
    }
}
