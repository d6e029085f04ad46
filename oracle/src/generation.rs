//! AST generation: inputs and times, ours against isl's.
//!
//! Inputs are the kernels of the corpus (the original schedule relation; the tree that our scheduler gives, tiled;
//! skewed and tiled; with full tiles isolated and their innermost loop unrolled) and the classic problems of
//! `scanning.txt`. Both sides read the same text, and only generation is timed, the preparation of the context
//! included.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tessera_polyhedral::affine::PwMultiAff;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstBuild, AstUnit};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Map, Set, UnionMap, UnionSet};
use tessera_polyhedral::schedule::{Band, Node, ScheduleTree, TileOptions};
use tessera_polyhedral::scheduler::Options;
use tessera_polyhedral::space::DimKind;

use crate::corpus;
use crate::isl::{AstSchedule, Isl};
use crate::scheduling;

/// Our budget per input.
pub const BUDGET: u64 = 5_000_000_000;
/// isl's limit on its own operations per input.
pub const ISL_LIMIT: u64 = 1_000_000_000;

/// What code is generated from.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// A schedule tree in YAML.
    Tree(String),
    /// A schedule relation with options.
    Relation(String, Option<String>),
}

/// A problem of AST generation.
#[derive(Clone, Debug)]
pub struct Input {
    /// The family: `original`, `tiled`, `skewed`, `unrolled`, `scanning`.
    pub family: &'static str,
    /// The kernel or problem.
    pub name: String,
    /// The schedule.
    pub schedule: Schedule,
    /// What is assumed about the parameters.
    pub context: String,
}

type Result<T> = std::result::Result<T, String>;

fn text_of(error: impl std::fmt::Display) -> String {
    format!("{error:#}")
}

/// The entries `key: text` of a text, continuation lines joined.
fn entries(text: &str) -> Vec<(&str, String)> {
    let mut entries: Vec<(&str, String)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.split_once(": ") {
            Some((key, rest)) if !line.starts_with([' ', '}']) => entries.push((key, rest.into())),
            _ => {
                if let Some(last) = entries.last_mut() {
                    last.1.push_str(line);
                }
            }
        }
    }
    entries
}

/// The classic scanning problems.
pub fn scanning() -> Result<Vec<Input>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scanning.txt");
    let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut result = Vec::new();
    for problem in text.split("\n\n") {
        let entries = entries(problem);
        let entry = |key: &str| entries.iter().find(|entry| entry.0 == key).map(|entry| entry.1.clone());
        let Some(name) = entry("name") else { continue };
        let mut schedule = entry("schedule").ok_or_else(|| format!("{name}: no schedule"))?;
        if let Some(domain) = entry("domain") {
            let budget = Budget::new(BUDGET);
            let domain = UnionSet::parse(&domain, &budget).map_err(|e| format!("{name}: {e:#}"))?;
            let map = UnionMap::parse(&schedule, &budget).map_err(|e| format!("{name}: {e:#}"))?;
            schedule = map.intersect_domain(&domain, &budget).map_err(text_of)?.to_string();
        }
        let context = entry("context").unwrap_or_else(|| "{ : }".into());
        result.push(Input {
            family: "scanning",
            name,
            schedule: Schedule::Relation(schedule, entry("options")),
            context,
        });
    }
    Ok(result)
}

/// The kernels of the corpus in all variants.
pub fn kernels() -> Result<Vec<Input>> {
    let mut result = Vec::new();
    let constraints = scheduling::kernels()?;
    for (file, constraints) in corpus::files().map_err(text_of)?.iter().zip(&constraints) {
        let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let error = |e: String| format!("{}: {e}", constraints.name);
        result.extend(variants(&constraints.name, &text, constraints).map_err(error)?);
    }
    Ok(result)
}

fn variants(name: &str, text: &str, constraints: &scheduling::Input) -> Result<Vec<Input>> {
    let budget = Budget::new(BUDGET);
    let entries = entries(text);
    let entry = |key: &str| {
        let found = entries.iter().find(|entry| entry.0 == key).map(|entry| entry.1.as_str());
        found.ok_or_else(|| format!("no entry `{key}`"))
    };
    let context = entry("context")?.to_owned();
    let domain = UnionSet::parse(entry("domain")?, &budget).map_err(text_of)?;
    let original = UnionMap::parse(entry("schedule")?, &budget).map_err(text_of)?;
    let original = original.intersect_domain(&domain, &budget).map_err(text_of)?.to_string();
    let input = |family, schedule| Input { family, name: name.to_owned(), schedule, context: context.clone() };
    let mut result = vec![input("original", Schedule::Relation(original, None))];
    let (tree, _) = scheduling::ours(constraints, &Options::default(), 1)?;
    for (family, variant) in
        [("tiled", Variant::Tiled), ("skewed", Variant::Skewed), ("unrolled", Variant::IsolatedAndUnrolled)]
    {
        let changed = transform(&tree, variant, &budget)?;
        if changed != tree {
            result.push(input(family, Schedule::Tree(changed.to_yaml())));
        }
    }
    Ok(result)
}

#[derive(Clone, Copy, PartialEq)]
enum Variant {
    Tiled,
    Skewed,
    IsolatedAndUnrolled,
}

/// The tree with its outermost permutable bands of two or more members transformed.
fn transform(tree: &ScheduleTree, variant: Variant, budget: &Budget) -> Result<ScheduleTree> {
    let bands = tree.bands();
    let mut chosen: Vec<Vec<usize>> = Vec::new();
    for (path, band) in &bands {
        if band.permutable && band.len() >= 2 && !chosen.iter().any(|outer| path.starts_with(outer)) {
            chosen.push(path.clone());
        }
    }
    let mut tree = tree.clone();
    for path in chosen {
        let cursor = tree.cursor_at(&path).ok_or("a band is lost")?;
        let Node::Band(band, _) = cursor.node() else { continue };
        let n = band.len();
        if variant == Variant::Skewed {
            let names: Vec<String> = (0..n).map(|k| format!("x{k}")).collect();
            let sums: Vec<String> = (0..n).map(|k| names[..=k].join(" + ")).collect();
            let function = format!("{{ [{}] -> [{}] }}", names.join(", "), sums.join(", "));
            let function = PwMultiAff::parse(&function, budget).map_err(text_of)?;
            tree = cursor.apply(&function, budget).map_err(text_of)?.into_tree();
            tree = tree.update_band(&path, |band, _| band.permutable = true).map_err(text_of)?;
        }
        let mut sizes = vec![Int::from(32); n];
        if variant == Variant::IsolatedAndUnrolled {
            sizes[n - 1] = Int::from(4);
        }
        let band = tree.cursor_at(&path).ok_or("a band is lost")?;
        tree = band.tile(&sizes, TileOptions { scale_tiles: false, shift_points: false }).map_err(text_of)?.into_tree();
        if variant == Variant::IsolatedAndUnrolled {
            tree = isolate(&tree, &path, &sizes, budget)?;
        }
    }
    Ok(tree)
}

/// Isolates the full tiles of a tile band and unrolls the innermost point loop in them.
fn isolate(tree: &ScheduleTree, path: &[usize], sizes: &[Int], budget: &Budget) -> Result<ScheduleTree> {
    let points_path: Vec<usize> = path.iter().copied().chain([0]).collect();
    // Only bands that no other band is above; the values of the members of the tile band and the point band are all
    // there is then.
    let outer = tree.cursor_at(path).ok_or("a band is lost")?.prefix_schedule(budget).map_err(text_of)?;
    if outer.members().any(|map| !map.space().range_tuple().is_empty()) {
        return Ok(tree.clone());
    }
    let below: Vec<usize> = points_path.iter().copied().chain([0]).collect();
    let schedule = tree.cursor_at(&below).ok_or("a band is lost")?.prefix_relation(budget).map_err(text_of)?;
    let Some(values) = schedule.range(budget).map_err(text_of)?.members().next().cloned() else {
        return Err("a band without instances".into());
    };
    let values = values.project_out(DimKind::Out, 0, sizes.len(), budget).map_err(text_of)?;
    let n = sizes.len();
    let names: Vec<String> = (0..n).map(|k| format!("x{k}")).collect();
    let tiles: Vec<String> = names.iter().zip(sizes).map(|(x, size)| format!("floor({x}/{size})")).collect();
    let to_tile = format!("{{ [{}] -> [{}] }}", names.join(", "), tiles.join(", "));
    let to_tile = Map::parse(&to_tile, budget).map_err(text_of)?;
    let all = values.apply(&to_tile, budget).map_err(text_of)?;
    let outside = values.complement(budget).and_then(|rest| rest.apply(&to_tile, budget)).map_err(text_of)?;
    let full = all.subtract(&outside, budget).and_then(|full| full.coalesce(budget)).map_err(text_of)?;
    if full.is_empty(budget).map_err(text_of)? {
        return Ok(tree.clone());
    }
    let full = full.to_string();
    let (params, body) = full.split_once("{ ").ok_or("no set")?;
    let body = body.trim_end_matches('}').trim();
    let tile_part = |part: &str| match part.split_once(" : ") {
        Some((tuple, condition)) => format!("isolate[[] -> {tuple}] : {condition}"),
        None => format!("isolate[[] -> {part}]"),
    };
    let tile_options = format!("{params}{{ {} }}", body.split("; ").map(tile_part).collect::<Vec<_>>().join("; "));
    let point_names: Vec<String> = (0..n).map(|k| format!("y{k}")).collect();
    let point_part = |part: &str| match part.split_once(" : ") {
        Some((tuple, condition)) => format!("isolate[{tuple} -> [{}]] : {condition}", point_names.join(", ")),
        None => format!("isolate[{part} -> [{}]]", point_names.join(", ")),
    };
    let parts: Vec<String> = body.split("; ").map(point_part).collect();
    let point_options = format!("{params}{{ {}; [isolate[] -> unroll[{}]] }}", parts.join("; "), n - 1);
    let tree = with_options(tree, path, &tile_options, budget)?;
    with_options(&tree, &points_path, &point_options, budget)
}

fn with_options(tree: &ScheduleTree, path: &[usize], options: &str, budget: &Budget) -> Result<ScheduleTree> {
    let error = |e: tessera_polyhedral::Error| format!("{e:#} in {options}");
    let options_set = UnionSet::parse(options, budget).map_err(error)?;
    let Some(Node::Band(band, _)) = tree.node(path) else { return Err("a band is lost".into()) };
    let wanted: Band = Band::new(band.members().to_vec()).with_options(&options_set, budget).map_err(error)?;
    tree.update_band(path, |band, members| {
        band.isolate.clone_from(&wanted.isolate);
        members.clone_from_slice(wanted.members());
    })
    .map_err(text_of)
}

/// Our code and the time it took; the median of some rounds.
pub fn ours(input: &Input, rounds: usize) -> Result<(AstUnit, Duration)> {
    let mut times = Vec::new();
    let mut unit = None;
    for _ in 0..rounds.max(1) {
        let budget = Budget::new(BUDGET);
        let context = Set::parse(&input.context, &budget).map_err(text_of)?;
        let (result, time) = match &input.schedule {
            Schedule::Tree(text) => {
                let tree = ScheduleTree::from_yaml(text, &budget).map_err(text_of)?;
                let start = Instant::now();
                (AstBuild::new().with_context(context).build(&tree, &budget), start.elapsed())
            }
            Schedule::Relation(text, options) => {
                let map = UnionMap::parse(text, &budget).map_err(text_of)?;
                let options =
                    options.as_ref().map(|text| UnionMap::parse(text, &budget)).transpose().map_err(text_of)?;
                let start = Instant::now();
                let build = AstBuild::new().with_context(context);
                (build.build_relation(&map, options.as_ref(), &budget), start.elapsed())
            }
        };
        times.push(time);
        unit = Some(result.map_err(text_of)?);
    }
    Ok((unit.ok_or("no round")?, median(times)))
}

/// isl's code and the time it took.
pub fn theirs(isl: &Isl, input: &Input, rounds: usize) -> Result<(String, Duration)> {
    theirs_within(isl, input, rounds, ISL_LIMIT)
}

/// The same with another limit on the operations of isl in a round.
pub fn theirs_within(isl: &Isl, input: &Input, rounds: usize, limit: u64) -> Result<(String, Duration)> {
    let mut times = Vec::new();
    let mut code = String::new();
    for _ in 0..rounds.max(1) {
        isl.set_limit(limit);
        let schedule = match &input.schedule {
            Schedule::Tree(text) => AstSchedule::Tree(text),
            Schedule::Relation(text, options) => AstSchedule::Relation(text, options.as_deref()),
        };
        let (text, time) = isl.generate(&schedule, &input.context).map_err(text_of)?;
        times.push(time);
        code = text;
    }
    Ok((code, median(times)))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
