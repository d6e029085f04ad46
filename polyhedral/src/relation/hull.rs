//! Simple hulls: one conjunction that contains all points, made from the constraints of the conjunctions themselves.
//!
//! The conjunctions are written over common integer divisions. The *unshifted* hull has the constraints of any of them
//! that hold for all others; the *simple* hull has all their constraints, each moved just so far out that it holds for
//! all, if that is possible (an equality counts as two inequalities). Both also have the equalities of the affine hull,
//! and its congruences if the conjunctions have divisions. No facet gets a new direction, so coefficients do not grow.
//!
//! The *plain* unshifted hull keeps the constraints that literally occur in all conjunctions; it solves nothing.

use crate::arith::{Row, row};
use crate::budget::Budget;
use crate::error::Result;

use super::Relation;
use super::affine_hull::{add_condition, conditions};
use super::coalesce::{Common, Part, System, align_all, least};
use super::conjunction::Conjunction;

/// How far constraints may be moved.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shift {
    None,
    Any,
}

/// The non-empty conjunctions without existentials, redundant constraints and implicit equalities.
fn explicit_parts(relation: &Relation, budget: &Budget) -> Result<Vec<Conjunction>> {
    let mut parts = Vec::new();
    for part in relation.make_divs_explicit(budget)?.into_parts() {
        parts.extend(Part::new(part, budget)?.map(Part::into_work));
    }
    Ok(parts)
}

/// The constraints of the systems in `from` that hold for all systems, moved as allowed.
fn valid_for_all(from: &[System], all: &mut [System], shift: Shift, budget: &Budget) -> Result<Vec<Row>> {
    let mut result: Vec<Row> = Vec::new();
    'constraints: for c in from.iter().flat_map(|s| &s.constraints).filter(|c| !c.derived) {
        // Of parallel constraints one is enough if they are moved.
        if result.iter().any(|r| r[1..] == c.row[1..] && (shift == Shift::Any || r[0] <= c.row[0])) {
            continue;
        }
        let mut row = c.row.clone();
        for system in &mut *all {
            if system.constraints.iter().any(|d| d.row[1..] == row[1..] && d.row[0] <= row[0])
                || system.tableau.is_implied(&row, budget)?
            {
                continue;
            }
            match least(system, &row, budget)? {
                Some(value) if !value.is_negative() => {}
                Some(value) if shift == Shift::Any => row[0] -= value,
                _ => continue 'constraints,
            }
        }
        result.push(row);
    }
    Ok(result)
}

/// The conjunction of some inequalities over the common divisions.
fn conjunction(common: &Common, ineqs: Vec<Row>) -> Conjunction {
    let locals = common.divs.iter().cloned().map(Some).collect();
    Conjunction { locals, ineqs, ..Conjunction::universe(common.space.clone()) }
}

impl Relation {
    fn hull_of_constraints(&self, shift: Shift, budget: &Budget) -> Result<Relation> {
        if let [part] = self.parts() {
            let part = part.clone().without_redundancies(budget)?;
            return Ok(Relation::from_parts(self.space.clone(), [part]));
        }
        let parts = explicit_parts(self, budget)?;
        if let [] | [_] = parts.as_slice() {
            return Ok(Relation::from_parts(self.space.clone(), parts));
        }
        let (common, mut systems) = align_all(&parts.iter().collect::<Vec<_>>(), &[], budget)?;
        let from = systems.clone();
        let mut hull = conjunction(&common, valid_for_all(&from, &mut systems, shift, budget)?);
        if parts.iter().all(|p| !p.eqs.is_empty()) {
            let strides = parts.iter().any(|p| p.n_local() > 0);
            let conditions = conditions(&parts, budget)?.unwrap_or_default();
            let wanted = conditions.iter().filter(|c| strides || c.modulus.is_zero());
            wanted.for_each(|c| add_condition(&mut hull, c));
        }
        let hull = hull.simplify().without_redundancies(budget)?;
        Ok(Relation::from_parts(self.space.clone(), [hull]))
    }

    /// All constraints, moved out until they hold for all points.
    pub(crate) fn simple_hull(&self, budget: &Budget) -> Result<Relation> {
        if let [_] = self.parts() {
            return Ok(self.clone());
        }
        self.hull_of_constraints(Shift::Any, budget)
    }

    /// The constraints that hold for all points as they are.
    pub(crate) fn unshifted_simple_hull(&self, budget: &Budget) -> Result<Relation> {
        self.hull_of_constraints(Shift::None, budget)
    }

    /// The constraints of some other relations that hold for all points of this one.
    pub(crate) fn unshifted_simple_hull_from(&self, list: &[&Relation], budget: &Budget) -> Result<Relation> {
        let mut left = self.clone();
        for other in list {
            left = left.aligned_same("form the simple hull", other)?.0;
        }
        let own = explicit_parts(&left, budget)?;
        if own.is_empty() {
            return Ok(Relation::empty(left.space));
        }
        let mut parts = own.clone();
        for other in list {
            let (_, other) = left.aligned_same("form the simple hull", other)?;
            for part in other.make_divs_explicit(budget)?.into_parts() {
                if !part.is_empty(budget)? {
                    parts.push(part.with_space(left.space.clone()));
                }
            }
        }
        let (common, mut systems) = align_all(&parts.iter().collect::<Vec<_>>(), &[], budget)?;
        let from = systems.split_off(own.len());
        let hull = conjunction(&common, valid_for_all(&from, &mut systems, Shift::None, budget)?);
        let hull = hull.simplify().without_redundancies(budget)?;
        Ok(Relation::from_parts(left.space, [hull]))
    }

    /// The constraints that literally occur in every conjunction.
    pub(crate) fn plain_unshifted_simple_hull(&self, budget: &Budget) -> Result<Relation> {
        if self.parts.len() < 2 {
            return Ok(self.clone());
        }
        // Existentials of different conjunctions have nothing in common.
        let plain: Vec<Conjunction> = self
            .parts
            .iter()
            .map(|p| if p.has_only_known_divs() { p.clone() } else { p.without_locals_constraints() })
            .collect();
        let (common, systems) = align_all(&plain.iter().collect::<Vec<_>>(), &[], budget)?;
        let Some((first, others)) = systems.split_first() else { return Ok(self.clone()) };
        let occurs = |system: &System, row: &Row| system.constraints.iter().any(|d| !d.derived && d.row == *row);
        let rows = first.constraints.iter().filter(|c| !c.derived && others.iter().all(|s| occurs(s, &c.row)));
        let hull = conjunction(&common, rows.map(|c| c.row.clone()).collect());
        Ok(Relation::from_parts(self.space.clone(), [hull]))
    }
}

impl Conjunction {
    /// The constraints that use no local.
    fn without_locals_constraints(&self) -> Conjunction {
        let base = self.space.n_col();
        let rows = |rows: &[Row]| -> Vec<Row> {
            let plain = rows.iter().filter(|r| row::all_zero(&r[base..]));
            plain.map(|r| r[..base].iter().cloned().collect()).collect()
        };
        Conjunction { eqs: rows(&self.eqs), ineqs: rows(&self.ineqs), ..Conjunction::universe(self.space.clone()) }
    }
}
