//! `polycalc flow`: dependence analysis of accesses in YAML, as isl's `isl_flow`; comparison of results, as `isl_flow_cmp`.

use std::path::{Path, PathBuf};

use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::{AccessInfo, FlowInfo};

use crate::input;

/// The arguments of `polycalc flow`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The file with the accesses (`sink`, `must_source`, `may_source`, `kill`, and `schedule` or `schedule_map`); standard input if
    /// it is missing or `-`
    file: Option<PathBuf>,
    /// Leave out the elements: print `source -> sink` instead of `source -> [sink -> element]`
    #[arg(long)]
    without_elements: bool,
    /// Compare two files with results (`must_dependence`, `may_dependence`, `must_no_source`, `may_no_source`) instead; the exit status
    /// says whether they are equal
    #[arg(long, num_args = 2, value_names = ["FIRST", "SECOND"], conflicts_with = "file")]
    compare: Option<Vec<PathBuf>>,
    /// The most elementary operations to take
    #[arg(long, value_name = "N", default_value_t = 5_000_000_000)]
    budget: u64,
}

/// Runs the subcommand: what to print.
pub(crate) fn run(arguments: &Arguments) -> Result<String, String> {
    let budget = Budget::new(arguments.budget);
    if let Some([first, second]) = arguments.compare.as_deref() {
        return compare(first, second, &budget).map(|()| String::new());
    }
    let (name, text) = input::read(arguments.file.as_deref())?;
    let error = |e| format!("{name}: {e:#}");
    let info = AccessInfo::parse(&text, &budget).map_err(error)?;
    let flow = info.compute_flow(&budget).map_err(error)?;
    let mut result = flow.info(&budget).map_err(error)?;
    if arguments.without_elements {
        result.must_dependence = flow.must_dependence(&budget).map_err(error)?;
        result.may_dependence = flow.may_dependence(&budget).map_err(error)?;
    }
    Ok(result.to_string())
}

fn compare(first: &Path, second: &Path, budget: &Budget) -> Result<(), String> {
    let read = |path: &Path| {
        let (name, text) = input::read(Some(path))?;
        FlowInfo::parse(&text, budget).map_err(|e| format!("{name}: {e:#}"))
    };
    let (a, b) = (read(first)?, read(second)?);
    for (name, a, b) in [
        ("must_dependence", &a.must_dependence, &b.must_dependence),
        ("may_dependence", &a.may_dependence, &b.may_dependence),
        ("must_no_source", &a.must_no_source, &b.must_no_source),
        ("may_no_source", &a.may_no_source, &b.may_no_source),
    ] {
        if !a.is_equal(b, budget).map_err(|e| e.to_string())? {
            let only = |a: &tessera_polyhedral::relation::UnionMap, b| {
                a.subtract(b, budget).map_or_else(|e| e.to_string(), |rest| rest.to_string())
            };
            return Err(format!(
                "{name} differs\n  only in the first:  {}\n  only in the second: {}",
                only(a, b),
                only(b, a)
            ));
        }
    }
    Ok(())
}
