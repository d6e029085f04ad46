//! Legality: does a schedule tree respect dependences? An independent check of what a scheduler or an edit did.
//!
//! For a dependence from instance `x` to instance `y`, the time vector of `x` must be strictly smaller. The check looks
//! for a counterexample with an integer emptiness test: for every component `k`, dependent instances that agree on the
//! components before `k` where `x` comes later; and in the end instances that agree on everything. It uses only
//! constraint rows and the solver, no operation on relations that the scheduler itself could have used.

use std::fmt;

use crate::affine::Aff;
use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Conjunction, Map, negated};
use crate::space::{DimKind, Name};

use super::flat::{FlatSchedule, TimeDim};
use super::instances::statement_name;
use super::system::{System, difference};
use super::tree::ScheduleTree;

/// A dependence that a schedule does not respect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The position of the dependence in the list that was checked.
    pub dependence: usize,
    /// The component of the time vector where the order is reversed or left open by a set node; nothing if dependent
    /// instances are not ordered at all.
    pub dim: Option<usize>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dim {
            Some(dim) => write!(f, "dependence {} runs backwards in dimension {dim} of the schedule", self.dependence),
            None => write!(f, "dependence {} is between instances that the schedule does not order", self.dependence),
        }
    }
}

impl ScheduleTree {
    /// Whether every pair of every dependence (maps from earlier to later instances) is strictly ordered by the tree.
    /// Exact.
    pub fn is_legal(&self, deps: &[Map], budget: &Budget) -> Result<bool> {
        Ok(self.first_violation(deps, budget)?.is_none())
    }

    /// The first dependence that the tree does not respect, if there is one. Pairs with an instance that the tree does
    /// not execute are ignored. Exact; the cost is one integer emptiness test per conjunction of a dependence, pair of
    /// leaves and time component, but one for all leaves with the same components up to there.
    pub fn first_violation(&self, deps: &[Map], budget: &Budget) -> Result<Option<Violation>> {
        let flat = self.flatten(budget)?;
        // Accesses to the same elements often depend on each other by the same pairs.
        let mut respected: Vec<&Conjunction> = Vec::new();
        for (index, dep) in deps.iter().enumerate() {
            let source = statement_name(&dep.space().domain());
            let sink = statement_name(dep.space());
            for conjunction in dep.conjunctions() {
                if respected.contains(&conjunction) {
                    continue;
                }
                let mut known = Vec::new();
                for a in entries(&flat, &source) {
                    for b in entries(&flat, &sink) {
                        if let Some(dim) = violated(conjunction, (a, b), &mut known, budget)? {
                            return Ok(Some(Violation { dependence: index, dim }));
                        }
                    }
                }
                respected.push(conjunction);
            }
        }
        Ok(None)
    }
}

pub(super) fn entries<'f>(flat: &'f [FlatSchedule], stmt: &'f Name) -> impl Iterator<Item = &'f FlatSchedule> {
    flat.iter().filter(move |entry| entry.stmt == *stmt)
}

/// Whether all pairs of a dependence that agree on the components before the last one are in order there, wherever in the tree they are: of
/// leaves that have these components in common, that is asked once.
struct Common<'f> {
    times: [&'f [Aff]; 2],
    /// The pairs that agree on all these components.
    pairs: System,
    is_in_order: bool,
}

/// What is known of the first components of two leaves.
fn is_in_order<'f>(
    dep: &Conjunction,
    (source, sink): (&'f FlatSchedule, &'f FlatSchedule),
    dim: usize,
    known: &mut Vec<Common<'f>>,
    budget: &Budget,
) -> Result<bool> {
    let times = [&source.time[..=dim], &sink.time[..=dim]];
    if let Some(common) = known.iter().find(|common| common.times == times) {
        return Ok(common.is_in_order);
    }
    // What agrees on the most of these components is where to go on from.
    let is_prefix = |common: &&Common<'f>| {
        let n = common.times[0].len();
        n <= dim && common.times == [&source.time[..n], &sink.time[..n]] && common.pairs.has_params_of(&[source, sink])
    };
    let (start, mut pairs) = match known.iter().filter(is_prefix).max_by_key(|common| common.times[0].len()) {
        Some(common) => (common.times[0].len(), common.pairs.clone()),
        None => {
            let sizes = [dep.space().dim(DimKind::In), dep.space().dim(DimKind::Out)];
            (0, System::new(dep, &sizes, &[source, sink]))
        }
    };
    let distance = |pairs: &mut System, dim: usize| {
        let (x, y) = (pairs.value(&source.time[dim], 0), pairs.value(&sink.time[dim], 1));
        difference(&y, &x)
    };
    for outer in start..dim {
        let row = distance(&mut pairs, outer);
        pairs.equate(row);
    }
    let row = distance(&mut pairs, dim);
    let is_in_order = !pairs.can_be_negative(&row, budget)?;
    pairs.equate(row);
    known.push(Common { times, pairs, is_in_order });
    Ok(is_in_order)
}

/// The component (nothing for the end of the vector) at which some pair of a dependence is not in order.
fn violated<'f>(
    dep: &Conjunction,
    (source, sink): (&'f FlatSchedule, &'f FlatSchedule),
    known: &mut Vec<Common<'f>>,
    budget: &Budget,
) -> Result<Option<Option<usize>>> {
    let sizes = [dep.space().dim(DimKind::In), dep.space().dim(DimKind::Out)];
    for a in source.domain.conjunctions() {
        for b in sink.domain.conjunctions() {
            let mut pairs = System::new(dep, &sizes, &[source, sink]);
            pairs.restrict(a, 0);
            pairs.restrict(b, 1);
            // Whether pairs might be left that agree on what was looked at; it is asked only before a question that costs as much.
            let (mut is_ordered, mut agree) = (false, false);
            for (dim, kind) in source.dims.iter().enumerate() {
                let x = pairs.value(&source.time[dim], 0);
                let y = pairs.value(&sink.time[dim], 1);
                let distance = difference(&y, &x);
                if pairs.is_zero(&distance) {
                    continue;
                }
                let is_set = *kind == TimeDim::Unordered && sink.dims[dim] == TimeDim::Unordered;
                // Parts of a sequence: what is left are pairs in this order, or there is nothing left.
                if !is_set && distance[1..].iter().all(Int::is_zero) {
                    if distance[0].is_negative() && !pairs.is_empty(budget)? {
                        return Ok(Some(Some(dim)));
                    }
                    is_ordered = true;
                    break;
                }
                if !is_set && is_in_order(dep, (source, sink), dim, known, budget)? {
                    pairs.equate(distance);
                    agree = true;
                    continue;
                }
                if agree && pairs.is_empty(budget)? {
                    is_ordered = true;
                    break;
                }
                let mut backwards = vec![distance.clone()];
                if is_set {
                    backwards.push(negated(&distance));
                }
                for row in backwards {
                    if pairs.can_be_negative(&row, budget)? {
                        return Ok(Some(Some(dim)));
                    }
                }
                pairs.equate(distance);
                agree = true;
            }
            if !is_ordered && !pairs.is_empty(budget)? {
                return Ok(Some(None));
            }
        }
    }
    Ok(None)
}
