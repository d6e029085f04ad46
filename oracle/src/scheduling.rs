//! Scheduling: inputs, quality of schedules, and times, ours against isl's.
//!
//! Inputs are the kernels of the corpus, with value-based flow and false dependences as validity, proximity and coincidence
//! constraints, and synthetic programs with many statements. Both sides read the same text. Only the computation of the
//! schedule is timed; ours includes the check of legality.

use std::fs;
use std::time::{Duration, Instant};

use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::{AccessInfo, AccessOrder};
use tessera_polyhedral::relation::{Set, UnionMap, UnionSet};
use tessera_polyhedral::schedule::{Node, ScheduleTree};
use tessera_polyhedral::scheduler::{Options, ScheduleConstraints, schedule};

use crate::corpus;
use crate::isl::Isl;

/// Our budget per schedule.
pub const BUDGET: u64 = 5_000_000_000;
/// isl's limit on its own operations per schedule.
pub const ISL_LIMIT: u64 = 1_000_000_000;

/// A scheduling problem.
pub struct Input {
    /// The kernel, or the kind and number of statements.
    pub name: String,
    /// The constraints as YAML.
    pub text: String,
}

/// An option set: a name, ours, and the functions of isl that set the same.
pub struct OptionSet {
    /// What it is called in tables.
    pub name: &'static str,
    /// Ours.
    pub ours: Options,
    /// isl's.
    pub isl: &'static [(&'static str, i32)],
}

/// The option sets that are compared: the defaults, and those of PPCG.
pub fn option_sets() -> Vec<OptionSet> {
    vec![
        OptionSet {
            name: "default",
            ours: Options::default(),
            isl: &[
                ("isl_options_set_schedule_outer_coincidence", 0),
                ("isl_options_set_schedule_maximize_band_depth", 0),
                ("isl_options_set_schedule_maximize_coincidence", 0),
            ],
        },
        OptionSet {
            name: "parallel",
            ours: Options::parallel(),
            isl: &[
                ("isl_options_set_schedule_outer_coincidence", 1),
                ("isl_options_set_schedule_maximize_band_depth", 1),
                ("isl_options_set_schedule_maximize_coincidence", 1),
            ],
        },
    ]
}

/// The kernels of the corpus.
pub fn kernels() -> Result<Vec<Input>, String> {
    let mut result = Vec::new();
    for file in corpus::files().map_err(|e| format!("the corpus: {e}"))? {
        let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let name = file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let constraints = constraints(&text).map_err(|e| format!("{}: {e}", file.display()))?;
        result.push(Input { name, text: constraints.to_string() });
    }
    Ok(result)
}

/// The constraints of a kernel in the form of the corpus.
fn constraints(text: &str) -> Result<ScheduleConstraints, String> {
    let mut entries: Vec<(&str, String)> = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        match line.split_once(": ") {
            Some((key, rest)) if !line.starts_with(' ') => entries.push((key, rest.into())),
            _ => entries.last_mut().ok_or("a line before the first entry")?.1.push_str(line),
        }
    }
    let entry = |key: &str| {
        let found = entries.iter().find(|e| e.0 == key).map(|e| e.1.as_str());
        found.ok_or_else(|| format!("no entry `{key}`"))
    };
    let budget = Budget::new(BUDGET);
    let error = |e: tessera_polyhedral::Error| e.to_string();
    let context = Set::parse(entry("context")?, &budget).map_err(error)?;
    let domain = UnionSet::parse(entry("domain")?, &budget).and_then(|d| d.intersect_params(&context, &budget));
    let domain = domain.map_err(error)?;
    let relation = |key: &str| -> Result<UnionMap, String> {
        let map = UnionMap::parse(entry(key)?, &budget).map_err(error)?;
        map.intersect_domain(&domain, &budget).map_err(error)
    };
    let (read, write, order) = (relation("read")?, relation("write")?, relation("schedule")?);
    let nothing = UnionMap::empty(&context.space().params_space());
    let flow = AccessInfo {
        sink: read.clone(),
        must_source: write.clone(),
        may_source: nothing.clone(),
        kill: nothing.clone(),
        order: AccessOrder::Map(order.clone()),
    };
    let overwritten = AccessInfo {
        sink: write.clone(),
        must_source: nothing,
        may_source: read.union(&write).map_err(error)?,
        kill: write,
        order: AccessOrder::Map(order),
    };
    let dependences = |info: &AccessInfo| -> Result<UnionMap, String> {
        let flow = info.compute_flow(&budget).map_err(error)?;
        flow.may_dependence(&budget).and_then(|d| d.coalesce(&budget)).map_err(error)
    };
    let all =
        dependences(&flow)?.union(&dependences(&overwritten)?).and_then(|d| d.coalesce(&budget)).map_err(error)?;
    let mut result = ScheduleConstraints::new(domain);
    result.context = context;
    result.validity = all.clone();
    result.proximity = all.clone();
    result.coincidence = all;
    Ok(result)
}

/// Programs with many statements: chains, where every statement reads one element of what the one before wrote, and stencils,
/// where it reads three neighbours.
pub fn synthetic(sizes: &[usize]) -> Vec<Input> {
    let mut result = Vec::new();
    for &n in sizes {
        let domain: Vec<String> = (0..n).map(|s| format!("S{s}[i, j] : 0 <= i, j < n")).collect();
        let pairs: Vec<String> = (1..n).map(|s| format!("S{}[i, j] -> S{s}[i, j] : 0 <= i, j < n", s - 1)).collect();
        result.push(program(format!("chain {n}"), &domain, &pairs));
        let domain: Vec<String> = (0..n).map(|s| format!("S{s}[i] : 1 <= i < n")).collect();
        let pairs: Vec<String> =
            (1..n).map(|s| format!("S{}[i] -> S{s}[j] : 1 <= i, j < n and i - 1 <= j <= i + 1", s - 1)).collect();
        result.push(program(format!("stencil {n}"), &domain, &pairs));
    }
    result
}

fn program(name: String, domain: &[String], pairs: &[String]) -> Input {
    let relation = format!("\"[n] -> {{ {} }}\"", pairs.join("; "));
    let text = format!(
        "domain: \"[n] -> {{ {} }}\"\nvalidity: {relation}\ncoincidence: {relation}\nproximity: {relation}\n",
        domain.join("; ")
    );
    Input { name, text }
}

/// What counts in a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quality {
    /// Bands.
    pub bands: usize,
    /// Members of all bands.
    pub members: usize,
    /// Coincident members of all bands.
    pub coincident: usize,
    /// Over all statements: the sum of the members of the outermost band of each.
    pub outer: usize,
    /// Likewise, coincident members of the outermost band.
    pub outer_coincident: usize,
    /// The greatest coefficient of a variable.
    pub coefficient: i64,
}

impl Quality {
    /// The quality of a tree.
    pub fn of(tree: &ScheduleTree) -> Quality {
        let mut quality = Quality::default();
        for (_, band) in tree.bands() {
            quality.bands += 1;
            quality.members += band.len();
            quality.coincident += band.members().iter().filter(|m| m.coincident).count();
            for function in band.members().iter().flat_map(|m| m.exprs()).filter_map(|(_, f)| f.as_total()) {
                let first = 1 + function.space().param_names().len();
                let coefficients = function.row()[first..].iter().filter_map(|x| x.to_i64());
                quality.coefficient = coefficients.map(i64::abs).fold(quality.coefficient, i64::max);
            }
        }
        quality.outermost(tree.root());
        quality
    }

    fn outermost(&mut self, node: &Node) {
        if let Node::Band(band, _) = node
            && let Some(first) = band.members().first()
        {
            let statements = first.exprs().count();
            self.outer += statements * band.len();
            self.outer_coincident += statements * band.members().iter().filter(|m| m.coincident).count();
            return;
        }
        node.children().iter().for_each(|child| self.outermost(child));
    }
}

/// Our schedule and the time it took; the best of some rounds.
pub fn ours(input: &Input, options: &Options, rounds: usize) -> Result<(ScheduleTree, Duration), String> {
    let mut times = Vec::new();
    let mut tree = None;
    for _ in 0..rounds.max(1) {
        let budget = Budget::new(BUDGET);
        let constraints = ScheduleConstraints::parse(&input.text, &budget).map_err(|e| e.to_string())?;
        let start = Instant::now();
        let result = schedule(&constraints, options, &budget);
        times.push(start.elapsed());
        tree = Some(result.map_err(|e| e.to_string())?);
    }
    Ok((tree.ok_or("no round")?, median(times)))
}

/// How long it takes to notice that a budget is used up; nothing if it is enough.
pub fn until_exhausted(input: &Input, options: &Options, budget: u64) -> Result<Option<Duration>, String> {
    let constraints = ScheduleConstraints::parse(&input.text, &Budget::new(BUDGET)).map_err(|e| e.to_string())?;
    let budget = Budget::new(budget);
    let start = Instant::now();
    match schedule(&constraints, options, &budget) {
        Ok(_) => Ok(None),
        Err(tessera_polyhedral::Error::Exhausted(_)) => Ok(Some(start.elapsed())),
        Err(error) => Err(error.to_string()),
    }
}

/// isl's schedule and the time it took.
pub fn theirs(
    isl: &Isl,
    input: &Input,
    options: &OptionSet,
    rounds: usize,
) -> Result<(ScheduleTree, Duration), String> {
    let mut times = Vec::new();
    let mut text = String::new();
    for _ in 0..rounds.max(1) {
        isl.set_limit(ISL_LIMIT);
        for (name, value) in options.isl {
            isl.set_schedule_option(name, *value).map_err(|e| e.to_string())?;
        }
        let constraints = isl.read_constraints(&input.text).map_err(|e| e.to_string())?;
        let (schedule, time) = constraints.schedule().map_err(|e| e.to_string())?;
        times.push(time);
        text = schedule.text().map_err(|e| e.to_string())?;
    }
    let tree = ScheduleTree::from_yaml(&text, &Budget::new(BUDGET)).map_err(|e| format!("{e:#}\n{text}"))?;
    Ok((tree, median(times)))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
