//! `polycalc optimise`: transforms SCoPs by the built-in strategy or a script of passes, and prints what came of it.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use tessera_polyhedral::ast::{AstBuild, AstOptions};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::cost::{Model, Sizes};
use tessera_polyhedral::device::{Program, sites};
use tessera_polyhedral::scop::Scop;
use tessera_polyhedral::strategy::{self, BUILTIN, SearchOptions, Source};
use tessera_polyhedral::transform::{Draft, Kind, PASSES, Script};

use crate::input;
use crate::target;

/// The arguments of `polycalc optimise`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The file with one or several SCoPs, as print<tessera> prints them; standard input if it is missing or `-`
    file: Option<PathBuf>,
    /// The file with the script that takes the place of the built-in strategy; an empty one keeps the order of the
    /// program
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// The file with the strategy that takes the place of the built-in one, for the machine that --target names; `print`
    /// shows the built-in one, and stops
    #[arg(long, value_name = "FILE", conflicts_with = "script")]
    strategy: Option<PathBuf>,
    /// The machine, a built-in target or one in a file: what a strategy may ask for facts, and for which the cycles of the
    /// order of the program and of the new one are estimated and printed
    #[arg(long, value_name = "NAME|FILE")]
    target: Option<String>,
    /// Values of parameters for the estimate, such as n=1000,m=200; others take what the context says, or 1000
    #[arg(long, value_name = "SIZES", requires = "target")]
    sizes: Option<String>,
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
    if arguments.strategy.as_ref().is_some_and(|path| path.as_os_str() == "print") {
        return Ok(BUILTIN.to_owned());
    }
    let mut options = SearchOptions::default();
    let budget = Budget::new(arguments.budget);
    let script = match &arguments.script {
        Some(path) => {
            let (name, text) = input::read(Some(path))?;
            Some(Script::parse(&text).map_err(|error| format!("{name}: {error:#}"))?)
        }
        None => None,
    };
    let target = arguments.target.as_deref().map(target::find).transpose()?;
    if let Some(target) = &target {
        options.masks = target.vectors.masks;
        options.vector_registers = target.vectors.registers;
        options.vector_bits = target.vectors.bits;
        options.fma = target.vectors.fma;
    }
    if let Some(path) = &arguments.strategy {
        let (name, text) = input::read(Some(path))?;
        let strategy = Source::parse(&text).and_then(|source| source.on(target.as_ref()));
        options.strategy = strategy.map_err(|error| format!("{name}: {error:#}"))?;
    }
    let sizes = Sizes::parse(arguments.sizes.as_deref().unwrap_or_default());
    let sizes = sizes.map_err(|error| format!("--sizes: {error:#}"))?;
    let (name, text) = input::read(arguments.file.as_deref())?;
    let mut out = String::new();
    for scop in Scop::parse_all(&text, &budget).map_err(|error| format!("{name}: {error:#}"))? {
        let error = |error: &dyn std::fmt::Display| format!("{name}: {}: {error}", scop.name);
        let dependences = Arc::new(scop.dependences(&budget).map_err(|e| error(&e))?);
        let original = Draft::with_dependences(&scop, dependences.clone());
        let original = original.with_true_flags(&budget).map_err(|e| error(&e))?;
        let draft = match &script {
            Some(script) => original.run(script, &budget).map_err(|e| error(&e))?,
            None => {
                let plan = strategy::plan_on(&scop, &dependences, &options, target.as_ref(), &budget);
                match plan.map_err(|e| error(&e))? {
                    Some(plan) => plan.draft.with_true_flags(&budget).map_err(|e| error(&e))?,
                    None => return Err(error(&"what the strategy found fails the check")),
                }
            }
        };
        let log = Script { steps: draft.log().to_vec() };
        let has_kernels = !sites(draft.tree()).map_err(|e| error(&e))?.is_empty();
        let code = if has_kernels {
            let program = Program::new(draft.tree(), Some(&scop.context), &AstOptions::default(), &budget);
            program.map_err(|e| error(&e))?.to_string()
        } else {
            let code = AstBuild::new().with_context(scop.context.clone()).build(draft.tree(), &budget);
            code.map_err(|e| error(&e))?.to_string()
        };
        let _ = write!(out, "# {}\n{log}\n", scop.name);
        if let Some(target) = &target {
            let unknown = sizes.names().find(|name| scop.context.space().param_index(name).is_none());
            if let Some(unknown) = unknown {
                return Err(error(&format!("--sizes: there is no parameter {unknown}")));
            }
            let model = Model::new(&scop, draft.dependences(), target, &sizes, &budget).map_err(|e| error(&e))?;
            let before = model.estimate(original.tree(), &budget).map_err(|e| error(&e))?;
            let after = model.estimate(draft.tree(), &budget).map_err(|e| error(&e))?;
            let _ = writeln!(out, "cycles on {}: the order of the program, the new order", target.name);
            for ((name, old), (_, new)) in before.lines().zip(after.lines()) {
                let _ = writeln!(out, "  {name:<8} {old:.2e} {new:.2e}");
            }
            out.push('\n');
        }
        let _ = write!(out, "{}{}\n{code}", draft.tree(), draft.placement());
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
                Kind::Array => "array".to_owned(),
                Kind::Set => "\"{ ... }\"".to_owned(),
            };
            let optional = if argument.optional { " (may be left out)" } else { "" };
            let _ = writeln!(out, "  {} = {kind}: {}{optional}", argument.name, argument.meaning);
        }
    }
    out
}
