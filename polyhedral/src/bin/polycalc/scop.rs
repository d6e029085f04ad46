//! `polycalc scop`: checks SCoPs and prints them, or what follows from them.

use std::fmt::Write;
use std::path::PathBuf;

use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::scop::{DependenceKind, Scop};

use crate::input;

/// The arguments of `polycalc scop`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The file with one or several SCoPs, as print<tessera> prints them; standard input if it is missing or `-`
    file: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Form::Scop)]
    print: Form,
    /// The most elementary operations to take
    #[arg(long, value_name = "N", default_value_t = 5_000_000_000)]
    budget: u64,
}

/// What is printed of a SCoP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Form {
    /// The SCoP itself
    Scop,
    /// Its memory dependences, access by access
    Dependences,
    /// The order of the program as a drawing
    Schedule,
}

/// Runs the subcommand: what to print.
pub(crate) fn run(arguments: &Arguments) -> Result<String, String> {
    let budget = Budget::new(arguments.budget);
    let (name, text) = input::read(arguments.file.as_deref())?;
    let error = |e| format!("{name}: {e:#}");
    let mut out = String::new();
    for scop in Scop::parse_all(&text, &budget).map_err(error)? {
        if arguments.print == Form::Scop {
            let _ = write!(out, "---\n{scop}");
            continue;
        }
        let _ = writeln!(out, "# {}", scop.name);
        if arguments.print == Form::Schedule {
            let _ = write!(out, "{}", scop.schedule);
            continue;
        }
        for pair in scop.dependences(&budget).map_err(error)?.pairs {
            let kind = match pair.kind {
                DependenceKind::Flow => "flow",
                DependenceKind::Anti => "anti",
                DependenceKind::Output => "output",
            };
            let order = if pair.dependence.reduction { " (any order)" } else { "" };
            let map = pair.dependence.map.gist_params(&scop.context, &budget).map_err(error)?;
            let _ = writeln!(out, "{kind}{order} through {}: {map}", scop.arrays[pair.array].name);
        }
    }
    Ok(out)
}
