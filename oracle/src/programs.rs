//! Random programs whose dependences both libraries compute: `scripts/fuzz-flow`.
//!
//! A program has up to four statements in nests of up to three loops with parametric, triangular, strided and constant bounds; affine and
//! quasi-affine accesses to elements and to ranges of them; must- and may-sources and kills; and an order in which no two instances are
//! at one time (isl lets instances at one time hide each other, we do not). All four results of the analysis must be equal.

use std::fmt;

use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::error::Error;
use tessera_polyhedral::flow::{AccessInfo, AccessOrder};
use tessera_polyhedral::relation::UnionMap;

use crate::differential::random::Random;
use crate::isl::{Failure, FlowInput, Isl};

/// Our budget per program, and isl's limit on its operations.
const BUDGET: u64 = 100_000_000;
const LIMIT: u64 = 5_000_000;

/// What came of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All results are equal.
    Agreed,
    /// Our budget was too small.
    WeGaveUp,
    /// isl's limit was too small.
    IslGaveUp,
    /// What is different.
    Different(String),
}

const COUNTERS: [&str; 3] = ["i", "j", "k"];

/// A statement: `S0[i, j]`, the conditions of its instances, its place in time.
struct Statement {
    name: String,
    depth: usize,
    conditions: Vec<String>,
    time: Vec<String>,
}

impl Statement {
    fn random(random: &mut Random, position: usize, outer: Option<&Statement>) -> Statement {
        let depth = random.below(4);
        let mut conditions = Vec::new();
        for k in 0..depth {
            let i = COUNTERS[k];
            let before = if k > 0 { COUNTERS[random.below(k)] } else { "0" };
            conditions.push(match random.below(8) {
                0 => format!("0 <= {i} < {}", random.range(1, 12)),
                1 => format!("1 <= {i} < m"),
                2 if k > 0 => format!("0 <= {i} <= {before}"),
                3 if k > 0 => format!("{before} <= {i} < n"),
                4 => format!("0 <= {i} < n and {i} mod {} = 0", random.range(2, 3)),
                _ => format!("0 <= {i} < n"),
            });
        }
        // Loops, permuted, reversed and skewed: no two instances at one time.
        let mut loops: Vec<String> = COUNTERS[..depth].iter().map(|c| (*c).to_string()).collect();
        if depth > 1 && random.chance(25) {
            let k = random.below(depth - 1);
            loops.swap(k, k + 1);
        }
        for k in 0..depth {
            match random.below(8) {
                0 => loops[k] = format!("-{}", loops[k]),
                1 if k > 0 => loops[k] = format!("{} + {}", loops[k], loops[k - 1]),
                2 => loops[k] = format!("{} + {}", loops[k], random.range(-2, 2)),
                _ => {}
            }
        }
        let shared = outer.map_or(0, |o| random.below(1 + o.depth.min(depth)));
        let mut time = Vec::new();
        for k in 0..=COUNTERS.len() {
            // The constants of shared loops are those of the statement before.
            let place = match outer {
                Some(o) if k < shared => o.time[2 * k].clone(),
                _ if k == shared => position.to_string(),
                _ => "0".into(),
            };
            time.push(place);
            if k < COUNTERS.len() {
                time.push(loops.get(k).cloned().unwrap_or("0".into()));
            }
        }
        Statement { name: format!("S{position}"), depth, conditions, time }
    }

    fn tuple(&self) -> String {
        format!("{}[{}]", self.name, COUNTERS[..self.depth].join(", "))
    }

    fn subscript(&self, random: &mut Random) -> String {
        let mut text = random.range(-2, 2).to_string();
        for counter in &COUNTERS[..self.depth] {
            if random.chance(50) {
                text += &format!(" + {}{counter}", random.pick(&[1, 1, 1, -1, 2]));
            }
        }
        match random.below(12) {
            0 => format!("floor(({text})/2)"),
            1 => format!("(({text}) mod 3)"),
            2 => format!("{text} + n"),
            _ => text,
        }
    }

    fn access(&self, random: &mut Random) -> String {
        let (array, rank) = *random.pick(&[("A", 1), ("A", 1), ("B", 2), ("t", 0)]);
        let mut conditions = self.conditions.clone();
        let names: Vec<String> = (0..rank).map(|k| format!("a{k}")).collect();
        for name in &names {
            let value = self.subscript(random);
            conditions.push(match random.below(8) {
                0 => format!("{value} <= {name} <= {value} + {}", random.range(1, 2)),
                _ => format!("{name} = {value}"),
            });
        }
        let conditions = if conditions.is_empty() { "n >= 0".into() } else { conditions.join(" and ") };
        format!("{} -> {array}[{}] : {conditions}", self.tuple(), names.join(", "))
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> FlowInput {
    let mut random = Random::new(seed);
    let mut statements: Vec<Statement> = Vec::new();
    for position in 0..1 + random.below(4) {
        let next = Statement::random(&mut random, position, statements.last());
        statements.push(next);
    }
    let mut list = |least: i64, most: i64| {
        let n = random.range(least, most);
        let accesses: Vec<String> = (0..n)
            .map(|_| {
                let at = random.below(statements.len());
                statements[at].access(&mut random)
            })
            .collect();
        format!("[n, m] -> {{ {} }}", accesses.join("; "))
    };
    let (sink, must_source, may_source, kill) = (list(1, 3), list(0, 3), list(0, 2), list(0, 1));
    let times: Vec<String> = statements.iter().map(|s| format!("{} -> [{}]", s.tuple(), s.time.join(", "))).collect();
    FlowInput { sink, must_source, may_source, kill, schedule: format!("{{ {} }}", times.join("; ")) }
}

/// Our four results in isl's order.
fn ours(input: &FlowInput, budget: &Budget) -> Result<[UnionMap; 4], Error> {
    let parse = |text: &str| UnionMap::parse(text, budget);
    let info = AccessInfo {
        sink: parse(&input.sink)?,
        must_source: parse(&input.must_source)?,
        may_source: parse(&input.may_source)?,
        kill: parse(&input.kill)?,
        order: AccessOrder::Map(parse(&input.schedule)?),
    };
    let flow = info.compute_flow(budget)?;
    let must_no_source = flow.must_no_source(budget)?;
    Ok([
        flow.full_must_dependence().clone(),
        flow.full_may_dependence().clone(),
        must_no_source,
        flow.may_no_source().clone(),
    ])
}

/// Lets both libraries analyse a program.
pub fn judge(isl: &Isl, input: &FlowInput) -> Verdict {
    let budget = Budget::new(BUDGET);
    let own = match ours(input, &budget) {
        Ok(own) => own,
        Err(Error::Exhausted(_)) => return Verdict::WeGaveUp,
        Err(error) => return Verdict::Different(format!("we refuse: {error}")),
    };
    isl.set_limit(LIMIT);
    let compared = || -> Result<Option<String>, Failure> {
        let theirs = isl.flow(input)?;
        let names = ["must dependence", "may dependence", "must no source", "may no source"];
        for ((name, own), theirs) in names.iter().zip(&own).zip(&theirs) {
            let again = isl.read(crate::isl::Kind::UnionMap, &own.to_string())?;
            if !again.is_equal(theirs)? {
                return Ok(Some(format!("{name}\nours {own}\nisl  {theirs}")));
            }
        }
        Ok(None)
    };
    let result = compared();
    isl.set_limit(0);
    match result {
        Ok(None) => Verdict::Agreed,
        Ok(Some(difference)) => Verdict::Different(difference),
        Err(Failure::Quota) => Verdict::IslGaveUp,
        Err(failure) => Verdict::Different(format!("isl refuses: {failure}")),
    }
}

/// How often which verdict was given, and the differences with their seeds.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// All programs.
    pub programs: u64,
    /// Those with equal results.
    pub agreed: u64,
    /// Those for which our budget was too small.
    pub we_gave_up: u64,
    /// Those for which isl's limit was too small.
    pub isl_gave_up: u64,
    /// The others.
    pub different: Vec<(u64, String)>,
}

impl Tally {
    /// The programs of some seeds.
    pub fn of(isl: &Isl, seeds: impl IntoIterator<Item = u64>) -> Tally {
        let mut tally = Tally::default();
        for seed in seeds {
            tally.programs += 1;
            match judge(isl, &program(seed)) {
                Verdict::Agreed => tally.agreed += 1,
                Verdict::WeGaveUp => tally.we_gave_up += 1,
                Verdict::IslGaveUp => tally.isl_gave_up += 1,
                Verdict::Different(what) => tally.different.push((seed, what)),
            }
        }
        tally
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} programs: {} agree, {} differ, {} exhaust our budget, {} isl's limit",
            self.programs,
            self.agreed,
            self.different.len(),
            self.we_gave_up,
            self.isl_gave_up
        )
    }
}
