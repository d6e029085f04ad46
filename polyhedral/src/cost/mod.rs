//! Estimated time of an order of a SCoP on a target.
//!
//! [`estimate`] takes a SCoP, a schedule tree for it, a [`Target`] and [`Sizes`] of parameters, and says how many cycles the new order
//! takes, in parts that say why:
//!
//! | part | what |
//! | --- | --- |
//! | `compute` | operations over what the units can begin, in vectors where the innermost loop allows that |
//! | `chain` | operations that wait for each other, over how many such chains run side by side |
//! | `L1` | loads and stores, if all data is in the first cache |
//! | `L2`, `L3`, `memory` | data that comes from there |
//! | `pages` | address translation |
//! | `loops` | counters, bounds and branches of loops |
//!
//! Of every innermost loop only the largest of these counts: the largest of `compute`, `chain` and `L1` with its own `loops` on top, or one
//! of the others, which overlap with all that. The `total` is the sum over the innermost loops, every other line the sum of one part.
//!
//! Example: the product of two matrices of 1000 rows in the order `i, j, k` has the chain of its sums (4 cycles each) and columns of one
//! matrix that come from the third cache; in the order `i, k, j` it is vectorised, and waits for the second cache.
//!
//! It is a model: cheap, and right about which of two orders is better more often than about by how much. Loops have the trip counts of
//! boxes, not exact numbers of points. What is exact are the questions about dependences, whose cost is the cost of an estimate.
//!
//! Method: the parts are those of the roofline (S. Williams, A. Waterman, D. Patterson, 2009) and of the execution-cache-memory model
//! (G. Hager and others, 2016), the footprints of tiles those of J. Ferrante, V. Sarkar, W. Thrash (1991).
//!
//! Invariants: an estimate of a tree depends on nothing but the arguments; the time never becomes less with larger sizes, unless smaller
//! ones let rows compete for the same places of a cache (distances that are powers of two).

mod body;
mod carried;
mod chain;
mod facts;
mod footprint;
mod linear;
mod nest;
mod sizes;
mod system;
mod traffic;

pub use sizes::{DEFAULT_SIZE, Sizes};

use std::fmt;

use crate::budget::Budget;
use crate::error::Result;
use crate::schedule::ScheduleTree;
use crate::scop::{Dependences, Scop};
use crate::target::Target;

use body::{Bodies, Group};
use facts::StatementFacts;
use footprint::Moved;
use nest::Nest;
use sizes::Values;
use traffic::Traffic;

/// Estimated cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The parts in order, with the names of the module's table.
    pub parts: Vec<(String, f64)>,
    /// All together.
    pub total: f64,
}

impl Estimate {
    /// A part by name.
    pub fn part(&self, name: &str) -> Option<f64> {
        self.parts.iter().find(|(known, _)| known == name).map(|(_, cycles)| *cycles)
    }

    /// The parts and, last, the total.
    pub fn lines(&self) -> impl Iterator<Item = (&str, f64)> {
        let parts = self.parts.iter().map(|(name, cycles)| (name.as_str(), *cycles));
        parts.chain([("total", self.total)])
    }
}

/// One line per part and one for the total, in cycles with three digits.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines().try_for_each(|(name, cycles)| writeln!(f, "{name:<8} {cycles:.2e}"))
    }
}

/// What all estimates of one SCoP share: numbers for parameters, domains and accesses. Made once, it serves for any number of orders.
pub struct Model<'m> {
    scop: &'m Scop,
    dependences: &'m Dependences,
    target: &'m Target,
    values: Values,
    facts: Vec<StatementFacts>,
}

impl<'m> Model<'m> {
    /// The model of a SCoP with its dependences.
    pub fn new(
        scop: &'m Scop,
        dependences: &'m Dependences,
        target: &'m Target,
        sizes: &Sizes,
        budget: &Budget,
    ) -> Result<Model<'m>> {
        let values = Values::new(&scop.context, sizes);
        let facts = (0..scop.statements.len()).map(|statement| StatementFacts::new(scop, statement, &values, budget));
        let facts = facts.collect::<Result<_>>()?;
        Ok(Model { scop, dependences, target, values, facts })
    }

    /// The time of an order. The tree schedules the statements of the SCoP; others count nothing. Cost: exact emptiness tests, about one
    /// per pair of dependent accesses and innermost loop, and some per chain.
    pub fn estimate(&self, tree: &ScheduleTree, budget: &Budget) -> Result<Estimate> {
        let _phase = crate::phase!("cost", budget);
        let names: Vec<&str> = self.scop.statements.iter().map(|statement| statement.name.as_str()).collect();
        let nest = Nest::new(tree, &names, &self.facts, &self.values, budget)?;
        let accesses: Vec<Vec<Moved>> = nest
            .occurrences
            .iter()
            .map(|occurrence| {
                let places = &self.facts[occurrence.statement].places;
                places.iter().map(|place| Moved::new(place, occurrence)).collect()
            })
            .collect();
        let levels = traffic::levels(self.target);
        let mut moved = Vec::with_capacity(levels.len());
        for level in &levels {
            moved.push(Traffic { nest: &nest, accesses: &accesses, level, budget }.of_all()?);
        }
        let bodies = Bodies {
            scop: self.scop,
            dependences: self.dependences,
            target: self.target,
            facts: &self.facts,
            nest: &nest,
            accesses: &accesses,
        };
        let mut names = vec!["compute", "chain", "L1"];
        for level in &levels {
            if !names.contains(&level.name.as_str()) {
                names.push(&level.name);
            }
        }
        let mut sums = vec![0.0; names.len()];
        let (mut groups, mut loops, mut total) = (Vec::new(), 0.0, 0.0);
        self.groups(&nest, 0, 1.0, &mut groups);
        for group in groups {
            let cost = bodies.of_group(&group, budget)?;
            let mut parts = vec![cost.compute, bodies.chain(&group, &cost, budget)?, cost.accesses];
            parts.resize(names.len(), 0.0);
            for (level, cycles) in levels.iter().zip(&moved) {
                let own: f64 = group.occurrences.iter().map(|occurrence| cycles[*occurrence]).sum();
                let position = names.iter().position(|name| *name == level.name).unwrap_or(0);
                parts[position] += own;
            }
            let entries = group.around + self.entries(&nest, &group, cost.lanes.is_some());
            sums.iter_mut().zip(&parts).for_each(|(sum, part)| *sum += part);
            loops += entries;
            // While data is on its way, the processor comes to the next run.
            let largest = |parts: &[f64]| parts.iter().copied().fold(0.0, f64::max);
            total += (largest(&parts[..IN_CORE]) + entries).max(largest(&parts[IN_CORE..]));
        }
        let parts = names.iter().zip(&sums).map(|(name, sum)| ((*name).to_owned(), *sum));
        Ok(Estimate { parts: parts.chain([("loops".to_owned(), loops)]).collect(), total })
    }

    /// What it costs to enter the loop of a group, in all its runs.
    fn entries(&self, nest: &Nest, group: &Group, is_vectorised: bool) -> f64 {
        let Some(number) = group.number else { return 0.0 };
        let costs = &self.target.loops;
        let each = costs.entry + if is_vectorised { costs.vector } else { 0.0 };
        group.runs * each * if nest.loops[number].is_in_tiles { IN_TILES } else { 1.0 }
    }

    /// The innermost loops below a loop that is entered so many times.
    fn groups(&self, nest: &Nest, number: usize, runs: f64, groups: &mut Vec<Group>) {
        let own = &nest.loops[number];
        let is_real = is_real(nest, number);
        if is_real && !own.loops.iter().any(|inner| holds_real(nest, *inner)) {
            groups.push(Group { number: Some(number), runs, occurrences: inside(nest, number), around: 0.0 });
            return;
        }
        let times = runs * own.trips;
        let first = groups.len();
        for occurrence in &own.occurrences {
            groups.push(Group { number: None, runs: times, occurrences: vec![*occurrence], around: 0.0 });
        }
        for inner in &own.loops {
            self.groups(nest, *inner, times, groups);
        }
        if is_real && let Some(group) = groups.get_mut(first) {
            group.around += runs * self.target.loops.entry + times * self.target.loops.iteration;
        }
    }
}

/// So many of the parts are about the processor itself; the others about data on its way.
const IN_CORE: usize = 3;

/// How much longer it takes to enter a loop over the points of a tile: it ends at the end of the tile or of all. (Measured: products of
/// 100 x 100 with and without tiles.)
const IN_TILES: f64 = 1.5;

/// Whether a loop of the tree is one of the program: neither copies of its body nor a single iteration.
fn is_real(nest: &Nest, number: usize) -> bool {
    number != 0 && !nest.loops[number].is_unrolled && nest.loops[number].trips > 1.0
}

fn holds_real(nest: &Nest, number: usize) -> bool {
    is_real(nest, number) || nest.loops[number].loops.iter().any(|inner| holds_real(nest, *inner))
}

/// All occurrences below a loop, in order.
fn inside(nest: &Nest, number: usize) -> Vec<usize> {
    let own = &nest.loops[number];
    let below = own.loops.iter().flat_map(|inner| inside(nest, *inner));
    own.occurrences.iter().copied().chain(below).collect()
}

/// The time of one order of a SCoP: a [`Model`] for a single estimate.
pub fn estimate(
    scop: &Scop,
    dependences: &Dependences,
    tree: &ScheduleTree,
    target: &Target,
    sizes: &Sizes,
    budget: &Budget,
) -> Result<Estimate> {
    Model::new(scop, dependences, target, sizes, budget)?.estimate(tree, budget)
}
