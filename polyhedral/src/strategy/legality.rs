//! What dependences say about an order of loops and of parts of a nest.
//!
//! `D` stands for the dependences whose instances agree on all loops around the nest. A set of loops is permutable if no pair of
//! `D` has a negative distance along any of them, where loops whose distances are all negative run backwards (M. Wolf and M. Lam, "A Loop Transformation Theory and an Algorithm to Maximize
//! Parallelism", 1991); a nest may be distributed over two parts of its body if no pair of `D` leads from the later part to the earlier
//! one. Dependences between instances of reductions count only where it matters whether iterations may run at the same time.
//!
//! Live ranges of memory may be reordered in a band (see [`crate::scop::LiveRanges`]): then of the order dependences of an array those
//! are left that are forced, or that have an end in a live range which is not inside one iteration of the band.

use crate::error::Result;
use crate::relation::{Comparison, Map, Set};
use crate::scop::{Dependence, DependenceKind, LiveRanges, Ranges};
use crate::space::DimKind;

use super::Tactic;
use super::flags::waits;
use super::search::Search;

/// What holds in a band if live ranges are reordered.
pub(super) struct Reordered {
    /// All dependences that have to be respected.
    pub(super) dependences: Vec<Dependence>,
    /// Those without the ones that only keep live ranges of one array apart.
    pub(super) values: Vec<Dependence>,
    /// The arrays whose live ranges may be reordered.
    pub(super) arrays: Vec<usize>,
}

impl Search<'_, '_> {
    /// The pairs that agree on some loops around both statements.
    pub(super) fn fixed(&self, dependence: &Dependence, map: &Map, loops: &[usize]) -> Result<Map> {
        let mut map = map.clone();
        for index in loops {
            if let (Some(a), Some(b)) = self.ends(dependence, *index) {
                map = map.equate(a, b)?;
            }
        }
        Ok(map)
    }

    /// The dimensions of the source and of the sink that are the counter of a loop.
    fn ends(&self, dependence: &Dependence, index: usize) -> (Option<usize>, Option<usize>) {
        (self.program.dim(dependence.source, index), self.program.dim(dependence.sink, index))
    }

    /// For each of some loops inside `around`, whether its iterations depend on each other when the rest stands still.
    pub(super) fn carries(&self, relevant: &[Dependence], loops: &[usize]) -> Result<Vec<bool>> {
        let mut carries = vec![false; loops.len()];
        for (index, flag) in loops.iter().zip(&mut carries) {
            for dependence in relevant {
                *flag = *flag || self.carried_alone(dependence, loops, *index)?;
            }
        }
        Ok(carries)
    }

    /// Dependences among `statements` between instances that agree on the loops `around`.
    pub(super) fn between(&self, statements: &[usize], around: &[usize]) -> Result<Vec<Dependence>> {
        self.fixed_between(&self.dependences.merged, statements, around)
    }

    /// Those of some dependences that are among `statements`, between instances that agree on the loops `around`.
    fn fixed_between<'d>(
        &self,
        dependences: impl IntoIterator<Item = &'d Dependence>,
        statements: &[usize],
        around: &[usize],
    ) -> Result<Vec<Dependence>> {
        let mut inside = Vec::new();
        for dependence in dependences {
            if statements.contains(&dependence.source) && statements.contains(&dependence.sink) {
                let map = self.fixed(dependence, &dependence.map, around)?;
                if !map.is_empty(self.budget)? {
                    inside.push(Dependence { map, ..*dependence });
                }
            }
        }
        Ok(inside)
    }

    /// Some pair has a negative distance along a loop; all have that are not in it.
    fn may_go_back(&self, dependence: &Dependence, map: &Map, index: usize) -> Result<bool> {
        let (Some(a), Some(b)) = self.ends(dependence, index) else { return Ok(true) };
        Ok(!map.compare_dims(DimKind::In, a, Comparison::Gt, DimKind::Out, b)?.is_empty(self.budget)?)
    }

    /// Some pair has a positive distance along a loop; all have that are not in it.
    fn may_go_ahead(&self, dependence: &Dependence, index: usize) -> Result<bool> {
        let (Some(a), Some(b)) = self.ends(dependence, index) else { return Ok(true) };
        Ok(!dependence.map.compare_dims(DimKind::In, a, Comparison::Lt, DimKind::Out, b)?.is_empty(self.budget)?)
    }

    /// Whether some ordered pair differs along a loop.
    pub(super) fn is_crossed(&self, relevant: &[Dependence], index: usize) -> Result<bool> {
        for dependence in relevant.iter().filter(|dependence| !dependence.reduction) {
            if self.may_go_ahead(dependence, index)? || self.may_go_back(dependence, &dependence.map, index)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Which of some loops have to run backwards so that all of them are permutable; nothing if that does not help.
    ///
    /// Example: with the distance (1, -1), loops over `i` and `-j` have (1, 1). A loop with distances of both signs needs a skew.
    pub(super) fn permutable(&self, relevant: &[Dependence], loops: &[usize]) -> Result<Option<Vec<bool>>> {
        let mut backwards = vec![false; loops.len()];
        for (index, is_backwards) in loops.iter().zip(&mut backwards) {
            let ordered = || relevant.iter().filter(|dependence| !dependence.reduction);
            for dependence in ordered() {
                *is_backwards = *is_backwards || self.may_go_back(dependence, &dependence.map, *index)?;
            }
            if !*is_backwards {
                continue;
            }
            if !self.options.allow(Tactic::Permute) {
                return Ok(None);
            }
            for dependence in ordered() {
                if self.may_go_ahead(dependence, *index)? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(backwards))
    }

    /// Whether some loops are permutable as they run, without one that has to run backwards.
    pub(super) fn is_permutable(&self, relevant: &[Dependence], loops: &[usize]) -> Result<bool> {
        Ok(self.permutable(relevant, loops)?.is_some_and(|backwards| !backwards.contains(&true)))
    }

    /// Some pair differs along a loop while all other loops of the nest agree.
    fn carried_alone(&self, dependence: &Dependence, nest: &[usize], index: usize) -> Result<bool> {
        let others: Vec<usize> = nest.iter().copied().filter(|other| *other != index).collect();
        let map = self.fixed(dependence, &dependence.map, &others)?;
        let (Some(a), Some(b)) = self.ends(dependence, index) else { return Ok(true) };
        let ahead = map.order_lt(a, b)?;
        Ok(!ahead.is_empty(self.budget)? || self.may_go_back(dependence, &map, index)?)
    }

    /// Whether a dependence of `D` leads from one of the statements `from` to one of `to`.
    pub(super) fn leads_back(&self, from: &[usize], to: &[usize], around: &[usize]) -> Result<bool> {
        for dependence in &self.dependences.merged {
            if !dependence.reduction && from.contains(&dependence.source) && to.contains(&dependence.sink) {
                let map = self.fixed(dependence, &dependence.map, around)?;
                if !map.is_empty(self.budget)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether iterations of an innermost loop around `statements` depend on each other when all other loops stand still.
    pub(super) fn waits(&self, statements: &[usize], index: usize) -> Result<bool> {
        let inside = |d: &&Dependence| statements.contains(&d.source) && statements.contains(&d.sink);
        for dependence in self.dependences.merged.iter().filter(inside) {
            let (source, sink) = self.ends(dependence, index);
            if waits(dependence, source, sink, self.budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The live ranges of the SCoP.
    pub(super) fn live_ranges(&self) -> Result<&LiveRanges> {
        if let Some(known) = self.live_ranges.get() {
            return Ok(known);
        }
        let found = self.scop.live_ranges(self.dependences, self.budget)?;
        Ok(self.live_ranges.get_or_init(|| found))
    }

    /// The arrays with live ranges that may be reordered among `statements`, as far as can be told without looking for them.
    pub(super) fn reorderable(&self, statements: &[usize]) -> Vec<usize> {
        if !self.options.live_ranges {
            return Vec::new();
        }
        let mut arrays = self.scop.reorderable_arrays(self.dependences);
        let inside = |s: &usize| statements.contains(s);
        arrays.retain(|array| {
            let pairs = self.dependences.pairs.iter();
            let output = pairs.filter(|pair| pair.array == *array && pair.kind == DependenceKind::Output);
            let mut inside = output.map(|pair| &pair.dependence).filter(|d| inside(&d.source) && inside(&d.sink));
            // Two statements that write to an element only in one iteration do not share it with others.
            inside.any(|dependence| dependence.source == dependence.sink || !is_of_one_iteration(&dependence.map))
        });
        arrays
    }

    /// What holds in the band of `loops` inside `around`, which are around all of `statements`, if live ranges are reordered; nothing if
    /// there are none.
    pub(super) fn reordered(
        &self,
        statements: &[usize],
        around: &[usize],
        loops: &[usize],
    ) -> Result<Option<Reordered>> {
        let arrays = self.reorderable(statements);
        if arrays.is_empty() {
            return Ok(None);
        }
        let ranges = self.live_ranges()?;
        let flow = ranges.arrays.iter().flat_map(|array| &array.flow);
        let values = self.fixed_between(ranges.others.iter().chain(flow), statements, around)?;
        let mut dependences = values.clone();
        let iteration = [around, loops].concat();
        for array in &ranges.arrays {
            let order = self.in_band(array, statements, &iteration)?;
            dependences.extend(self.fixed_between(&order, statements, around)?);
        }
        Ok(Some(Reordered { dependences, values, arrays }))
    }

    /// The order dependences of an array that hold in a band around `statements` whose iterations are those of the loops `iteration`.
    fn in_band(&self, ranges: &Ranges, statements: &[usize], iteration: &[usize]) -> Result<Vec<Dependence>> {
        // Of each statement, the instances in live ranges that do not lie in one iteration of the band.
        let mut torn: Vec<(usize, Set)> = Vec::new();
        for life in &ranges.flow {
            let (starts, ends) = (statements.contains(&life.source), statements.contains(&life.sink));
            let parts = match starts && ends {
                true => self.parts_apart(life, iteration)?,
                false => vec![life.map.clone()],
            };
            for part in parts {
                if part.is_empty(self.budget)? {
                    continue;
                }
                if starts {
                    torn.push((life.source, part.domain(self.budget)?));
                }
                if ends {
                    torn.push((life.sink, part.range(self.budget)?));
                }
            }
        }
        let mut result = ranges.forced.clone();
        for dependence in &ranges.order {
            for (statement, instances) in &torn {
                if *statement == dependence.source {
                    let map = dependence.map.intersect_domain(instances, self.budget)?;
                    result.push(Dependence { map, ..*dependence });
                }
                if *statement == dependence.sink {
                    let map = dependence.map.intersect_range(instances, self.budget)?;
                    result.push(Dependence { map, ..*dependence });
                }
            }
        }
        Ok(result)
    }

    /// The pairs whose instances differ in one of some loops around both: one part per loop that is the first to differ. The source runs
    /// before the sink, so that it is smaller there.
    fn parts_apart(&self, life: &Dependence, loops: &[usize]) -> Result<Vec<Map>> {
        let mut parts = Vec::new();
        let mut together = life.map.clone();
        for index in loops {
            if let (Some(a), Some(b)) = self.ends(life, *index) {
                parts.push(together.order_lt(a, b)?);
                together = together.equate(a, b)?;
            }
        }
        Ok(parts)
    }
}

/// Whether a relation between instances of two statements says that they agree on all common loops, in plain equations.
fn is_of_one_iteration(map: &Map) -> bool {
    let n = map.space().dim(DimKind::In).min(map.space().dim(DimKind::Out));
    let mut apart = (0..n).map(|d| map.order_lt(d, d));
    apart.all(|part| part.is_ok_and(|part| part.is_plainly_empty()))
}
