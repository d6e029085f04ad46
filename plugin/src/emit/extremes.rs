//! Bounds of an expression over a domain, as expressions of the parameters: what holds for all iterations.
//!
//! The value becomes a new dimension, and the iterators are projected out. A product of parameters is taken as a factor. All bounds are safe:
//! they may be too wide, never too narrow.

use crate::formula::poly::{Monomial, Poly, Sym};
use crate::model::scop::{Access, Scop};
use crate::model::sets::{Frame, library_error};
use crate::reasons::Reason;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::space::DimKind;

/// Stands for the value that is bounded; no loop has this index.
const VALUE: Sym = Sym::Iv(usize::MAX);

/// One bound: an affine expression of the parameters divided by a positive number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    /// The constant and one coefficient per parameter.
    pub(super) row: Vec<i64>,
    pub(super) divisor: i64,
}

/// The bounds of an expression over a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extremes {
    pub(super) disjuncts: Vec<Disjunct>,
}

/// The bounds over a disjunct of the domain, which all hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Disjunct {
    pub(super) lower: Vec<Bound>,
    pub(super) upper: Vec<Bound>,
    /// What is not negative where the disjunct has points. Of the only one, what says so of several parameters: a loop that is not
    /// executed because of one alone leaves nothing to do.
    pub(super) needs: Vec<Bound>,
}

/// A polynomial's range: parameter products with their constant factors, and the extremes of their cofactors.
pub(super) type RangePlan = Vec<((Monomial, i128), Extremes)>;

/// The values of a polynomial of each access to an array, with the number of elements from there on: once where accesses have it in common. Those
/// without one are left out.
pub(super) fn ranges_of<'s>(
    scop: &'s Scop,
    array: usize,
    of: impl Fn(&'s Access) -> Option<&'s Poly>,
    budget: &Budget,
) -> Result<Vec<(RangePlan, i128)>, Reason> {
    let mut seen: Vec<(&Poly, i128, &Set)> = Vec::new();
    let mut ranges = Vec::new();
    for statement in &scop.statements {
        for access in statement.accesses.iter().filter(|access| access.array == array) {
            let Some(poly) = of(access) else { continue };
            let is_known = |(other, count, domain): &(&Poly, i128, &Set)| {
                *other == poly
                    && *count == access.count
                    && domain.conjunctions().len() == statement.domain.conjunctions().len()
                    && domain.with_tuple_name(DimKind::Out, &statement.name).is_plainly_equal(&statement.domain)
            };
            if seen.iter().any(is_known) {
                continue;
            }
            seen.push((poly, access.count, &statement.domain));
            let range = range_plan(scop, poly, &statement.domain, &statement.loops, budget)?;
            ranges.push((range, access.count));
        }
    }
    Ok(ranges)
}

/// The range of a polynomial whose parts without parameters are affine.
pub(super) fn range_plan(
    scop: &Scop,
    poly: &Poly,
    domain: &Set,
    loops: &[usize],
    budget: &Budget,
) -> Result<RangePlan, Reason> {
    let mut plan = Vec::new();
    for (factor, cofactor) in poly.by_parameters(|params| params.len() == 1) {
        if !cofactor.is_affine() {
            return Err(Reason::TooComplex);
        }
        // Without its content the cofactor keeps dense values, whose bounds need no divisions.
        let content = cofactor.content().max(1);
        if content >= 1 << 20 {
            return Err(Reason::TooLarge);
        }
        let primitive = cofactor.divide_exact(content);
        plan.push(((factor, content), extremes(scop, &primitive, domain, loops, budget)?));
    }
    Ok(plan)
}

/// Safe bounds of an affine polynomial over a domain.
pub(super) fn extremes(
    scop: &Scop,
    poly: &Poly,
    domain: &Set,
    loops: &[usize],
    budget: &Budget,
) -> Result<Extremes, Reason> {
    let params = scop.context.space().params_space();
    let n = loops.len();
    let dims: Vec<Sym> = loops.iter().map(|l| Sym::Iv(*l)).chain([VALUE]).collect();
    let frame = Frame::new(&params, "", dims);
    let equal = poly.sub(&Poly::symbol(VALUE)).ok_or(Reason::TooLarge)?;
    let row = frame.row(&equal)?;
    // Only iterators that occur matter, with what bounds them; a constant needs no projection.
    let lifted = if poly.is_invariant() {
        Set::universe(frame.space().clone())
    } else {
        let renamed =
            domain.with_tuple_name(DimKind::Out, "").insert_dims(DimKind::Out, n, 1).map_err(library_error)?;
        renamed.with_space(frame.space()).map_err(library_error)?
    };
    let image = lifted
        .add_eq(&row)
        .project_out(DimKind::Out, 0, n, budget)
        .and_then(|set| set.overapproximate_divs(budget))
        .and_then(|set| set.remove_redundancies(budget))
        .map_err(library_error)?;
    let n_param = params.param_names().len();
    let column = 1 + n_param;
    let mut disjuncts = Vec::new();
    let is_union = image.conjunctions().len() > 1;
    for conjunction in image.conjunctions() {
        let mut disjunct = Disjunct::default();
        let mut too_large = false;
        let mut add = |row: &[Int], negate: bool| {
            // A constraint that also speaks of an integer division is no bound on the value, and one with large numbers is not
            // evaluated here; dropping it only widens.
            if row[column + 1..].iter().any(|entry| !entry.is_zero()) {
                return;
            }
            let speaks_of_value = !row[column].is_zero();
            let parameters = row[1..column].iter().filter(|entry| !entry.is_zero()).count();
            if !speaks_of_value && !is_union && parameters < 2 {
                return;
            }
            let mut entries = Vec::with_capacity(column + 1);
            let mut total = 0u64;
            for entry in &row[..=column] {
                let value = entry.to_i64().and_then(|value| if negate { value.checked_neg() } else { Some(value) });
                let Some(value) = value else {
                    too_large |= speaks_of_value;
                    return;
                };
                entries.push(value);
            }
            for value in &entries[1..] {
                total = total.saturating_add(value.unsigned_abs());
            }
            if total >= 1 << 20 || entries[0].unsigned_abs() >= 1 << 60 {
                too_large |= speaks_of_value;
                return;
            }
            // coefficient * value + row >= 0
            let coefficient = entries.pop().unwrap_or(1);
            if coefficient > 0 {
                // value >= ceil(-row / coefficient)
                let row = entries.iter().map(|entry| -entry).collect();
                disjunct.lower.push(Bound { row, divisor: coefficient });
            } else if speaks_of_value {
                disjunct.upper.push(Bound { row: entries, divisor: -coefficient });
            } else {
                disjunct.needs.push(Bound { row: entries, divisor: 1 });
            }
        };
        for row in conjunction.ineqs() {
            add(row, false);
        }
        for row in conjunction.eqs() {
            add(row, false);
            add(row, true);
        }
        if disjunct.lower.is_empty() || disjunct.upper.is_empty() {
            return Err(if too_large { Reason::TooLarge } else { Reason::TripCount });
        }
        disjuncts.push(disjunct);
    }
    Ok(Extremes { disjuncts })
}
