//! What the assumptions say about domains.
//!
//! A part of a domain in which every point violates an assumption has no points where the guard lets the new code run:
//! `j != n` has two parts, and where `j <= n` is assumed one of them is left.
//!
//! Invariant: a part is dropped only for the sake of assumptions that the guard checks for all points of that part.

use crate::detect::scev::{Assumption, UNLIMITED};
use crate::formula::condition::Dnf;
use crate::formula::poly::Poly;
use crate::model::scop::{Check, Statement};
use crate::model::sets::{Frame, library_error};
use crate::reasons::Reason;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::space::{DimKind, Space};

/// Drops the parts of domains that the guard excludes. `limited` is what is known about the parameters behind it.
pub(super) fn narrow(
    statements: &mut [Statement],
    checks: &[Check],
    limited: &Set,
    budget: &Budget,
) -> Result<(), Reason> {
    let params = limited.space();
    for statement in statements.iter_mut().filter(|statement| statement.domain.conjunctions().len() > 1) {
        let mut kept = Vec::new();
        for part in statement.domain.conjunctions() {
            let part = Set::from_conjunction(part.clone());
            let possible = part.intersect_params(limited, budget).map_err(library_error)?;
            let mut excluded = false;
            for check in checks.iter().filter(|check| check.assumption.poly.is_affine()) {
                excluded = excluded || excludes(check, statement, &possible, params, budget)?;
            }
            if !excluded {
                kept.push(part);
            }
        }
        if kept.len() < statement.domain.conjunctions().len() {
            let mut domain = Set::empty(statement.domain.space().clone());
            for part in kept {
                domain = domain.union(&part).map_err(library_error)?;
            }
            statement.domain = domain;
        }
    }
    Ok(())
}

/// The points of a domain, in a frame's space, that violate an assumption, which is affine.
pub(super) fn violations(assumption: &Assumption, domain: &Set, frame: &Frame, budget: &Budget) -> Result<Set, Reason> {
    let low = Poly::constant(assumption.low).ok_or(Reason::TooLarge)?;
    let mut outside = Dnf::lt(&assumption.poly, &low)?;
    if assumption.high != UNLIMITED {
        let high = Poly::constant(assumption.high).ok_or(Reason::TooLarge)?;
        outside = outside.or(&Dnf::lt(&high, &assumption.poly)?)?;
    }
    domain.intersect(&frame.set(&outside)?, budget).map_err(library_error)
}

/// Whether an assumption is checked for all points of a part of a statement's domain, and holds for none.
fn excludes(check: &Check, statement: &Statement, part: &Set, params: &Space, budget: &Budget) -> Result<bool, Reason> {
    let depth = check.loops.len();
    if statement.loops.get(..depth) != Some(check.loops.as_slice()) {
        return Ok(false);
    }
    let frame = Frame::of_loops(params, &statement.name, &statement.loops);
    let low = Poly::constant(check.assumption.low).ok_or(Reason::TooLarge)?;
    let mut inside = Dnf::le(&low, &check.assumption.poly)?;
    if check.assumption.high != UNLIMITED {
        let high = Poly::constant(check.assumption.high).ok_or(Reason::TooLarge)?;
        inside = inside.and(&Dnf::le(&check.assumption.poly, &high)?)?;
    }
    let holding = part.intersect(&frame.set(&inside)?, budget).map_err(library_error)?;
    if !holding.is_empty(budget).map_err(library_error)? {
        return Ok(false);
    }
    // The assumption is about the outer loops; whatever the counters of the inner ones are.
    let extended = check.domain.add_dims(DimKind::Out, statement.loops.len() - depth).map_err(library_error)?;
    let extended = extended.with_tuple_name(DimKind::Out, &statement.name);
    part.is_subset(&extended, budget).map_err(library_error)
}
