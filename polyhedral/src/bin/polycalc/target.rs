//! `polycalc target`: prints machines.

use std::path::Path;

use tessera_polyhedral::target::Target;

use crate::input;

/// The arguments of `polycalc target`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A built-in target, which is printed with the comments that explain it, or a file with one, which is checked and
    /// printed; without it all names of built-in targets are printed
    target: Option<String>,
}

/// Runs the subcommand: what to print.
pub(crate) fn run(arguments: &Arguments) -> Result<String, String> {
    match &arguments.target {
        None => Ok(Target::builtins().map(|name| format!("{name}\n")).collect()),
        Some(name) => match Target::builtin_text(name) {
            Some(text) => Ok(text.to_owned()),
            None => find(name).map(|target| target.to_string()),
        },
    }
}

/// The built-in target of that name, or else the one in that file.
pub(crate) fn find(name: &str) -> Result<Target, String> {
    if let Some(target) = Target::builtin(name) {
        return target.map_err(|error| format!("{name}: {error:#}"));
    }
    let (name, text) = input::read(Some(Path::new(name))).map_err(|error| {
        let known: Vec<&str> = Target::builtins().collect();
        format!("{error}; built-in targets are {}", known.join(", "))
    })?;
    Target::parse(&text).map_err(|error| format!("{name}: {error:#}"))
}
