//! Live ranges of memory in another order: arrays (or single elements, or scalars) that hold one value after the other.
//!
//! ```text
//! for j: for i:                             for i: for j:
//!   s->tmp = a[i][j] * 2                      s->tmp = a[i][j] * 2
//!   b[i][j] = s->tmp + 1                      b[i][j] = s->tmp + 1
//! ```
//!
//! A *live range* of an element is a write and all reads that see its value. Anti and output dependences between different live
//! ranges of an element (*order dependences*) are there only because the ranges share memory. A band of loops may turn them
//! round as long as every live range stays whole: if all reads of a range are in the same iteration of the band as its write,
//! then nothing of another range comes in between, because inside one iteration the order of the program is kept.
//!
//! Per array, with the exact flow of values:
//! - flow dependences from the last write before a read to that read hold always;
//! - so do order dependences that are *forced*: a read that sees what was there before the SCoP comes before all writes, and
//!   all writes come before the last one of the element, whose value is there after the SCoP (scalars are dead then);
//! - all other order dependences hold in a band where one end is in a live range that is not inside one iteration of the band: a part
//!   of it is in another iteration, in another outer iteration, or outside of the band.
//!
//! Arrays with writes that may not happen, or whose order does not matter (reductions), are not looked at: all their dependences
//! hold.
//!
//! Invariant: nothing relies on a band having been chosen rightly. [`LiveRanges::are_respected`] takes a whole tree, and asks whether
//! flow and forced dependences hold, and for every live range whether another write to its element comes in between.
//!
//! (S. Verdoolaege and A. Cohen, "Live-Range Reordering", IMPACT 2016.)

use crate::budget::Budget;
use crate::error::Result;
use crate::flow::{AccessKind, AccessOrder, Accesses};
use crate::relation::{Map, Set, UnionMap, UnionSet};
use crate::schedule::{Lives, ScheduleTree};
use crate::space::Space;

use super::{Access, Dependence, DependenceKind, Dependences, Scop, Storage};

/// What has to hold if live ranges are reordered.
#[derive(Clone, Debug)]
pub struct LiveRanges {
    /// The live ranges of arrays that can have any.
    pub arrays: Vec<Ranges>,
    /// The dependences of all other arrays.
    pub others: Vec<Dependence>,
}

/// The live ranges of one array.
#[derive(Clone, Debug)]
pub struct Ranges {
    /// From a write to the reads that see its value.
    pub flow: Vec<Dependence>,
    /// From any access to any later write.
    pub order: Vec<Dependence>,
    /// Those of `order` that hold always.
    pub forced: Vec<Dependence>,
    /// What must not be interrupted.
    pub lives: Vec<Lives>,
}

impl Scop {
    /// The arrays that may have live ranges to reorder: elements are written several times, certainly, and not only by statements that
    /// go on from the value that was there. `dependences` are those of the SCoP. Cheap.
    pub fn reorderable_arrays(&self, dependences: &Dependences) -> Vec<usize> {
        let mut again = vec![false; self.arrays.len()];
        let mut anew = again.clone();
        let mut excluded = again.clone();
        for pair in &dependences.pairs {
            again[pair.array] |= pair.kind == DependenceKind::Output;
            excluded[pair.array] |= pair.dependence.reduction;
        }
        for statement in &self.statements {
            for access in statement.accesses.iter().filter(|access| access.kind != AccessKind::Read) {
                let Some(array) = self.array_of(access) else { continue };
                let reads = |other: &Access| other.kind == AccessKind::Read && self.array_of(other) == Some(array);
                anew[array] |= !statement.accesses.iter().any(reads);
                excluded[array] |= access.kind == AccessKind::MayWrite;
            }
        }
        (0..self.arrays.len()).filter(|array| again[*array] && anew[*array] && !excluded[*array]).collect()
    }

    /// The live ranges of all [reorderable arrays](Self::reorderable_arrays). Exact. Cost: a value-based flow analysis per array.
    pub fn live_ranges(&self, dependences: &Dependences, budget: &Budget) -> Result<LiveRanges> {
        let reorderable = self.reorderable_arrays(dependences);
        let schedule = self.schedule.to_map(budget)?;
        let ranges = |array: &usize| self.ranges_of(*array, dependences, &schedule, budget);
        let arrays = reorderable.iter().map(ranges).collect::<Result<_>>()?;
        let others = dependences.pairs.iter().filter(|pair| !reorderable.contains(&pair.array));
        let others = others.map(|pair| pair.dependence.clone()).collect();
        Ok(LiveRanges { arrays, others })
    }

    fn ranges_of(
        &self,
        array: usize,
        dependences: &Dependences,
        schedule: &UnionMap,
        budget: &Budget,
    ) -> Result<Ranges> {
        let nothing = UnionMap::empty(&self.context.space().params_space());
        let mut accesses = Accesses {
            reads: nothing.clone(),
            may_writes: nothing.clone(),
            must_writes: nothing.clone(),
            kills: nothing,
            order: AccessOrder::Map(schedule.clone()),
        };
        for statement in &self.statements {
            for access in statement.accesses.iter().filter(|access| self.array_of(access) == Some(array)) {
                let relation = access.relation.intersect_domain(&statement.domain, budget)?;
                let relation = relation.intersect_params(&self.context, budget)?;
                let list = match access.kind {
                    AccessKind::Read => &mut accesses.reads,
                    AccessKind::MustWrite => &mut accesses.must_writes,
                    AccessKind::MayWrite => &mut accesses.may_writes,
                };
                *list = list.add(&relation)?;
            }
        }
        let found = accesses.flow(budget)?;
        let live_in = found.may_no_source().domain(budget)?;
        let live_out = match self.arrays[array].storage {
            Storage::Scalar => UnionSet::empty(&self.context.space().params_space()),
            Storage::Memory | Storage::Rows(_) => accesses.live_out(budget)?.domain(budget)?,
        };
        let flow = self.by_statements(&found.may_dependence(budget)?, budget)?;
        let of_array = || dependences.pairs.iter().filter(|pair| pair.array == array);
        let order: Vec<_> = of_array().filter(|pair| pair.kind != DependenceKind::Flow).collect();
        let mut forced = Vec::new();
        for pair in &order {
            let dependence = &pair.dependence;
            let map = match pair.kind {
                DependenceKind::Anti => {
                    dependence.map.intersect_domain(&self.instances_in(&live_in, dependence.source), budget)?
                }
                _ => dependence.map.intersect_range(&self.instances_in(&live_out, dependence.sink), budget)?,
            };
            forced.push(Dependence { map, ..*dependence });
        }
        let lives = flow.iter().map(|life| {
            let output = of_array().filter(|pair| pair.kind == DependenceKind::Output).map(|pair| &pair.dependence);
            let later = output.clone().filter(|other| other.source == life.source).map(|other| other.map.clone());
            let earlier = output.filter(|other| other.sink == life.source).map(|other| other.map.reverse());
            Lives { flow: life.map.clone(), writes: later.chain(earlier).collect() }
        });
        let lives = lives.collect();
        let order = order.into_iter().map(|pair| pair.dependence.clone()).collect();
        Ok(Ranges { flow, order, forced, lives })
    }

    /// A relation between instances, by pairs of statements.
    fn by_statements(&self, relation: &UnionMap, budget: &Budget) -> Result<Vec<Dependence>> {
        let mut result = Vec::new();
        for (source, from) in self.statements.iter().enumerate() {
            for (sink, to) in self.statements.iter().enumerate() {
                let map = relation.extract(&Space::map(from.domain.space(), to.domain.space()));
                if !map.is_empty(budget)? {
                    result.push(Dependence { source, sink, map, reduction: false });
                }
            }
        }
        Ok(result)
    }

    /// The instances of one statement.
    fn instances_in(&self, set: &UnionSet, statement: usize) -> Set {
        set.extract(self.statements[statement].domain.space())
    }
}

impl LiveRanges {
    /// Whether a schedule respects the dependences of all other arrays, the flow of values and forced dependences, and interrupts no
    /// live range. Exact. Cost: that of legality, and an emptiness test per live range and write.
    pub fn are_respected(&self, tree: &ScheduleTree, budget: &Budget) -> Result<bool> {
        let always = self.arrays.iter().flat_map(|ranges| ranges.flow.iter().chain(&ranges.forced));
        let ordered = self.others.iter().filter(|dependence| !dependence.reduction).chain(always);
        let maps: Vec<Map> = ordered.map(|dependence| dependence.map.clone()).collect();
        let lives: Vec<Lives> = self.arrays.iter().flat_map(|ranges| ranges.lives.iter().cloned()).collect();
        Ok(tree.is_legal(&maps, budget)? && tree.first_interruption(&lives, budget)?.is_none())
    }
}
