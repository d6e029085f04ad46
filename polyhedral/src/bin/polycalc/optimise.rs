//! `polycalc optimise`: transforms SCoPs by the built-in strategy or a script of passes, and prints what came of it.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use tessera_polyhedral::ast::AstBuild;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::scop::Scop;
use tessera_polyhedral::strategy::{self, Wishes};
use tessera_polyhedral::transform::{Draft, Kind, PASSES, Script};

use crate::input;

/// The arguments of `polycalc optimise`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The file with one or several SCoPs, as print<tessera> prints them; standard input if it is missing or `-`
    file: Option<PathBuf>,
    /// The file with the script that takes the place of the built-in strategy; an empty one keeps the order of the program
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Print all passes with their arguments, and stop
    #[arg(long)]
    passes: bool,
    /// The most elementary operations to take
    #[arg(long, value_name = "N", default_value_t = 5_000_000_000)]
    budget: u64,
}

/// Runs the subcommand: what to print.
pub(crate) fn run(arguments: &Arguments) -> Result<String, String> {
    if arguments.passes {
        return Ok(passes());
    }
    let budget = Budget::new(arguments.budget);
    let script = match &arguments.script {
        Some(path) => {
            let (name, text) = input::read(Some(path))?;
            Some(Script::parse(&text).map_err(|error| format!("{name}: {error:#}"))?)
        }
        None => None,
    };
    let (name, text) = input::read(arguments.file.as_deref())?;
    let mut out = String::new();
    for scop in Scop::parse_all(&text, &budget).map_err(|error| format!("{name}: {error:#}"))? {
        let error = |error: &dyn std::fmt::Display| format!("{name}: {}: {error}", scop.name);
        let draft = match &script {
            Some(script) => {
                let draft = Draft::new(&scop, &budget).map_err(|e| error(&e))?;
                draft.run(script, &budget).map_err(|e| error(&e))?
            }
            None => {
                let dependences = Arc::new(scop.dependences(&budget).map_err(|e| error(&e))?);
                let plan = strategy::plan(&scop, &dependences, &[], &Wishes::default(), &budget);
                match plan.map_err(|e| error(&e))? {
                    Some(plan) => plan.draft.with_true_flags(&budget).map_err(|e| error(&e))?,
                    None => return Err(error(&"what the strategy found fails the check")),
                }
            }
        };
        let log = Script { steps: draft.log().to_vec() };
        let code = AstBuild::new().with_context(scop.context.clone()).build(draft.tree(), &budget);
        let code = code.map_err(|e| error(&e))?;
        let _ = write!(out, "# {}\n{log}\n{}\n{code}", scop.name, draft.tree());
    }
    Ok(out)
}

/// All passes, as the help shows them.
fn passes() -> String {
    let mut out = String::new();
    for pass in PASSES {
        let _ = writeln!(out, "{}: {}", pass.name, pass.meaning);
        if pass.sites > 0 {
            let _ = writeln!(out, "  {} {}, such as S1@0", pass.sites, if pass.sites == 1 { "band" } else { "bands" });
        }
        for argument in pass.arguments {
            let kind = match argument.kind {
                Kind::Integer => "number".to_owned(),
                Kind::Integers => "[numbers]".to_owned(),
                Kind::ListsOfIntegers => "[[numbers]]".to_owned(),
                Kind::Word(words) => words.join(" or "),
                Kind::Statement => "statement".to_owned(),
            };
            let optional = if argument.optional { " (may be left out)" } else { "" };
            let _ = writeln!(out, "  {} = {kind}: {}{optional}", argument.name, argument.meaning);
        }
    }
    out
}
