//! The small kernels of `corpus/user`: the same results with new code everywhere, and without the plugin the same object where
//! nothing is transformed: what an analysis was asked is no reason to compile a function differently.

use tessera_tests::kernels::build::{Compiler, Kernel, Workshop};
use tessera_tests::kernels::measure::turns;
use tessera_tests::kernels::record::remarks;
use tessera_tests::kernels::{Class, Collection, Form, problems_of};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::Failure;

const EVERYWHERE: &str = "min-work=0;min-bytes=0";

/// Long enough for both builds to run.
const SECONDS: f64 = 1e-6;

#[test]
fn new_code_gives_the_same_results() -> Result<(), Failure> {
    let (plugin, workshop) = (Plugin::locate()?, Workshop::open()?);
    let pair = workshop.pair()?;
    let mut different = 0;
    for problem in problems_of(Collection::User)? {
        for class in [Class::Mini, Class::Small] {
            let sizes = class.sizes(&problem);
            let kernel = Kernel { problem: &problem, form: Form::C99, sizes: &sizes };
            let plain = workshop.library(kernel, Compiler::Plain, 0)?;
            let new = workshop.library(kernel, Compiler::Tessera(&plugin, EVERYWHERE), 0)?;
            let turns = turns(&pair, [&plain, &new], SECONDS, &sizes)?;
            assert!(turns.same, "{} at {}", problem.name, class.name());
            different += 1;
        }
    }
    assert!(different >= 100);
    Ok(())
}

#[test]
fn what_is_left_alone_is_compiled_as_without_the_plugin() -> Result<(), Failure> {
    let (plugin, workshop) = (Plugin::locate()?, Workshop::open()?);
    let mut left_alone = 0;
    for problem in problems_of(Collection::User)? {
        let kernel = Kernel { problem: &problem, form: Form::C99, sizes: &problem.large() };
        if remarks(&workshop, kernel, &plugin)?.iter().any(|remark| remark.transformed) {
            continue;
        }
        left_alone += 1;
        let object = |compiler| {
            let path = workshop.object(kernel, compiler)?;
            std::fs::read(&path).map_err(|error| Failure::new(path.display().to_string(), error.to_string()))
        };
        let same = object(Compiler::Plain)? == object(Compiler::Tessera(&plugin, ""))?;
        assert!(same, "{}", problem.name);
    }
    assert!(left_alone >= 10, "only {left_alone} kernels");
    Ok(())
}
