//! Are values still there when they are read? An independent check of schedules that reorder live ranges.
//!
//! The life of a value goes from the instance that writes it to one that reads it. A schedule interrupts it if another
//! write to the element may run in between. The check looks for a counterexample with integer emptiness tests: three
//! instances whose time vectors are in that order. Like that of dependences it uses only constraint rows and the
//! solver.
//!
//! A tree that runs all writers before their readers, and interrupts no life, gives every read the value that it had.

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Conjunction, Map, Row, negated};
use crate::space::DimKind;

use super::flat::{FlatSchedule, TimeDim};
use super::instances::statement_name;
use super::legal::entries;
use super::system::{System, difference};
use super::tree::ScheduleTree;

/// The lives of some values.
#[derive(Clone, Debug)]
pub struct Lives {
    /// From the instances that write the values to those that read them.
    pub flow: Map,
    /// From the same instances to others that write the same element. None of these is the instance itself.
    pub writes: Vec<Map>,
}

impl ScheduleTree {
    /// The position of the first lives of which the tree may interrupt one; nothing if all are safe. Writes at the time
    /// of the writer, or of another instance than the reader at the reader's time, interrupt. Instances that the tree
    /// does not execute are ignored. Exact; the cost is quadratic in the length of the time vectors, in integer
    /// emptiness tests per combination of leaves.
    pub fn first_interruption(&self, lives: &[Lives], budget: &Budget) -> Result<Option<usize>> {
        let flat = self.flatten(budget)?;
        for (position, life) in lives.iter().enumerate() {
            let (writer, reader) = (statement_name(&life.flow.space().domain()), statement_name(life.flow.space()));
            for other in &life.writes {
                let other_writer = statement_name(other.space());
                let triples = life.flow.flat_range_product(other, budget)?;
                let space = life.flow.space();
                let sizes = [space.dim(DimKind::In), space.dim(DimKind::Out), other.space().dim(DimKind::Out)];
                for conjunction in triples.conjunctions() {
                    for first in entries(&flat, &writer) {
                        for last in entries(&flat, &reader) {
                            for middle in entries(&flat, &other_writer) {
                                if is_interrupted(conjunction, sizes, [first, last, middle], budget)? {
                                    return Ok(Some(position));
                                }
                            }
                        }
                    }
                }
            }
        }
        Ok(None)
    }
}

/// The instances of a triple, in the order of its dimensions.
const FIRST: usize = 0;
const LAST: usize = 1;
const MIDDLE: usize = 2;

/// Whether the third instance of some triple may run between the first and the second.
fn is_interrupted(
    triples: &Conjunction,
    sizes: [usize; 3],
    schedules: [&FlatSchedule; 3],
    budget: &Budget,
) -> Result<bool> {
    for a in schedules[FIRST].domain.conjunctions() {
        for b in schedules[LAST].domain.conjunctions() {
            for c in schedules[MIDDLE].domain.conjunctions() {
                let mut system = System::new(triples, &sizes, &schedules);
                system.restrict(a, FIRST);
                system.restrict(b, LAST);
                system.restrict(c, MIDDLE);
                if system.is_empty(budget)? {
                    continue;
                }
                let mut steps = Vec::new();
                for (dim, kind) in schedules[MIDDLE].dims.iter().enumerate() {
                    let mut value = |instance: usize| system.value(&schedules[instance].time[dim], instance);
                    let (first, last, middle) = (value(FIRST), value(LAST), value(MIDDLE));
                    steps.push(Step {
                        after_first: difference(&middle, &first),
                        before_last: difference(&last, &middle),
                        is_ordered: *kind == TimeDim::Ordered,
                    });
                }
                // The reader may overwrite what it has read.
                let same = schedules[LAST].stmt == schedules[MIDDLE].stmt;
                let own = same.then(|| {
                    let unknowns = |dim| difference(&system.unknown(LAST, dim), &system.unknown(MIDDLE, dim));
                    (0..sizes[LAST]).map(unknowns).collect()
                });
                let search = Search { steps, own, budget };
                if search.finds(system, 0, true, true)? {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// One component of the time vectors.
struct Step {
    /// The time of the third instance minus that of the first.
    after_first: Row,
    /// The time of the second instance minus that of the third.
    before_last: Row,
    is_ordered: bool,
}

impl Step {
    /// The rows one of which is positive where a difference of this component leaves room for the third instance: if
    /// the component does not order, any difference does.
    fn on_right_side(&self, row: &Row) -> Vec<Row> {
        if self.is_ordered { vec![row.clone()] } else { vec![row.clone(), negated(row)] }
    }
}

struct Search<'s> {
    steps: Vec<Step>,
    /// The loops of the second instance minus those of the third, if they are of one statement.
    own: Option<Vec<Row>>,
    budget: &'s Budget,
}

impl Search<'_> {
    /// Whether the third instance may come between the other two, given that the components before `from` are equal to
    /// those of the instances it is still tied to, and that it is on the right side of the others.
    fn finds(&self, mut system: System, from: usize, tied_first: bool, tied_last: bool) -> Result<bool> {
        for (k, step) in self.steps.iter().enumerate().skip(from) {
            let after_first = if tied_first { step.on_right_side(&step.after_first) } else { Vec::new() };
            let before_last = if tied_last { step.on_right_side(&step.before_last) } else { Vec::new() };
            // It leaves all that it is tied to.
            let leaves = match (tied_first, tied_last) {
                (true, true) => after_first.iter().flat_map(|a| before_last.iter().map(move |b| vec![a, b])).collect(),
                _ => after_first.iter().chain(&before_last).map(|row| vec![row]).collect::<Vec<_>>(),
            };
            for rows in leaves {
                let mut apart = system.clone();
                rows.iter().for_each(|row| apart.require_positive(row));
                if !apart.is_empty(self.budget)? {
                    return Ok(true);
                }
            }
            if tied_first && tied_last {
                // It leaves one of the two.
                let one = [(&step.after_first, &before_last, true), (&step.before_last, &after_first, false)];
                for (stays, leaves, still_first) in one {
                    for row in leaves {
                        let mut apart = system.clone();
                        apart.equate(stays.clone());
                        apart.require_positive(row);
                        if !apart.is_empty(self.budget)? && self.finds(apart, k + 1, still_first, !still_first)? {
                            return Ok(true);
                        }
                    }
                }
            }
            for (row, is_tied) in [(&step.after_first, tied_first), (&step.before_last, tied_last)] {
                if is_tied {
                    system.equate(row.clone());
                }
            }
            if system.is_empty(self.budget)? {
                return Ok(false);
            }
        }
        match &self.own {
            Some(loops) => {
                for row in loops {
                    for side in [row.clone(), negated(row)] {
                        let mut apart = system.clone();
                        apart.require_positive(&side);
                        if !apart.is_empty(self.budget)? {
                            return Ok(true);
                        }
                    }
                }
                Ok(false)
            }
            None => Ok(!system.is_empty(self.budget)?),
        }
    }
}
