//! Running a case against its plain build, and reducing it while it fails.

use super::program::{Case, Item};
use crate::host::{Compilation, Host, Product};
use crate::plugin::Plugin;
use crate::process::{Failure, Run, difference};

/// The option strings that a case is tried with: what is profitable, and everything legal at a tile size picked by the
/// seed. Cases are small, so there is no least amount of work.
pub fn options(seed: u64) -> [String; 2] {
    let tile = [1, 2, 3, 7, 32][(seed % 5) as usize];
    ["min-work=0;min-bytes=0".to_string(), format!("unprofitable=true;min-work=0;tile={tile}")]
}

/// Compiles and runs the case plain and with each of `options`. An error says which outputs differ, or which compiler
/// or program failed.
pub fn check(case: &Case, plugin: &Plugin, options: &[String]) -> Result<(), Failure> {
    let failure = |reason: String| Failure::new("random loop nest", reason);
    let folder = tempfile::tempdir().map_err(|error| failure(error.to_string()))?;
    let source = folder.path().join("case.c");
    std::fs::write(&source, case.program()).map_err(|error| failure(error.to_string()))?;
    let executable = folder.path().join("case");
    let run = |compilation: Compilation| {
        compilation.compile(&source, Product::Executable, &executable)?;
        Run::new(&executable).output()
    };
    let expected = run(Compilation::plain(Host::Clang))?;
    for options in options {
        let actual = run(Compilation::with(Host::Clang, plugin, options))?;
        if let Some(text) = difference(&expected.stdout, &actual.stdout) {
            return Err(failure(format!("with TESSERA='{options}' {text}")));
        }
    }
    Ok(())
}

/// Removes calls and items from a case as long as `fails` holds for what is left. Greedy: each removal is tried once
/// per round, until a round removes nothing.
pub fn reduce(mut case: Case, fails: impl Fn(&Case) -> bool) -> Case {
    loop {
        let mut smaller = false;
        for at in (0..case.calls.len()).rev() {
            let mut candidate = case.clone();
            candidate.calls.remove(at);
            if !candidate.calls.is_empty() && fails(&candidate) {
                (case, smaller) = (candidate, true);
            }
        }
        let mut at = 0;
        loop {
            let mut candidate = case.clone();
            let mut left = at;
            if !remove(&mut candidate.body, &mut left) {
                break;
            }
            if fails(&candidate) {
                (case, smaller) = (candidate, true);
            } else {
                at += 1;
            }
        }
        if !smaller {
            return case;
        }
    }
}

/// Removes the item number `left` in the order of the text; false when there are not so many.
fn remove(items: &mut Vec<Item>, left: &mut usize) -> bool {
    for at in 0..items.len() {
        if *left == 0 {
            items.remove(at);
            return true;
        }
        *left -= 1;
        let removed = match &mut items[at] {
            Item::Loop { body, .. } | Item::Sum { body, .. } => remove(body, left),
            Item::If { then, otherwise, .. } => remove(then, left) || remove(otherwise, left),
            Item::Store { .. } | Item::Break | Item::Continue | Item::Leave(_) => false,
        };
        if removed {
            return true;
        }
    }
    false
}
