//! Live ranges of memory in another order: arrays (or single cells, or rows) that hold one value after the other.
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
//! - so do order dependences that are *forced*: a read that sees what was there before the nest comes before all writes, and
//!   all writes come before the last one of the element, whose value is there after the nest (scalars of the model are dead then);
//! - all other order dependences hold in a band where one end is in a live range that is not inside one iteration of the band: a part
//!   of it is in another iteration, in another outer iteration, or outside of the band.
//!
//! Arrays with writes that may not happen, or whose order does not matter (reductions), are not looked at: all their dependences
//! hold. Distribution, time tiling, and what is said about loops whose iterations are independent respect all dependences.
//!
//! Invariant: nothing relies on a band having been chosen rightly. [`LiveRanges::are_respected`] takes the whole new tree, and asks
//! whether flow and forced dependences hold, and for every live range whether another write to its element comes in between.
//!
//! (S. Verdoolaege and A. Cohen, "Live-Range Reordering", IMPACT 2016.)

use super::nest::{Result, Search};
use crate::model::scop::{Access, AccessKind, Scop};
use crate::model::sets::library_error;
use std::cell::OnceCell;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::Accesses;
use tessera_polyhedral::relation::{Map, Set, UnionMap, UnionSet};
use tessera_polyhedral::schedule::{Lives, ScheduleTree};
use tessera_polyhedral::scop::{Dependence, DependenceKind as Kind, Dependences, Scop as Data};
use tessera_polyhedral::space::{DimKind, Space};
use tessera_polyhedral::text::AccessOrder;

/// The live ranges of a model, once somebody has asked.
pub(super) type Reordering = OnceCell<LiveRanges>;

/// What has to hold if live ranges are reordered.
#[derive(Debug)]
pub(super) struct LiveRanges {
    /// The live ranges of arrays that can have any.
    arrays: Vec<Ranges>,
    /// The dependences of all other arrays.
    others: Vec<Dependence>,
}

/// What holds in a band if live ranges are reordered.
pub(super) struct Reordered {
    /// All dependences that have to be respected.
    pub(super) dependences: Vec<Dependence>,
    /// Those without the ones that only keep live ranges of one array apart.
    pub(super) values: Vec<Dependence>,
    /// The arrays whose live ranges may be reordered.
    pub(super) arrays: Vec<usize>,
}

/// The live ranges of one array.
#[derive(Debug)]
struct Ranges {
    /// From a write to the reads that see its value.
    flow: Vec<Dependence>,
    /// From any access to any later write.
    order: Vec<Dependence>,
    /// Those of `order` that hold always.
    forced: Vec<Dependence>,
    /// What must not be interrupted.
    lives: Vec<Lives>,
}

/// The arrays that may have live ranges to reorder: elements are written several times, certainly, and not only by statements that go
/// on from the value that was there.
fn candidates(scop: &Scop, dependences: &Dependences) -> Vec<usize> {
    let mut again = vec![false; scop.arrays.len()];
    let mut anew = again.clone();
    let mut excluded = again.clone();
    for pair in &dependences.pairs {
        again[pair.array] |= pair.kind == Kind::Output;
        excluded[pair.array] |= pair.dependence.reduction;
    }
    for statement in &scop.statements {
        for access in statement.accesses.iter().filter(|access| access.kind != AccessKind::Read) {
            let reads = |other: &Access| other.kind == AccessKind::Read && other.array == access.array;
            anew[access.array] |= !statement.accesses.iter().any(reads);
            excluded[access.array] |= access.kind == AccessKind::MayWrite;
        }
    }
    (0..scop.arrays.len()).filter(|array| again[*array] && anew[*array] && !excluded[*array]).collect()
}

impl LiveRanges {
    /// Finds the live ranges of the candidates.
    fn new(scop: &Scop, data: &Data, dependences: &Dependences, budget: &Budget) -> Result<LiveRanges> {
        let candidates = candidates(scop, dependences);
        let schedule = data.schedule.to_map(budget).map_err(library_error)?;
        let ranges = |array: &usize| Ranges::new(scop, data, *array, dependences, &schedule, budget);
        let arrays = candidates.iter().map(ranges).collect::<Result<_>>()?;
        let others = dependences.pairs.iter().filter(|pair| !candidates.contains(&pair.array));
        let others = others.map(|pair| pair.dependence.clone()).collect();
        Ok(LiveRanges { arrays, others })
    }

    /// Whether a schedule respects the dependences of all other arrays, the flow of values and forced dependences, and interrupts no
    /// live range.
    pub(super) fn are_respected(&self, tree: &ScheduleTree, budget: &Budget) -> Result<bool> {
        let always = self.arrays.iter().flat_map(|ranges| ranges.flow.iter().chain(&ranges.forced));
        let ordered = self.others.iter().filter(|dependence| !dependence.reduction).chain(always);
        let maps: Vec<Map> = ordered.map(|dependence| dependence.map.clone()).collect();
        let lives: Vec<Lives> = self.arrays.iter().flat_map(|ranges| ranges.lives.iter().cloned()).collect();
        Ok(tree.is_legal(&maps, budget).map_err(library_error)?
            && tree.first_interruption(&lives, budget).map_err(library_error)?.is_none())
    }
}

impl Ranges {
    fn new(
        scop: &Scop,
        data: &Data,
        array: usize,
        dependences: &Dependences,
        schedule: &UnionMap,
        budget: &Budget,
    ) -> Result<Ranges> {
        let nothing = UnionMap::empty(&scop.context.space().params_space());
        let mut accesses = Accesses {
            reads: nothing.clone(),
            may_writes: nothing.clone(),
            must_writes: nothing.clone(),
            kills: nothing,
            order: AccessOrder::Map(schedule.clone()),
        };
        for (statement, described) in scop.statements.iter().zip(&data.statements) {
            let pairs = statement.accesses.iter().zip(&described.accesses);
            for (access, data) in pairs.filter(|(access, _)| access.array == array) {
                let relation = data.relation.intersect_domain(&statement.domain, budget).map_err(library_error)?;
                let list = match access.kind {
                    AccessKind::Read => &mut accesses.reads,
                    AccessKind::Write => &mut accesses.must_writes,
                    AccessKind::MayWrite => &mut accesses.may_writes,
                };
                *list = list.add(&relation).map_err(library_error)?;
            }
        }
        let found = accesses.flow(budget).map_err(library_error)?;
        let live_in = found.may_no_source().domain(budget).map_err(library_error)?;
        let live_out = match scop.is_memory(array) {
            true => accesses.live_out(budget).and_then(|writes| writes.domain(budget)).map_err(library_error)?,
            false => UnionSet::empty(&scop.context.space().params_space()),
        };
        let flow = by_statements(scop, &found.may_dependence(budget).map_err(library_error)?, budget)?;
        let of_array = || dependences.pairs.iter().filter(|pair| pair.array == array);
        let order: Vec<_> = of_array().filter(|pair| pair.kind != Kind::Flow).collect();
        let mut forced = Vec::new();
        for pair in &order {
            let dependence = &pair.dependence;
            let map = match pair.kind {
                Kind::Anti => dependence.map.intersect_domain(&instances(scop, &live_in, dependence.source), budget),
                _ => dependence.map.intersect_range(&instances(scop, &live_out, dependence.sink), budget),
            };
            forced.push(Dependence { map: map.map_err(library_error)?, ..*dependence });
        }
        let lives = flow.iter().map(|life| {
            let output = of_array().filter(|pair| pair.kind == Kind::Output).map(|pair| &pair.dependence);
            let later = output.clone().filter(|other| other.source == life.source).map(|other| other.map.clone());
            let earlier = output.filter(|other| other.sink == life.source).map(|other| other.map.reverse());
            Lives { flow: life.map.clone(), writes: later.chain(earlier).collect() }
        });
        let lives = lives.collect();
        let order = order.into_iter().map(|pair| pair.dependence.clone()).collect();
        Ok(Ranges { flow, order, forced, lives })
    }

    /// The order dependences that hold in the band of the `n` loops below `depth` others around `statements`.
    fn in_band(&self, statements: &[usize], depth: usize, n: usize, budget: &Budget) -> Result<Vec<Dependence>> {
        // Of each statement, the instances in live ranges that do not lie in one iteration of the band.
        let mut torn: Vec<(usize, Set)> = Vec::new();
        for life in &self.flow {
            let (starts, ends) = (statements.contains(&life.source), statements.contains(&life.sink));
            let parts = match starts && ends {
                true => parts_apart(&life.map, depth + n)?,
                false => vec![life.map.clone()],
            };
            for part in parts {
                if part.is_empty(budget).map_err(library_error)? {
                    continue;
                }
                if starts {
                    torn.push((life.source, part.domain(budget).map_err(library_error)?));
                }
                if ends {
                    torn.push((life.sink, part.range(budget).map_err(library_error)?));
                }
            }
        }
        let mut result = self.forced.clone();
        for dependence in &self.order {
            for (statement, instances) in &torn {
                if *statement == dependence.source {
                    let map = dependence.map.intersect_domain(instances, budget).map_err(library_error)?;
                    result.push(Dependence { map, ..*dependence });
                }
                if *statement == dependence.sink {
                    let map = dependence.map.intersect_range(instances, budget).map_err(library_error)?;
                    result.push(Dependence { map, ..*dependence });
                }
            }
        }
        Ok(result)
    }
}

impl Search<'_> {
    /// The live ranges of the model.
    pub(super) fn live_ranges(&self) -> Result<&LiveRanges> {
        if let Some(known) = self.reordering.get() {
            return Ok(known);
        }
        let found = LiveRanges::new(self.scop, self.data, self.dependences, self.budget)?;
        Ok(self.reordering.get_or_init(|| found))
    }

    /// The arrays with live ranges that may be reordered among `statements`, as far as can be told without looking for them.
    pub(super) fn reorderable(&self, statements: &[usize]) -> Vec<usize> {
        if !self.wishes.live_ranges {
            return Vec::new();
        }
        let mut arrays = candidates(self.scop, self.dependences);
        let inside = |s: &usize| statements.contains(s);
        arrays.retain(|array| {
            let output = self.dependences.pairs.iter().filter(|pair| pair.array == *array && pair.kind == Kind::Output);
            let mut inside = output.map(|pair| &pair.dependence).filter(|d| inside(&d.source) && inside(&d.sink));
            // Two statements that write to an element only in one iteration do not share it with others.
            inside.any(|dependence| dependence.source == dependence.sink || !is_of_one_iteration(&dependence.map))
        });
        arrays
    }

    /// What holds in the band of the `n` loops below `depth` others around all of `statements` if live ranges are reordered;
    /// nothing if there are none.
    pub(super) fn reordered(&self, statements: &[usize], depth: usize, n: usize) -> Result<Option<Reordered>> {
        let arrays = self.reorderable(statements);
        if arrays.is_empty() {
            return Ok(None);
        }
        let ranges = self.live_ranges()?;
        let flow = ranges.arrays.iter().flat_map(|array| &array.flow);
        let values = self.fixed_between(ranges.others.iter().chain(flow), statements, depth)?;
        let mut dependences = values.clone();
        for array in &ranges.arrays {
            let order = array.in_band(statements, depth, n, self.budget)?;
            dependences.extend(self.fixed_between(&order, statements, depth)?);
        }
        Ok(Some(Reordered { dependences, values, arrays }))
    }
}

/// Whether a relation between instances of two statements says that they agree on all common loops, in plain equations.
fn is_of_one_iteration(map: &Map) -> bool {
    let n = map.space().dim(DimKind::In).min(map.space().dim(DimKind::Out));
    let mut apart = (0..n).map(|d| map.order_lt(d, d));
    apart.all(|part| part.is_ok_and(|part| part.is_plainly_empty()))
}

/// The pairs whose instances differ in one of the first `n` loops, which are the same around both: one part per loop that is the first
/// to differ. The source runs before the sink, so that it is smaller there.
fn parts_apart(map: &Map, n: usize) -> Result<Vec<Map>> {
    let mut parts = Vec::new();
    let mut together = map.clone();
    for d in 0..n {
        parts.push(together.order_lt(d, d).map_err(library_error)?);
        together = together.equate(d, d).map_err(library_error)?;
    }
    Ok(parts)
}

/// A relation between instances, by pairs of statements.
fn by_statements(scop: &Scop, relation: &UnionMap, budget: &Budget) -> Result<Vec<Dependence>> {
    let mut result = Vec::new();
    for (source, from) in scop.statements.iter().enumerate() {
        for (sink, to) in scop.statements.iter().enumerate() {
            let space = Space::map(from.domain.space(), to.domain.space());
            let map = relation.extract(&space);
            if !map.is_empty(budget).map_err(library_error)? {
                result.push(Dependence { source, sink, map, reduction: false });
            }
        }
    }
    Ok(result)
}

/// The instances of one statement.
fn instances(scop: &Scop, set: &UnionSet, statement: usize) -> Set {
    set.extract(scop.statements[statement].domain.space())
}
