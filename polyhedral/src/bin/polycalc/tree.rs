//! `polycalc tree`: draws a schedule tree, checks it, and prints other forms of it.

use std::fmt::Write;
use std::path::PathBuf;

use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::FlowInfo;
use tessera_polyhedral::relation::UnionMap;
use tessera_polyhedral::schedule::{Legality, ScheduleTree};
use tessera_polyhedral::scheduler::ScheduleConstraints;

use crate::input;

/// The arguments of `polycalc tree`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The file with the schedule tree in YAML; standard input if it is missing or `-`
    file: Option<PathBuf>,
    /// Check the structure and, with `--dependences` or `--constraints`, the order and the flags; the exit status says whether
    /// all is well
    #[arg(long)]
    verify: bool,
    /// Dependences `earlier -> later` to check against: a relation in isl's notation, or what `polycalc flow` prints
    #[arg(long, value_name = "FILE", requires = "verify")]
    dependences: Option<PathBuf>,
    /// Schedule constraints in YAML to check against: `validity` for the order, `coincidence` for the flags
    #[arg(long, value_name = "FILE", requires = "verify", conflicts_with = "dependences")]
    constraints: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Form::Drawing)]
    print: Form,
    /// The most elementary operations to take
    #[arg(long, value_name = "N", default_value_t = 5_000_000_000)]
    budget: u64,
}

/// A form of a schedule tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Form {
    /// One line per node
    Drawing,
    /// YAML, as isl
    Yaml,
    /// Points in time
    Map,
}

/// Runs the subcommand: what to print, also if the tree is not all right.
pub(crate) fn run(arguments: &Arguments) -> Result<String, String> {
    let budget = Budget::new(arguments.budget);
    let (name, text) = input::read(arguments.file.as_deref())?;
    input::note_ignored(&name, &text);
    let error = |e| format!("{name}: {e:#}");
    let tree = ScheduleTree::from_yaml(&text, &budget).map_err(error)?;
    let mut out = match arguments.print {
        Form::Drawing => tree.to_string(),
        Form::Yaml => tree.to_yaml(),
        Form::Map => format!("{}\n", tree.to_map(&budget).map_err(error)?),
    };
    if !arguments.verify {
        return Ok(out);
    }
    let mut defects: Vec<String> = tree.verify(&budget).map_err(error)?.iter().map(ToString::to_string).collect();
    if let Some((validity, coincidence)) = pairs(arguments, &budget)? {
        let legality = tree.legality(&validity, &budget).map_err(error)?;
        for node in legality.violations() {
            defects.push(format!("schedule node at {:?}: the {} violates {}", node.path, node.kind, node.violated));
        }
        let flags = tree.verify_flags(&validity, &coincidence, &budget).map_err(error)?;
        defects.extend(flags.iter().map(ToString::to_string));
        out += &described(&legality);
    }
    if defects.is_empty() {
        out.push_str("well-formed\n");
        return Ok(out);
    }
    Err(format!("{}\n{out}", defects.join("\n")))
}

/// The dependences to check the order and the flags against.
fn pairs(arguments: &Arguments, budget: &Budget) -> Result<Option<(UnionMap, UnionMap)>, String> {
    if let Some(path) = &arguments.constraints {
        let (name, text) = input::read(Some(path))?;
        let constraints = ScheduleConstraints::parse(&text, budget).map_err(|e| format!("{name}: {e:#}"))?;
        return Ok(Some((constraints.validity, constraints.coincidence)));
    }
    let Some(path) = &arguments.dependences else { return Ok(None) };
    let (name, text) = input::read(Some(path))?;
    let error = |e| format!("{name}: {e:#}");
    let relation = if text.contains("may_dependence") || text.contains("must_dependence") {
        let info = FlowInfo::parse(&text, budget).map_err(error)?;
        let all = info.may_dependence.union(&info.must_dependence).map_err(error)?;
        // With or without the element.
        let full = all.filter(|map| map.range_is_wrapping());
        let short = all.filter(|map| !map.range_is_wrapping());
        full.range_factor_domain(budget).and_then(|full| full.union(&short)).map_err(error)?
    } else {
        UnionMap::parse(text.trim(), budget).map_err(error)?
    };
    Ok(Some((relation.clone(), relation)))
}

/// What every node does with the dependences.
fn described(legality: &Legality) -> String {
    let mut out = String::new();
    for node in &legality.nodes {
        let parts = [("violates", &node.violated), ("carries", &node.carried), ("leaves", &node.remaining)];
        for (verb, pairs) in parts.into_iter().filter(|(_, pairs)| !pairs.is_plainly_empty()) {
            let _ = writeln!(out, "{} at {:?} {verb} {pairs}", node.kind, node.path);
        }
    }
    out
}
