//! A strategy for one machine: its steps, in order, and their numbers.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::target::Target;
use crate::transform::{Kind, PASSES, Script, Value};

use super::formula::{Problem, facts};
use super::grammar::{Part, Scripts, Written};
use super::{BUILTIN, Source};

/// What may be tried for a nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tactic {
    /// Copies of scalars.
    Copies,
    /// Loops in another order.
    Permute,
    /// Tiles of a nest in a new order, or in the old one.
    Tile,
    /// Loops that no dependence crosses inside all but the last of the others, over which a sum runs, and the nest in there.
    Window,
    /// Loops of their own for the parts of a body.
    Distribute,
    /// Blocks of rows of a triangular nest, and what lies between them as a nest for itself.
    Block,
    /// Scratch memory of an iteration in as many places as a block has iterations.
    Scratch,
    /// Nests inside the outermost loop.
    Descend,
    /// The outermost loop inside the others around an imperfect body, and nests in there.
    Sink,
    /// Tiles across the outermost loop.
    TimeTile,
    /// Iterations of the outermost loop side by side in the loops inside it.
    Jam,
    /// Copies of arrays in the order in which a nest in a new order reads them.
    Pack,
    /// Iterations of outer loops side by side in the innermost one of a nest that `permute` has taken.
    RegisterTile,
    /// Innermost loops cut at an iteration that all others depend on.
    SplitIndexSet,
    /// Orders of the library's scheduler, compared with that of the program by estimated time.
    Schedule,
}

/// A strategy for one machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// What is tried, in order.
    steps: Vec<Tactic>,
    /// Numbers of copies along the two innermost loops, one shape after the other.
    pub shapes: Vec<[i64; 2]>,
    /// The tile size of loops that a part of a nest with copies has for itself.
    pub inner: i64,
    /// What a new order may cost at most, in hundredths of the old one.
    pub worthwhile: i64,
    /// How often the old innermost loop must run at least where the new one gathers elements across lines: with fewer iterations the old one
    /// does not wait for itself long enough to pay for that.
    pub gather: u64,
    /// The same where some array is met only once: its lines stay in the first cache until a short old loop comes back to them.
    pub fetch: u64,
    /// The same where a loop around the nest comes back to that array, and the new innermost loop runs at most `row` times.
    pub again: u64,
    /// How long a row is that stays in the first cache, in iterations.
    pub row: u64,
    /// Tile sizes from the innermost loop outwards; the last one also for all further loops.
    pub tiles: Vec<i64>,
    /// The tile size of an innermost loop that runs across lines.
    pub across: i64,
    /// Where such a loop is innermost in the old order, too: how many lines it must touch at least, or they stay in the first cache anyway.
    pub lines: u64,
    /// How many rows of a triangular nest are a block.
    pub block: i64,
    /// How many iterations have a place of their own in scratch memory.
    pub scratch: i64,
    /// The greatest skew of tiles across an outer loop.
    pub skew: i64,
    /// Sizes of such tiles for data in one, two and three or more dimensions: first of the outer loop, then of the data.
    pub time_tiles: Vec<Vec<i64>>,
    /// How many iterations are jammed: the first that the next two allow.
    pub factors: Vec<i64>,
    /// What the body of a jammed loop may have at most of accesses and operations, one per factor.
    pub operations: Vec<i64>,
    /// What such a body may have at most of chains, one per factor.
    pub chains: Vec<i64>,
    /// How often the inner loop of a jammed one must run at least.
    pub long: u64,
    /// The same where there are divisions.
    pub divide: u64,
    /// How often the loops that come back to copies of arrays, and the innermost one, must run at least.
    pub packed_again: u64,
    /// How many bytes of an array are copied at most before it is read.
    pub packed: i64,
    /// Sizes of tiles where rows are copied that lie side by side already, of the innermost loop first.
    pub rows: Vec<i64>,
    /// Sizes of tiles where what is copied lies in panels, of the innermost loop first.
    pub panels: Vec<i64>,
    /// How often the loops along these rows and across them must run; in place otherwise.
    pub long_rows: u64,
    /// How many iterations of a loop a register tile may have.
    pub register_factors: Vec<i64>,
    /// How many copies of the body at most, ...
    pub side_by_side: i64,
    /// ... and how many operations.
    pub unrolled: i64,
    /// What may be left at most of what is loaded and stored, in hundredths.
    pub register_gain: i64,
    /// How often a loop that is cut must run at least.
    pub split: u64,
    /// How much the scheduler fuses, one candidate after the other.
    pub fusion: Vec<String>,
    /// What an order of the scheduler may take at most, in hundredths of the estimated time of the program's.
    pub margin: i64,
    /// Sizes of tiles in such orders for bands of two and of three or more loops, from the outermost loop inwards.
    pub schedule_tiles: Vec<Vec<i64>>,
    /// Nests by name, and the steps that are taken there instead of all that.
    scripts: Scripts,
    /// What may be chosen for a SCoP instead of all these steps and numbers.
    others: Vec<Strategy>,
}

/// The most strategies that choices may lead to.
const MOST_CHOICES: usize = 8;

/// The steps by name, with their arguments.
pub(super) const TACTICS: [(&str, Tactic, &[&str]); 15] = [
    ("copies", Tactic::Copies, &["shapes", "inner"]),
    ("permute", Tactic::Permute, &["worthwhile", "gather", "fetch", "again", "row"]),
    ("tile", Tactic::Tile, &["sizes", "across", "lines"]),
    ("window", Tactic::Window, &[]),
    ("distribute", Tactic::Distribute, &[]),
    ("block", Tactic::Block, &["size"]),
    ("scratch", Tactic::Scratch, &["size"]),
    ("descend", Tactic::Descend, &[]),
    ("sink", Tactic::Sink, &[]),
    ("time_tile", Tactic::TimeTile, &["skew", "sizes"]),
    ("jam", Tactic::Jam, &["factors", "operations", "chains", "long", "divide"]),
    ("pack", Tactic::Pack, &["again", "bytes", "rows", "panels", "long"]),
    ("register_tile", Tactic::RegisterTile, &["factors", "copies", "operations", "gain"]),
    ("split_index_set", Tactic::SplitIndexSet, &["long"]),
    ("schedule", Tactic::Schedule, &["fusion", "sizes", "margin"]),
];

/// The largest number in a strategy: no size of a tile or least number of iterations is larger.
const LARGEST: i64 = 1 << 20;

impl Strategy {
    /// The built-in strategy.
    pub fn builtin() -> Strategy {
        let empty = Strategy {
            steps: Vec::new(),
            shapes: Vec::new(),
            inner: 1,
            worthwhile: 0,
            gather: 1,
            fetch: 1,
            again: 1,
            row: 1,
            tiles: vec![1],
            across: 1,
            lines: 1,
            block: 1,
            scratch: 1,
            skew: 0,
            time_tiles: vec![vec![1, 1]],
            factors: Vec::new(),
            operations: Vec::new(),
            chains: Vec::new(),
            long: 1,
            divide: 1,
            packed_again: 1,
            packed: 1,
            rows: Vec::new(),
            panels: Vec::new(),
            long_rows: 0,
            register_factors: Vec::new(),
            side_by_side: 1,
            unrolled: 1,
            register_gain: 0,
            split: 1,
            fusion: Vec::new(),
            margin: 1,
            schedule_tiles: vec![vec![1]],
            scripts: Vec::new(),
            others: Vec::new(),
        };
        // A test reads it; were it wrong, nothing would be tried.
        Source::read(BUILTIN).and_then(|source| source.over(empty.clone(), None)).unwrap_or(empty)
    }

    /// Reads a strategy for a machine of which nothing is known. Errors say line, column and what was expected.
    pub fn parse(text: &str) -> Result<Strategy> {
        Source::parse(text)?.on(None).map(Arc::unwrap_or_clone)
    }

    /// Whether a step is tried at all.
    pub fn has(&self, tactic: Tactic) -> bool {
        self.steps.contains(&tactic)
    }

    /// The steps in the order in which they are tried.
    pub fn steps(&self) -> &[Tactic] {
        &self.steps
    }

    /// The steps for a nest, given by the name of its SCoP, if the text has some for it alone.
    pub fn script(&self, nest: &str) -> Option<&Script> {
        self.scripts.iter().find(|(name, _)| name == nest).map(|(_, script)| script)
    }

    /// What there is to choose from, by [`choose`](super::super::choose): at least one strategy, each without choices. In their order in the text,
    /// where the last choice changes first.
    pub fn choices(&self) -> impl Iterator<Item = Strategy> {
        let first = Strategy { others: Vec::new(), ..self.clone() };
        std::iter::once(first).chain(self.others.iter().cloned())
    }

    /// Whether there is anything to choose.
    pub fn has_choices(&self) -> bool {
        !self.others.is_empty()
    }

    /// The same without steps for single nests.
    pub fn without_scripts(&self) -> Strategy {
        Strategy { scripts: Vec::new(), ..self.clone() }
    }

    pub(super) fn without_steps(self) -> Strategy {
        Strategy { steps: Vec::new(), ..self }
    }

    pub(super) fn with_scripts(self, scripts: Scripts) -> Strategy {
        Strategy { scripts, ..self }
    }

    /// The strategy with the steps, with their numbers, that are there on a machine, appended.
    pub(super) fn with(self, parts: &[Part], target: Option<&Target>) -> std::result::Result<Strategy, Problem> {
        let mut all = vec![self];
        take(&mut all, parts, target)?;
        let mut all = all.into_iter();
        // There is always one.
        let first = all.next().unwrap_or_else(Strategy::builtin);
        Ok(Strategy { others: all.collect(), ..first })
    }

    fn add(&mut self, step: &Written, target: Option<&Target>) -> std::result::Result<(), Problem> {
        let problem = |place: &Range<usize>, expected| Problem { place: place.clone(), expected, is_unknown: false };
        for (name, argument, place) in &step.arguments {
            let value = argument.value(target)?;
            self.set(step.tactic, name, &value)
                .map_err(|expected| problem(place, format!("{name} = {expected}, instead of {value}")))?;
        }
        let per_factor = [self.operations.len(), self.chains.len()];
        if step.tactic == Tactic::Jam && per_factor != [self.factors.len(); 2] {
            return Err(problem(&step.place, "as many operations and chains as factors".to_owned()));
        }
        self.steps.push(step.tactic);
        Ok(())
    }

    fn set(&mut self, tactic: Tactic, argument: &str, value: &Value) -> std::result::Result<(), String> {
        match (tactic, argument) {
            (Tactic::Copies, "shapes") => {
                let shapes = lists(value)?;
                let pairs: Option<Vec<[i64; 2]>> = shapes.into_iter().map(|shape| shape.try_into().ok()).collect();
                self.shapes = pairs.ok_or("pairs of numbers")?;
            }
            (Tactic::Copies, _) => self.inner = number(value)?,
            (Tactic::Permute, "worthwhile") => self.worthwhile = number(value)?,
            (Tactic::Permute, "gather") => self.gather = number(value)?.unsigned_abs(),
            (Tactic::Permute, "row") => self.row = number(value)?.unsigned_abs(),
            (Tactic::Permute, "again") => self.again = number(value)?.unsigned_abs(),
            (Tactic::Permute, _) => self.fetch = number(value)?.unsigned_abs(),
            (Tactic::Tile, "sizes") => self.tiles = list(value)?,
            (Tactic::Tile, "lines") => self.lines = number(value)?.unsigned_abs(),
            (Tactic::Tile, _) => self.across = number(value)?,
            (Tactic::TimeTile, "skew") => self.skew = number(value)?,
            (Tactic::TimeTile, _) => {
                self.time_tiles = lists(value)?;
                if self.time_tiles.iter().any(|sizes| sizes.len() < 2) {
                    return Err("lists of at least two numbers: of the outer loop, then of the data".to_owned());
                }
            }
            (Tactic::Jam, "factors") => self.factors = list(value)?,
            (Tactic::Jam, "operations") => self.operations = list(value)?,
            (Tactic::Jam, "chains") => self.chains = list(value)?,
            (Tactic::Jam, "long") => self.long = number(value)?.unsigned_abs(),
            (Tactic::Jam, _) => self.divide = number(value)?.unsigned_abs(),
            (Tactic::Schedule, "fusion") => self.fusion = fusions(value)?,
            (Tactic::Schedule, "sizes") => self.schedule_tiles = lists(value)?,
            (Tactic::Schedule, _) => self.margin = number(value)?,
            (Tactic::Pack, "again") => self.packed_again = number(value)?.unsigned_abs(),
            (Tactic::Pack, "bytes") => self.packed = number(value)?,
            (Tactic::Pack, "rows") => self.rows = list(value)?,
            (Tactic::Pack, "panels") => self.panels = list(value)?,
            (Tactic::Pack, _) => self.long_rows = number(value)?.unsigned_abs(),
            (Tactic::RegisterTile, "factors") => self.register_factors = list(value)?,
            (Tactic::RegisterTile, "copies") => self.side_by_side = number(value)?,
            (Tactic::RegisterTile, "operations") => self.unrolled = number(value)?,
            (Tactic::RegisterTile, _) => self.register_gain = number(value)?,
            (Tactic::Block, _) => self.block = number(value)?,
            (Tactic::Scratch, _) => self.scratch = number(value)?,
            (Tactic::SplitIndexSet, _) => self.split = number(value)?.unsigned_abs(),
            (Tactic::Window | Tactic::Distribute | Tactic::Descend | Tactic::Sink, _) => {
                return Err("nothing".to_owned());
            }
        }
        Ok(())
    }
}

/// Appends what is there on a machine to strategies, each of which becomes several where there is a choice.
fn take(all: &mut Vec<Strategy>, parts: &[Part], target: Option<&Target>) -> std::result::Result<(), Problem> {
    for part in parts {
        match part {
            Part::Step(step) => all.iter_mut().try_for_each(|strategy| strategy.add(step, target))?,
            Part::When { condition, then, otherwise } => {
                let holds = condition.value(target)? != 0;
                take(all, if holds { then } else { otherwise }, target)?;
            }
            Part::Either(choices, place) => {
                let problem = |expected: &str, is_unknown| Problem {
                    place: place.clone(),
                    expected: expected.to_owned(),
                    is_unknown,
                };
                if target.is_none() {
                    return Err(problem("a machine whose estimates choose", false));
                }
                let mut found = Vec::new();
                for strategy in std::mem::take(all) {
                    for choice in choices {
                        let mut chosen = vec![strategy.clone()];
                        take(&mut chosen, choice, target)?;
                        found.append(&mut chosen);
                        if found.len() > MOST_CHOICES {
                            return Err(problem(
                                &format!("choices that lead to at most {MOST_CHOICES} strategies"),
                                false,
                            ));
                        }
                    }
                }
                *all = found;
            }
        }
    }
    Ok(())
}

impl FromStr for Strategy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Strategy> {
        Strategy::parse(text)
    }
}

/// The steps with all their numbers: a text that is read as the same strategy.
impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.others.is_empty() {
            true => self.write_steps(f)?,
            false => {
                for (at, choice) in self.choices().enumerate() {
                    f.write_str(if at == 0 { "either {\n" } else { "} or {\n" })?;
                    choice.write_steps(f)?;
                }
                f.write_str("}\n")?;
            }
        }
        for (name, script) in &self.scripts {
            write!(f, "nest \"{name}\"\n{script}")?;
        }
        Ok(())
    }
}

impl Strategy {
    fn write_steps(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_lists =
            |lists: &[Vec<i64>]| Value::List(lists.iter().map(|list| Value::list(list.iter().copied())).collect());
        for tactic in &self.steps {
            match tactic {
                Tactic::Copies => {
                    let shapes: Vec<Vec<i64>> = self.shapes.iter().map(|shape| shape.to_vec()).collect();
                    writeln!(f, "copies(shapes = {}, inner = {})", of_lists(&shapes), self.inner)?;
                }
                Tactic::Permute => {
                    let (worthwhile, gather, fetch) = (self.worthwhile, self.gather, self.fetch);
                    let (again, row) = (self.again, self.row);
                    writeln!(
                        f,
                        "permute(worthwhile = {worthwhile}, gather = {gather}, fetch = {fetch}, again = {again}, row = {row})"
                    )?;
                }
                Tactic::Tile => {
                    let sizes = Value::list(self.tiles.iter().copied());
                    writeln!(f, "tile(sizes = {sizes}, across = {}, lines = {})", self.across, self.lines)?;
                }
                Tactic::Window => writeln!(f, "window()")?,
                Tactic::Distribute => writeln!(f, "distribute()")?,
                Tactic::Block => writeln!(f, "block(size = {})", self.block)?,
                Tactic::Scratch => writeln!(f, "scratch(size = {})", self.scratch)?,
                Tactic::Descend => writeln!(f, "descend()")?,
                Tactic::Sink => writeln!(f, "sink()")?,
                Tactic::TimeTile => {
                    writeln!(f, "time_tile(skew = {}, sizes = {})", self.skew, of_lists(&self.time_tiles))?;
                }
                Tactic::Pack => {
                    let (again, bytes, long) = (self.packed_again, self.packed, self.long_rows);
                    let [rows, panels] = [&self.rows, &self.panels].map(|sizes| Value::list(sizes.iter().copied()));
                    writeln!(
                        f,
                        "pack(again = {again}, bytes = {bytes}, rows = {rows}, panels = {panels}, long = {long})"
                    )?;
                }
                Tactic::RegisterTile => {
                    let factors = Value::list(self.register_factors.iter().copied());
                    let (copies, operations, gain) = (self.side_by_side, self.unrolled, self.register_gain);
                    writeln!(
                        f,
                        "register_tile(factors = {factors}, copies = {copies}, operations = {operations}, gain = {gain})"
                    )?;
                }
                Tactic::SplitIndexSet => writeln!(f, "split_index_set(long = {})", self.split)?,
                Tactic::Schedule => {
                    let (fusion, sizes) = (self.fusion.join(", "), of_lists(&self.schedule_tiles));
                    writeln!(f, "schedule(fusion = [{fusion}], sizes = {sizes}, margin = {})", self.margin)?;
                }
                Tactic::Jam => {
                    let [factors, operations, chains] =
                        [&self.factors, &self.operations, &self.chains].map(|list| Value::list(list.iter().copied()));
                    let (long, divide) = (self.long, self.divide);
                    writeln!(
                        f,
                        "jam(factors = {factors}, operations = {operations}, chains = {chains}, long = {long}, divide = {divide})"
                    )?;
                }
            }
        }
        Ok(())
    }
}

fn number(value: &Value) -> std::result::Result<i64, String> {
    match value {
        Value::Integer(number @ 1..=LARGEST) => Ok(*number),
        Value::Name(_) => Err(format!("a number from 1 to {LARGEST}, or a formula with {}", facts())),
        _ => Err(format!("a number from 1 to {LARGEST}")),
    }
}

/// Whether these are numbers that a list may have, and at least one.
fn is_list(numbers: &[i64]) -> bool {
    !numbers.is_empty() && numbers.iter().all(|number| (1..=LARGEST).contains(number))
}

fn list(value: &Value) -> std::result::Result<Vec<i64>, String> {
    value.integers().filter(|numbers| is_list(numbers)).ok_or_else(|| format!("a list of numbers from 1 to {LARGEST}"))
}

/// The words that the pass `reschedule` has for how much is fused.
fn fusions(value: &Value) -> std::result::Result<Vec<String>, String> {
    let reschedule = PASSES.iter().filter(|pass| pass.name == "reschedule");
    let fusion = reschedule.flat_map(|pass| pass.arguments).find(|argument| argument.name == "fusion");
    let known = match fusion.map(|argument| argument.kind) {
        Some(Kind::Word(words)) => words,
        _ => &[],
    };
    let word = |value: &Value| match value {
        Value::Name(name) => Some(name.clone()).filter(|name| known.contains(&name.as_str())),
        _ => None,
    };
    match value {
        Value::List(values) if !values.is_empty() => values.iter().map(word).collect::<Option<Vec<String>>>(),
        _ => None,
    }
    .ok_or_else(|| format!("a list of {}", known.join(", ")))
}

fn lists(value: &Value) -> std::result::Result<Vec<Vec<i64>>, String> {
    let lists =
        value.lists_of_integers().filter(|lists| !lists.is_empty() && lists.iter().all(|numbers| is_list(numbers)));
    lists.ok_or_else(|| format!("a list of lists of numbers from 1 to {LARGEST}"))
}
