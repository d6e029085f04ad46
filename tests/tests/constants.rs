//! Sizes that the compiler knows make no nest harder to understand: what is said of a kernel with constants is what is said of the same
//! kernel with parameters. (A row of 240 elements of which a loop touches 239 leaves holes in what it touches, which is no reason to give up
//! its bounds.)

use tessera_tests::kernels::build::{Kernel, Workshop};
use tessera_tests::kernels::record::{Verdict, remarks};
use tessera_tests::kernels::{Class, Form, problems};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::Failure;

#[test]
fn constants_are_understood_as_parameters_are() -> Result<(), Failure> {
    let (plugin, workshop) = (Plugin::locate()?, Workshop::open_for(&[])?);
    let (mut found, mut worse) = (0, Vec::new());
    for problem in problems()? {
        let verdict = |form, sizes: &[i64]| -> Result<Verdict, Failure> {
            Ok(Verdict::of(&remarks(&workshop, Kernel { problem: &problem, form, sizes }, &plugin)?))
        };
        if !verdict(Form::C99, &problem.large())?.is_found() {
            continue;
        }
        found += 1;
        for class in [Class::Mini, Class::Medium, Class::Large] {
            let with_constants = verdict(Form::Constant, &class.sizes(&problem))?;
            // Of a loop of up to some seventy iterations that the compiler has unrolled there is nothing to be found.
            let is_unrolled = match &with_constants {
                Verdict::NotFound(reasons) | Verdict::Transformed(reasons) => *reasons == ["TooComplex"],
                Verdict::NoGain | Verdict::NoOrder => false,
            };
            if !with_constants.is_found() && !is_unrolled {
                worse.push(format!("{} {}: {with_constants}", problem.name, class.name()));
            }
        }
    }
    assert!(found >= 28, "only {found} kernels");
    assert!(worse.is_empty(), "{worse:#?}");
    Ok(())
}
