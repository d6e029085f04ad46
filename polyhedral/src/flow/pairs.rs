//! [`Pair`]: a sink and a possible source that touch one element, as conjunctions per level of time.
//!
//! The source is before the sink at *level* `m` if both have equal times in the components before `m` and the source is
//! less in component `m`. Of two sources at different levels, the one at the deeper (greater) level is the later one,
//! whatever the rest of their times: both agree with the sink before the smaller level, and there only the other one is
//! less.

use crate::affine::Aff;
use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{self, Conjunction, Row};
use crate::schedule::TimeDim;
use crate::space::{DimKind, Space, Tuple};

use super::site::{Site, append, append_divs};

/// A sink with a possible source.
#[derive(Clone, Debug)]
pub(super) struct Pair<'s> {
    pub(super) sink: &'s Site,
    pub(super) source: &'s Site,
    /// The levels at which the source can be before the sink, ascending. A superset.
    pub(super) levels: Vec<usize>,
}

/// The pairs of instances at a level: a conjunction that is not simplified, and where the columns of the sites went.
pub(super) struct Frame {
    pub(super) conjunction: Conjunction,
    /// Where `[1 | params | variables | divs]` of the sink went.
    pub(super) sink: Vec<usize>,
    /// The same for the source.
    pub(super) source: Vec<usize>,
}

/// A part of the sinks with the last instances of a source before them.
#[derive(Clone, Debug)]
pub(super) struct Last {
    /// The sinks.
    pub(super) domain: Conjunction,
    /// The time of the source from the level on, as functions of the sink.
    pub(super) time: Vec<Aff>,
    /// The variables of the source, if the time determines them.
    pub(super) source: Option<Vec<Aff>>,
}

impl<'s> Pair<'s> {
    pub(super) fn new(sink: &'s Site, source: &'s Site) -> Pair<'s> {
        let mut levels = Vec::new();
        for dim in 0..sink.time.len() {
            let (Some(a), Some(b)) = (source.constant_time(dim), sink.constant_time(dim)) else {
                levels.push(dim);
                continue;
            };
            if a == b {
                continue;
            }
            if a[1..] != b[1..] {
                levels.push(dim);
                continue;
            }
            // One of them is before the other, for all instances.
            if sink.dims[dim] == TimeDim::Ordered && a[0] < b[0] {
                levels.push(dim);
            }
            break;
        }
        Pair { sink, source, levels }
    }

    /// The pairs that touch one element, the sink in `part`. The first `n_extra` dimensions of the range are free.
    fn same_element(&self, part: &Conjunction, n_extra: usize) -> Frame {
        let (n_param, n_sink, n_source) = (self.sink.n_param(), self.sink.n(), self.source.n());
        let params = part.space().params_space();
        let space = Space::map_of(&params, Tuple::anonymous(n_sink), Tuple::anonymous(n_extra + n_source));
        let mut conjunction = Conjunction::universe(space);
        let sink: Vec<usize> = (0..1 + n_param + n_sink).collect();
        let mut source: Vec<usize> = (0..=n_param).collect();
        source.extend((0..n_source).map(|k| 1 + n_param + n_sink + n_extra + k));
        append(&mut conjunction, part, &sink);
        append(&mut conjunction, &self.source.condition, &source);
        let sink = append_divs(&mut conjunction, &self.sink.divs, &sink);
        let source = append_divs(&mut conjunction, &self.source.divs, &source);
        let mut frame = Frame { conjunction, sink, source };
        for (a, b) in self.sink.element.iter().zip(&self.source.element) {
            let row = frame.difference(a, b);
            frame.conjunction.add_eq(row);
        }
        frame
    }

    /// Whether some instance of the sink and some of the source touch one element, in whatever order. Exact.
    pub(super) fn meets(&self, budget: &Budget) -> Result<bool> {
        let frame = self.same_element(&self.sink.condition, 0);
        Ok(!frame.conjunction.simplify().is_empty(budget)?)
    }

    /// The pairs at a level, the sink in `part`.
    pub(super) fn at(&self, part: &Conjunction, level: usize) -> Frame {
        let mut frame = self.same_element(part, 0);
        self.order(&mut frame, level);
        frame
    }

    fn order(&self, frame: &mut Frame, level: usize) {
        for dim in 0..=level {
            let mut row = frame.difference(&self.sink.time[dim], &self.source.time[dim]);
            if dim == level {
                row[0] -= 1;
                frame.conjunction.add_ineq(row);
            } else if !relation::all_zero(&row) {
                frame.conjunction.add_eq(row);
            }
        }
    }

    /// The last instances of the source at a level, for the sinks in `part`. Exact; the domains are disjoint.
    ///
    /// Errors: the budget; sinks with later and later instances of the source before them.
    pub(super) fn last(&self, part: &Conjunction, level: usize, budget: &Budget) -> Result<Vec<Last>> {
        let (source, n_param) = (self.source, self.sink.n_param());
        // The components of time to maximise; the others are the same for all instances.
        let open: Vec<usize> = (level..source.time.len()).filter(|&d| source.constant_time(d).is_none()).collect();
        let mut frame = self.same_element(part, open.len());
        self.order(&mut frame, level);
        let first = frame.conjunction.space().offset(DimKind::Out);
        for (k, &dim) in open.iter().enumerate() {
            let mut row = frame.source_row(&source.time[dim]);
            row[first + k] -= 1;
            frame.conjunction.add_eq(row);
        }
        let mut targets: Vec<usize> = (0..open.len()).collect();
        if source.is_determined {
            targets.extend((0..source.n()).map(|k| open.len() + k));
        }
        let pieces = frame.conjunction.simplify().maximum_pieces(&targets, budget).map_err(|error| match error {
            Error::Unbounded { .. } => Error::Unbounded {
                operation: "compute dependences",
                what: format!(
                    "the time of the last instance of {} before an access of {}",
                    source.space, self.sink.space
                ),
            },
            other => other,
        })?;
        let mut result = Vec::with_capacity(pieces.len());
        for (domain, values) in pieces {
            let mut values = values.into_iter();
            let mut time = Vec::with_capacity(source.time.len() - level);
            for dim in level..source.time.len() {
                match source.constant_time(dim) {
                    Some(row) => {
                        let row: Row = row.iter().cloned().collect();
                        time.push(Aff::from_row(domain.space().clone(), row, Int::one()));
                    }
                    None => time.extend(values.next()),
                }
            }
            let source = source.is_determined.then(|| values.collect());
            debug_assert_eq!(domain.space().n_col(), 1 + n_param + self.sink.n());
            result.push(Last { domain, time, source });
        }
        Ok(result)
    }

    /// The pairs of a sink in the domain of `last` with its last source instances there.
    pub(super) fn graph(&self, part: &Conjunction, level: usize, last: &Last) -> Conjunction {
        match &last.source {
            Some(values) => {
                let (n_sink, n_source) = (self.sink.n(), self.source.n());
                let params = part.space().params_space();
                let space = Space::map_of(&params, Tuple::anonymous(n_sink), Tuple::anonymous(n_source));
                let first = space.offset(DimKind::Out);
                let mut conjunction = Conjunction::universe(space);
                let map: Vec<usize> = (0..first).collect();
                append(&mut conjunction, part, &map);
                for (k, value) in values.iter().enumerate() {
                    let mut row = value_row(&mut conjunction, value, &map);
                    row[first + k] -= 1;
                    conjunction.add_eq(row);
                }
                conjunction
            }
            None => {
                let mut frame = self.at(part, level);
                for (value, row) in last.time.iter().zip(&self.source.time[level..]) {
                    let row = frame.time_difference(row, value);
                    frame.conjunction.add_eq(row);
                }
                frame.conjunction
            }
        }
    }

    /// The pairs of `frame` that a kill at the same level hides: the sink is in the domain of `kill`, and the source is
    /// before that kill.
    pub(super) fn hidden(&self, frame: &Frame, level: usize, kill: &Last) -> Vec<Conjunction> {
        let mut result = Vec::new();
        // Where the source and the kill go apart, they are in children of one node: of the same kind for both.
        let dims = &self.source.dims;
        let mut equal =
            Frame { conjunction: frame.conjunction.clone(), sink: frame.sink.clone(), source: frame.source.clone() };
        let first = equal.conjunction.space().offset(DimKind::Out);
        let map: Vec<usize> = (0..first).collect();
        append(&mut equal.conjunction, &kill.domain, &map);
        for (k, value) in kill.time.iter().enumerate() {
            let mut row = equal.time_difference(&self.source.time[level + k], value);
            if relation::all_zero(&row[1..]) {
                if row[0].is_zero() {
                    continue;
                }
                if dims[level + k] == TimeDim::Ordered && row[0].is_negative() {
                    result.push(equal.conjunction);
                }
                return result;
            }
            if dims[level + k] == TimeDim::Ordered {
                let mut less = equal.conjunction.clone();
                let mut ineq = relation::negated(&row);
                ineq[0] -= 1;
                less.add_ineq(ineq);
                result.push(less);
            }
            row.resize(equal.conjunction.n_col(), Int::zero());
            equal.conjunction.add_eq(row);
        }
        result
    }
}

/// The row of a function of the sink in a conjunction over pairs; its divisions become locals.
fn value_row(conjunction: &mut Conjunction, value: &Aff, map: &[usize]) -> Row {
    let full = append_divs(conjunction, value.divs(), map);
    relation::remap(value.row(), &full, conjunction.n_col())
}

impl Frame {
    /// The row of the source over the columns of the frame.
    fn source_row(&self, row: &[Int]) -> Row {
        relation::remap(row, &self.source, self.conjunction.n_col())
    }

    /// The row of the sink minus that of the source.
    fn difference(&self, sink: &[Int], source: &[Int]) -> Row {
        let mut row = relation::remap(sink, &self.sink, self.conjunction.n_col());
        let minus = self.source_row(source);
        relation::add_scaled(&mut row, &Int::from(-1), &minus);
        row
    }

    /// A row of the source minus a function of the sink.
    fn time_difference(&mut self, source: &[Int], value: &Aff) -> Row {
        let first = self.conjunction.space().offset(DimKind::Out);
        let map: Vec<usize> = (0..first).collect();
        let value = value_row(&mut self.conjunction, value, &map);
        let mut row = self.source_row(source);
        relation::add_scaled(&mut row, &Int::from(-1), &value);
        row
    }
}
