//! Coalescing: the same points as fewer conjunctions.
//!
//! # Method
//!
//! Two conjunctions are written over common integer divisions ([`align`]) as polyhedra `A` and `B`; the divisions are
//! additional variables, and the inequalities that define them hold in both. Strides and slopes that both have are used
//! to rewrite the other constraints: on the line `y = 2x`, `x <= 4` and `y = 10` become neighbours, `x <= 4` and
//! `x = 5`. Each constraint of one is classified against the other ([`pair`]): *valid*, *violated*, or *separating* by
//! more than one integer, which ends the matter. If all constraints of `A` are valid for `B`, `A` contains `B`.
//! Otherwise a polyhedron `H` that contains both is tried:
//!
//! 1. the equalities and inequalities of either that are valid for the other, and the violated inequalities moved just
//!    so far out that they become valid (an equality counts as two inequalities);
//! 2. if that is too large, also the constraints that come from turning a constraint of one polyhedron around its
//!    intersection with a violated one until it touches the other polyhedron ([`wrap`]), or, for polyhedra on
//!    neighbouring layers of one form, around its layer;
//! 3. if `A` and `B` lie in different residue classes of one expression, also the equality that says in which class
//!    of the greatest common divisor both are ([`align::common_residues`]); if that divisor is one, the expression is
//!    multiplied so that the two classes are neighbours ([`residues`]).
//!
//! If `H` has more divisions than either part, it is tried without the constraints that use one of them: what a slice
//! of a polyhedron says with a division of its own often follows from the rest.
//!
//! `H` replaces both if and only if no integer point of `H` violates a constraint of `A` and a constraint of `B`. That
//! is proved for every pair of violated constraints, with rational infeasibility first and an integer test where that
//! does not decide. So the result is exact by construction, whatever `H` is.
//!
//! This one test covers the cases that the literature treats one by one: adjacent inequalities, a facet that slides by
//! one, equalities that extend a polyhedron, parallel equalities, cut facets that lie in the other polyhedron,
//! wrapping, and residue classes. A replaced pair is compared with all others again, so the result is a fixpoint. Pairs
//! are tried in a fixed order. Turned constraints are used only if their coefficients are not larger than those of the
//! operands.
//!
//! Three and more conjunctions that differ only in the residue class of one expression are taken together before all
//! this: pairs of them can be merged such that the third has no place ([`residues`]). Existentials of two conjunctions
//! with equally many of them are compared as if they were dimensions ([`lifted`]).
//!
//! Source: S. Verdoolaege, *Integer Set Coalescing*, IMPACT 2015 (the cases; the common test is our own formulation).

mod align;
mod lifted;
mod pair;
mod part;
mod residues;
mod wrap;

use crate::budget::Budget;
use crate::error::Result;

use super::Relation;
pub(super) use align::{Common, align_all, least};
use pair::{Comparison, compare};
pub(super) use part::{Part, System};

impl Relation {
    /// The same points as no more, and where possible fewer, conjunctions; those of several without redundant
    /// constraints.
    pub(crate) fn coalesce(&self, budget: &Budget) -> Result<Relation> {
        if self.parts.len() <= 1 {
            return Ok(self.clone());
        }
        let mut parts: Vec<Part> = Vec::with_capacity(self.parts.len());
        let joined = residues::joined(self.parts(), budget)?;
        for conjunction in joined.as_deref().unwrap_or(self.parts()) {
            if let Some(part) = Part::new(conjunction.clone(), budget)? {
                insert(&mut parts, part, budget)?;
            }
        }
        let mut result = Relation::empty(self.space.clone());
        parts.into_iter().for_each(|part| result.push(part.conjunction));
        Ok(result.or_same(self))
    }
}

/// Adds a part to parts none of which can be combined with another, such that this holds again.
fn insert(parts: &mut Vec<Part>, mut new: Part, budget: &Budget) -> Result<()> {
    let mut place = parts.len();
    let mut k = 0;
    while k < parts.len() {
        budget.spend(1)?;
        match compare(&mut parts[k], &mut new, budget)? {
            Comparison::Apart => {
                k += 1;
                continue;
            }
            Comparison::FirstContainsSecond => return Ok(()),
            Comparison::SecondContainsFirst => {
                parts.remove(k);
            }
            Comparison::Merged(merged) => {
                parts.remove(k);
                place = place.min(k);
                new = *merged;
                // The larger part is compared with all others again.
                k = 0;
                continue;
            }
        }
        place = place.min(k);
    }
    parts.insert(place.min(parts.len()), new);
    Ok(())
}
