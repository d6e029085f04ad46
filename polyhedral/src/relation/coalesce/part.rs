//! [`Part`]: one conjunction prepared for comparisons; [`System`]: its constraints with a tableau.

use crate::arith::{Int, Rational, Row, row};
use crate::budget::Budget;
use crate::error::Result;
use crate::lp::{self, Tableau};

use super::super::conjunction::Conjunction;
use super::super::solved::Solved;

/// One inequality `row >= 0` of a system. An equality is two of them, one after the other.
#[derive(Clone, Debug)]
pub(in crate::relation) struct Constraint {
    pub(in crate::relation) row: Row,
    /// Whether this is half of an equality.
    pub(in crate::relation) equality: bool,
    /// Whether the constraint follows from the others and the definitions of the divisions over the integers.
    pub(in crate::relation) derived: bool,
}

/// The constraints of a conjunction over some columns and a tableau of them with the definitions of the divisions.
#[derive(Clone, Debug)]
pub(in crate::relation) struct System {
    pub(in crate::relation) n_col: usize,
    pub(in crate::relation) constraints: Vec<Constraint>,
    pub(in crate::relation) tableau: Tableau,
}

/// A conjunction with at least one integer point, without implicit equalities and redundant inequalities (over the
/// rationals).
#[derive(Clone, Debug)]
pub(in crate::relation) struct Part {
    /// The conjunction as it will be returned.
    pub(in crate::relation) conjunction: Conjunction,
    /// The same points with divisions that parts of different residue classes have in common, where these are others.
    plain: Option<Conjunction>,
    /// The constraints of [`Part::work`] over its own columns.
    pub(in crate::relation) system: System,
    /// The greatest coefficient of a local in an equality, or of an equality without unit coefficient; at least 1.
    /// Parts with strides can be adjacent although they are so far apart.
    pub(in crate::relation) stride: Int,
    /// The greatest [`slope`] of an equality.
    pub(super) slope: Int,
}

impl System {
    /// The system of some equalities and inequalities; `definitions` only enter the tableau.
    pub(in crate::relation) fn new(
        n_col: usize,
        eqs: &[Row],
        ineqs: &[Row],
        definitions: &[Row],
        budget: &Budget,
    ) -> Result<System> {
        let mut tableau = Tableau::new(n_col - 1);
        for eq in eqs {
            tableau.add_eq(eq, budget)?;
        }
        for row in ineqs.iter().chain(definitions) {
            tableau.add_ineq(row, budget)?;
        }
        Ok(System { n_col, constraints: constraints(eqs, ineqs), tableau })
    }

    /// The system of a conjunction with its tableau.
    fn with_tableau(c: &Conjunction, tableau: Tableau) -> System {
        System { n_col: c.n_col(), constraints: constraints(&c.eqs, &c.ineqs), tableau }
    }
}

fn constraints(eqs: &[Row], ineqs: &[Row]) -> Vec<Constraint> {
    let halves = eqs.iter().flat_map(|eq| [eq.clone(), row::negated(eq)]);
    let halves = halves.map(|row| Constraint { row, equality: true, derived: false });
    let whole = ineqs.iter().map(|row| Constraint { row: row.clone(), equality: false, derived: false });
    halves.chain(whole).collect()
}

impl Part {
    /// The conjunction with divisions that parts of different residue classes have in common.
    pub(in crate::relation) fn work(&self) -> &Conjunction {
        self.plain.as_ref().unwrap_or(&self.conjunction)
    }

    /// [`Part::work`] as a value.
    pub(in crate::relation) fn into_work(self) -> Conjunction {
        self.plain.unwrap_or(self.conjunction)
    }

    fn with_system(conjunction: Conjunction, plain: Option<Conjunction>, system: System) -> Part {
        let work = plain.as_ref().unwrap_or(&conjunction);
        let stride = stride(work);
        let base = work.space.n_col();
        let slope = work.eqs.iter().map(|eq| slope(eq, base)).max().unwrap_or_else(Int::one);
        Part { conjunction, plain, system, stride, slope }
    }

    /// Prepares a simplified conjunction; nothing if it has no integer point.
    pub(in crate::relation) fn new(mut conjunction: Conjunction, budget: &Budget) -> Result<Option<Part>> {
        loop {
            budget.spend(conjunction.weight())?;
            if conjunction.is_plainly_empty() {
                return Ok(None);
            }
            let base = conjunction.space.n_col();
            if tighten_by_equalities(&Solved::of(base, &conjunction.eqs), &mut conjunction.ineqs) {
                conjunction = conjunction.simplify();
                continue;
            }
            let mut plain = with_plain_strides(&conjunction);
            let work = plain.as_ref().unwrap_or(&conjunction);
            let mut rows = work.ineqs.clone();
            rows.extend(definitions(work, &Solved::of(base, &work.eqs)));
            let (mut tableau, unknowns) = lp::tableau_with_unknowns(work.n_col() - 1, &work.eqs, &rows, budget)?;
            if tableau.is_empty_rational() {
                return Ok(None);
            }
            let integral = tableau.sample().is_some_and(|point| point.iter().all(Rational::is_integer));
            if !integral && conjunction.is_empty(budget)? {
                return Ok(None);
            }
            let own = &unknowns[..work.ineqs.len().min(unknowns.len())];
            let zero = lp::always_zero(&mut tableau, own, budget)?;
            if zero.contains(&true) {
                let mut flags = zero.iter();
                let moved: Vec<Row> = conjunction.ineqs.extract_if(.., |_| flags.next() == Some(&true)).collect();
                conjunction.eqs.extend(moved);
                conjunction = conjunction.simplify();
                continue;
            }
            let mut redundant = vec![false; own.len()];
            for (k, &unknown) in own.iter().enumerate().rev() {
                redundant[k] = tableau.drop_if_redundant(unknown, budget)?;
            }
            if !redundant.contains(&true) {
                let system = System::with_tableau(work, tableau);
                return Ok(Some(Part::with_system(conjunction, plain, system)));
            }
            for c in [Some(&mut conjunction), plain.as_mut()].into_iter().flatten() {
                let mut flags = redundant.iter();
                c.ineqs.retain(|_| flags.next() != Some(&true));
            }
            if conjunction.n_local() > 0 {
                // A division may have lost its last use.
                conjunction = conjunction.simplify();
                plain = with_plain_strides(&conjunction);
            }
            let work = plain.as_ref().unwrap_or(&conjunction);
            let definitions = definitions(work, &Solved::of(base, &work.eqs));
            let system = System::new(work.n_col(), &work.eqs, &work.ineqs, &definitions, budget)?;
            return Ok(Some(Part::with_system(conjunction, plain, system)));
        }
    }
}

fn stride(work: &Conjunction) -> Int {
    let base = work.space.n_col();
    let of_row = |row: &Row| {
        let from = if row[1..base].iter().any(Int::is_unit) { base } else { 1 };
        row[from..].iter().map(Int::abs).max().unwrap_or_default()
    };
    work.eqs.iter().map(of_row).max().unwrap_or_default().max(Int::one())
}

/// The greatest coefficient of an equality, at least 1: points next to each other on the line `y = 2x` differ by 2 in
/// one dimension. Equalities with locals count as 1, as they are strides.
pub(super) fn slope(eq: &Row, base: usize) -> Int {
    let greatest = eq[1..base].iter().map(Int::abs).max().filter(|_| row::all_zero(&eq[base..]));
    greatest.unwrap_or_default().max(Int::one())
}

/// The conjunction with the constants of divisions removed where the equalities fix the residue class of the numerator:
/// `i = 2 floor((i + 1) / 2) - 1` becomes `i = 2 floor(i / 2) + 1`. Rows keep their order. Nothing if no division
/// changes.
pub(super) fn with_plain_strides(conjunction: &Conjunction) -> Option<Conjunction> {
    if conjunction.eqs.is_empty() || !conjunction.locals.iter().flatten().any(|div| !div.row[0].is_zero()) {
        return None;
    }
    let mut changed = false;
    let mut result = conjunction.clone();
    let base = result.space.n_col();
    let mut solved = Solved::of(base, &result.eqs);
    for k in 0..result.n_local() {
        let Some(mut div) = result.locals[k].take() else { continue };
        if !div.row[0].is_zero()
            && let Some((_, residue)) = multiple_of(&solved, &div.row, &div.den)
        {
            // numerator = den m + residue: floor((numerator - c) / den) = floor(numerator / den) - shift.
            let without = (&residue - &div.row[0]).div_floor(&div.den);
            let shift = residue.div_floor(&div.den) - without;
            div.row[0] = Int::zero();
            result.locals[k] = Some(div);
            let mut value = row::zeros(result.n_col());
            value[base + k] = Int::one();
            value[0] = shift;
            result.columns().substitute(base + k, &value);
            // The column stands for another division now.
            solved = Solved::of(base, &result.eqs);
            changed = true;
            continue;
        }
        result.locals[k] = Some(div);
    }
    changed.then_some(result)
}

/// Moves inequalities inwards to where the equalities allow integer points: `i = 4 q` turns `i <= 10` into `i <= 8`.
/// Whether anything changed.
fn tighten_by_equalities(solved: &Solved, rows: &mut [Row]) -> bool {
    if solved.is_empty() {
        return false;
    }
    let mut changed = false;
    for row in rows {
        let mut reduced = row.clone();
        let factor = solved.reduce(&mut reduced);
        let content = row::gcd(&reduced[1..]);
        if content.is_zero() || content.is_one() || !factor.is_one() {
            continue;
        }
        // Where the equalities hold, the row is congruent to the reduced constant modulo the content.
        let least = reduced[0].rem_floor(&content);
        changed |= !least.is_zero();
        row[0] -= least;
    }
    changed
}

/// The inequalities that define the divisions, moved inwards as far as the equalities allow.
fn definitions(c: &Conjunction, solved: &Solved) -> Vec<Row> {
    let mut rows: Vec<Row> = (0..c.n_local()).filter_map(|k| c.div_rows(k)).flatten().collect();
    tighten_by_equalities(solved, &mut rows);
    rows
}

/// If the equalities make a numerator `den m + residue` for an integer form `m` and a number `residue`, these two.
pub(in crate::relation) fn multiple_of(solved: &Solved, numerator: &Row, den: &Int) -> Option<(Row, Int)> {
    let mut row = numerator.clone();
    let factor = solved.reduce(&mut row);
    let modulus = den * &factor;
    if !row[1..].iter().all(|x| modulus.divides(x)) || !factor.divides(&row[0]) {
        return None;
    }
    let residue = row[0].div_exact(&factor);
    row[0] = Int::zero();
    row::div_exact(&mut row, &modulus);
    Some((row, residue))
}
