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
use tessera_polyhedral::relation::{Conjunction, Set};
use tessera_polyhedral::space::{DimKind, Space};

/// Stands for the value that is bounded; no loop has this index, nor one of the next smaller ones, which stand for quotients.
const VALUE: Sym = Sym::Iv(usize::MAX);

/// Quotients are looked for in so many bounds of iterators.
const MOST_QUOTIENTS: usize = 4;

/// One bound: an affine expression of the parameters divided by a positive number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    /// The constant, one coefficient per parameter, and one per quotient of the disjunct, where it is a bound in one.
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
    /// Expressions of the parameters, divided and rounded down, in which the bounds are expressed, too.
    pub(super) quotients: Vec<Bound>,
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
    let parts: Vec<(&Conjunction, Vec<Quotient>)> =
        domain.conjunctions().iter().map(|part| (part, quotients(poly, part, loops))).collect();
    let image = |domain: &Set, quotients: &[Quotient]| image(&params, poly, domain, quotients, loops, budget);
    let images = if parts.iter().all(|(_, quotients)| quotients.is_empty()) {
        vec![(image(domain, &[])?, Vec::new())]
    } else {
        let images = parts.into_iter().map(|(part, quotients)| {
            let image = image(&Set::from_conjunction(part.clone()), &quotients)?;
            Ok((image, quotients.into_iter().map(|quotient| quotient.value).collect()))
        });
        images.collect::<Result<Vec<(Set, Vec<Bound>)>, Reason>>()?
    };
    let is_union = images.iter().map(|(image, _)| image.conjunctions().len()).sum::<usize>() > 1;
    let mut disjuncts = Vec::new();
    for (image, quotients) in images {
        for conjunction in image.conjunctions() {
            disjuncts.push(disjunct(conjunction, quotients.clone(), is_union)?);
        }
    }
    Ok(Extremes { disjuncts })
}

/// A quotient of parameters, rounded down, that bounds an iterator. Blocks of four columns, `4*i < n`, end with column `4*floor((n - 1)/4) + 3`, which
/// is below `n` where `n` is a multiple of four; without the quotient all that is known of it is that it is below `n + 3`.
struct Quotient {
    value: Bound,
    /// The position of the iterator among the loops.
    iterator: usize,
    /// Whether the iterator is at most the quotient; it is at least the negated quotient otherwise.
    from_above: bool,
}

/// The quotients that bound the iterators along which the polynomial goes in steps.
fn quotients(poly: &Poly, part: &Conjunction, loops: &[usize]) -> Vec<Quotient> {
    let first = 1 + part.space().param_names().len();
    let bounds = part.ineqs().iter().filter_map(|row| {
        let mut speaks_of = (first..row.len()).filter(|column| !row[*column].is_zero());
        let (Some(column), None) = (speaks_of.next(), speaks_of.next()) else { return None };
        let iterator = column - first;
        let step = poly.coefficient(Sym::Iv(*loops.get(iterator)?)).abs();
        let is_step = |coefficient: &i64| (2..1 << 20).contains(&coefficient.unsigned_abs()) && step > 1;
        let coefficient = row[column].to_i64().filter(is_step)?;
        let row = row[..first].iter().map(Int::to_i64).collect::<Option<Vec<i64>>>().filter(|row| is_small(row))?;
        let is_constant = row[1..].iter().all(|entry| *entry == 0);
        let value = Bound { row, divisor: coefficient.abs() };
        (!is_constant).then_some(Quotient { value, iterator, from_above: coefficient < 0 })
    });
    bounds.take(MOST_QUOTIENTS).collect()
}

/// The values of a polynomial over a domain: sets of one dimension, behind one for each quotient.
fn image(
    params: &Space,
    poly: &Poly,
    domain: &Set,
    quotients: &[Quotient],
    loops: &[usize],
    budget: &Budget,
) -> Result<Set, Reason> {
    let (n, first) = (loops.len(), 1 + params.param_names().len());
    let quotient_symbols = (1..=quotients.len()).map(|number| Sym::Iv(usize::MAX - number));
    let dims: Vec<Sym> = loops.iter().map(|l| Sym::Iv(*l)).chain(quotient_symbols).chain([VALUE]).collect();
    let frame = Frame::new(params, "", dims);
    let equal = poly.sub(&Poly::symbol(VALUE)).ok_or(Reason::TooLarge)?;
    let row = frame.row(&equal)?;
    // Only iterators that occur matter, with what bounds them; a constant needs no projection.
    let mut lifted = if poly.is_invariant() {
        Set::universe(frame.space().clone())
    } else {
        let renamed = domain.with_tuple_name(DimKind::Out, "");
        let renamed = renamed.insert_dims(DimKind::Out, n, quotients.len() + 1).map_err(library_error)?;
        renamed.with_space(frame.space()).map_err(library_error)?
    };
    for (number, Quotient { value: Bound { row, divisor }, iterator, from_above }) in quotients.iter().enumerate() {
        let column = first + n + number;
        // 0 <= row - divisor * quotient < divisor
        let mut rest = vec![Int::from(0i64); first + n + quotients.len() + 1];
        rest[..first].clone_from_slice(&row.iter().map(|entry| Int::from(*entry)).collect::<Vec<Int>>());
        rest[column] = Int::from(-divisor);
        let mut room: Vec<Int> = rest.iter().map(|entry| -entry).collect();
        room[0] = &room[0] + &Int::from(divisor - 1);
        let mut bound = vec![Int::from(0i64); rest.len()];
        bound[first + iterator] = Int::from(if *from_above { -1i64 } else { 1 });
        bound[column] = Int::from(1i64);
        lifted = lifted.add_ineq(&rest).add_ineq(&room).add_ineq(&bound);
    }
    lifted
        .add_eq(&row)
        .project_out(DimKind::Out, 0, n, budget)
        .and_then(|set| set.overapproximate_divs(budget))
        .and_then(|set| set.remove_redundancies(budget))
        .map_err(library_error)
}

/// Whether a row of coefficients, behind a constant, is evaluated by guards.
fn is_small(row: &[i64]) -> bool {
    let total = row[1..].iter().fold(0u64, |total, entry| total.saturating_add(entry.unsigned_abs()));
    total < 1 << 20 && row[0].unsigned_abs() < 1 << 60
}

/// The bounds in one conjunction of an image.
fn disjunct(conjunction: &Conjunction, quotients: Vec<Bound>, is_union: bool) -> Result<Disjunct, Reason> {
    let first = 1 + conjunction.space().param_names().len();
    let column = first + quotients.len();
    let mut disjunct = Disjunct { quotients, ..Disjunct::default() };
    let mut too_large = false;
    let mut add = |row: &[Int], negate: bool| {
        // A constraint that also speaks of an integer division is no bound on the value, and one with large numbers is not
        // evaluated here; dropping it only widens.
        if row[column + 1..].iter().any(|entry| !entry.is_zero()) {
            return;
        }
        let speaks_of_value = !row[column].is_zero();
        let parameters = row[1..first].iter().filter(|entry| !entry.is_zero()).count();
        let speaks_of_quotient = row[first..column].iter().any(|entry| !entry.is_zero());
        if !speaks_of_value && (speaks_of_quotient || !is_union && parameters < 2) {
            return;
        }
        let mut entries = Vec::with_capacity(column + 1);
        for entry in &row[..=column] {
            let value = entry.to_i64().and_then(|value| if negate { value.checked_neg() } else { Some(value) });
            let Some(value) = value else {
                too_large |= speaks_of_value;
                return;
            };
            entries.push(value);
        }
        if !is_small(&entries) {
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
    match disjunct.lower.is_empty() || disjunct.upper.is_empty() {
        true => Err(if too_large { Reason::TooLarge } else { Reason::TripCount }),
        false => Ok(disjunct),
    }
}
