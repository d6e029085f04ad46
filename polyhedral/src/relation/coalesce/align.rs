//! Two parts over common integer divisions.
//!
//! A division that only one part has is determined in the other one, too: as a function where the equalities there make
//! its numerator a multiple of the denominator (up to a constant); as a division of that part plus or minus a form
//! where they make the numerators, or one and the negated other, differ by such a multiple; otherwise between its least
//! and greatest value. What is found is added to the system of the other part as *derived* constraints.

use crate::arith::{Int, Rational, Row, row};
use crate::budget::Budget;
use crate::error::Result;
use crate::lp::Optimum;
use crate::space::Space;

use super::super::conjunction::{Conjunction, Div};
use super::super::solved::Solved;
use super::part::{Constraint, Part, System, multiple_of};

/// The common divisions of two parts.
pub(in crate::relation) struct Common {
    pub(in crate::relation) space: Space,
    /// The number of columns before the divisions.
    pub(super) base: usize,
    pub(in crate::relation) divs: Vec<Div>,
    /// The inequalities that define them, and some that follow from these over the integers.
    pub(in crate::relation) definitions: Vec<Row>,
}

/// Two systems over common divisions.
pub(super) struct Aligned {
    pub(super) common: Common,
    pub(super) a: System,
    pub(super) b: System,
}

impl Common {
    /// The number of columns.
    pub(in crate::relation) fn n_col(&self) -> usize {
        self.base + self.divs.len()
    }

    /// The divisions of one part.
    pub(super) fn of(part: &Conjunction) -> Common {
        let mut common = Common::over(&part.space);
        common.extend(part);
        common.define();
        common
    }

    fn over(space: &Space) -> Common {
        Common { space: space.clone(), base: space.n_col(), divs: Vec::new(), definitions: Vec::new() }
    }

    /// Adds the known divisions of a part; returns where its local columns went (existentials behind all divisions).
    fn extend(&mut self, part: &Conjunction) -> Vec<usize> {
        let mut map: Vec<usize> = (0..self.base).collect();
        for local in part.locals.iter().flatten() {
            // A known division uses only earlier ones.
            let row = row::remap(&local.row[..map.len()], &map, self.n_col());
            map.push(self.add(Div { row, den: local.den.clone() }));
        }
        map
    }

    /// The column of a division over the present columns, which is added if it is new.
    fn add(&mut self, mut div: Div) -> usize {
        let same = |old: &Div| {
            let n = old.row.len().min(div.row.len());
            old.den == div.den
                && old.row[..n] == div.row[..n]
                && row::all_zero(&old.row[n..])
                && row::all_zero(&div.row[n..])
        };
        if let Some(k) = self.divs.iter().position(same) {
            return self.base + k;
        }
        div.row.resize(self.n_col(), Int::zero());
        self.divs.push(div);
        self.n_col() - 1
    }

    /// Brings all rows to the final number of columns and lists the definitions.
    fn define(&mut self) {
        let n = self.n_col();
        for (k, div) in self.divs.iter_mut().enumerate() {
            div.row.resize(n, Int::zero());
            let mut lower = div.row.clone();
            lower[self.base + k] -= &div.den;
            let mut upper = row::negated(&lower);
            upper[0] += &div.den - 1;
            self.definitions.extend([lower, upper]);
        }
        // floor((f + c) / d) - floor((f + b) / d) lies between floor((c - b) / d) and that plus one.
        for (l, div) in self.divs.iter().enumerate() {
            for (k, other) in self.divs[..l].iter().enumerate() {
                if div.den != other.den || div.row[1..] != other.row[1..] {
                    continue;
                }
                let mut lower = row::zeros(n);
                lower[self.base + l] = Int::one();
                lower[self.base + k] = Int::from(-1);
                lower[0] = -(&div.row[0] - &other.row[0]).div_floor(&div.den);
                let mut upper = row::negated(&lower);
                upper[0] += 1;
                self.definitions.extend([lower, upper]);
            }
        }
    }

    /// A part over the common columns.
    fn system(&self, part: &Conjunction, map: &[usize], budget: &Budget) -> Result<System> {
        let known = map.len() - self.base;
        let unknown = part.locals.len() - known;
        let n = self.n_col() + unknown;
        let mut full = map.to_vec();
        full.extend((0..unknown).map(|k| self.n_col() + k));
        let rows = |rows: &[Row]| rows.iter().map(|r| row::remap(r, &full, n)).collect::<Vec<Row>>();
        let (eqs, ineqs) = (rows(&part.eqs), rows(&part.ineqs));
        let padded: Vec<Row> = self.definitions.iter().map(|r| widened(r, n)).collect();
        budget.spend((eqs.len() + ineqs.len() + padded.len()) as u64)?;
        let mut system = System::new(n, &eqs, &ineqs, &padded, budget)?;
        let mut solved = Solved::of(self.base, &eqs);
        for k in 0..self.divs.len() {
            let column = self.base + k;
            if !map[self.base..].contains(&column) {
                self.determine(k, &map[self.base..], &mut system, &mut solved, budget)?;
            }
        }
        Ok(system)
    }

    /// Adds what the system, with divisions in the columns `own`, implies about one that it does not contain.
    fn determine(
        &self,
        k: usize,
        own: &[usize],
        system: &mut System,
        solved: &mut Solved,
        budget: &Budget,
    ) -> Result<()> {
        let n = system.n_col;
        let div = &self.divs[k];
        let column = self.base + k;
        if let Some((mut value, residue)) = multiple_of(solved, &widened(&div.row, n), &div.den) {
            value[0] = residue.div_floor(&div.den);
            value[column] -= 1;
            solved.add(&value);
            return system.derive_equality(value, budget);
        }
        for &l in own {
            if self.divs[l - self.base].den == div.den
                && let Some(eq) = self.relate(k, l, system, solved, budget)?
            {
                solved.add(&eq);
                return system.derive_equality(eq, budget);
            }
        }
        let mut form = row::zeros(n);
        form[column] = Int::one();
        let low = system.tableau.minimize(&form, budget)?;
        form[column] = Int::from(-1);
        let high = system.tableau.minimize(&form, budget)?;
        let integral = |bound: &Optimum| match bound {
            Optimum::Bounded(value) => Some((value.ceil(), value.is_integer())),
            _ => None,
        };
        let (low, high) = (integral(&low), integral(&high));
        if let (Some((low, _)), Some((high, _))) = (&low, &high)
            && *low == -high
        {
            form[0] = low.clone();
            return system.derive_equality(form, budget);
        }
        for (bound, sign) in [(low, 1), (high, -1)] {
            if let Some((value, false)) = bound {
                form[column] = Int::from(sign);
                form[0] = -value;
                system.tableau.add_ineq(&form, budget)?;
            }
        }
        Ok(())
    }
}

impl Common {
    /// An equality between division `k` and the one in column `l` with the same denominator, where the system has one.
    fn relate(&self, k: usize, l: usize, system: &mut System, solved: &Solved, budget: &Budget) -> Result<Option<Row>> {
        let (div, other) = (&self.divs[k], &self.divs[l - self.base]);
        for sign in [1, -1] {
            let mut numerator = widened(&div.row, system.n_col);
            row::add_scaled(&mut numerator, &Int::from(-sign), &widened(&other.row, system.n_col));
            let Some((mut form, residue)) = multiple_of(solved, &numerator, &div.den) else { continue };
            // q - q' - m is floor(residue / d) or one more, q + q' - m is that or one less.
            let rest = residue.rem_floor(&div.den);
            let (single, least) = if sign == 1 {
                (rest.is_zero(), residue.div_floor(&div.den))
            } else {
                let single = rest == &div.den - 1;
                (single, residue.div_floor(&div.den) - i64::from(!single))
            };
            form = row::negated(&form);
            form[self.base + k] += 1;
            form[l] -= sign;
            form[0] = -least;
            if single || is_below_one(system, &form, budget)? {
                return Ok(Some(form));
            }
            form = row::negated(&form);
            form[0] += 1;
            if is_below_one(system, &form, budget)? {
                return Ok(Some(form));
            }
        }
        Ok(None)
    }
}

/// Whether an integer form is at most zero: less than one over the rationals.
fn is_below_one(system: &mut System, form: &Row, budget: &Budget) -> Result<bool> {
    let least = system.tableau.minimize(&row::negated(form), budget)?;
    Ok(matches!(least, Optimum::Bounded(value) if value > Rational::from(Int::from(-1))))
}

impl System {
    fn derive_equality(&mut self, eq: Row, budget: &Budget) -> Result<()> {
        self.tableau.add_eq(&eq, budget)?;
        for row in [eq.clone(), row::negated(&eq)] {
            self.constraints.push(Constraint { row, equality: true, derived: true });
        }
        Ok(())
    }
}

/// A row with zeros appended.
pub(super) fn widened(row: &Row, n: usize) -> Row {
    let mut row = row.clone();
    row.resize(n, Int::zero());
    row
}

/// Both parts over the divisions of both and the given additional ones.
pub(super) fn align(a: &Part, b: &Part, additional: &[Div], budget: &Budget) -> Result<Aligned> {
    let (changed_a, changed_b) = (with_divisions_like(a.work(), b.work()), with_divisions_like(b.work(), a.work()));
    let (a, b) = (changed_a.as_ref().unwrap_or(a.work()), changed_b.as_ref().unwrap_or(b.work()));
    let (common, systems) = align_all(&[a, b], additional, budget)?;
    let mut systems = systems.into_iter();
    match (systems.next(), systems.next()) {
        (Some(a), Some(b)) => Ok(Aligned { common, a, b }),
        _ => unreachable!("one system per conjunction"),
    }
}

/// Simplified conjunctions in one space over the divisions of all and the given additional ones.
pub(in crate::relation) fn align_all(
    parts: &[&Conjunction],
    additional: &[Div],
    budget: &Budget,
) -> Result<(Common, Vec<System>)> {
    let space = parts.first().map_or_else(|| Space::params::<&str>(&[]), |p| p.space.clone());
    let mut common = Common::over(&space);
    let maps: Vec<Vec<usize>> = parts.iter().map(|p| common.extend(p)).collect();
    for div in additional {
        common.add(div.clone());
    }
    common.define();
    let systems = parts.iter().zip(&maps).map(|(part, map)| common.system(part, map, budget)).collect::<Result<_>>()?;
    Ok((common, systems))
}

/// A part whose equalities fix the residue class of the numerator of a division `floor(f / d)` can use any other
/// division `floor((f + c) / d)` instead. This uses that of the other part, if the other part has only that.
fn with_divisions_like(own: &Conjunction, other: &Conjunction) -> Option<Conjunction> {
    let base = own.space.n_col();
    let simple = |d: &&Div| row::all_zero(&d.row[base..]);
    let mut result: Option<Conjunction> = None;
    for (k, div) in own.locals.iter().enumerate() {
        let Some(div) = div.as_ref().filter(simple) else { continue };
        let same = |d: &&Div| d.den == div.den && d.row[1..base] == div.row[1..base];
        let mut candidates = other.locals.iter().flatten().filter(simple).filter(same);
        let Some(model) = candidates.next().filter(|d| d.row[0] != div.row[0]) else { continue };
        if candidates.next().is_some() {
            continue;
        }
        let Some((_, residue)) = multiple_of(&Solved::of(base, &own.eqs), &div.row, &div.den) else { continue };
        let moved = &residue - &div.row[0] + &model.row[0];
        let mut value = row::zeros(own.n_col());
        value[0] = residue.div_floor(&div.den) - moved.div_floor(&div.den);
        value[base + k] = Int::one();
        let c = result.get_or_insert_with(|| own.clone());
        let mut changed = div.clone();
        changed.row[0] = model.row[0].clone();
        c.locals[k] = None;
        c.columns().substitute(base + k, &value);
        c.locals[k] = Some(changed);
    }
    result
}

/// For parts that confine one form `f` to different residue classes modulo `d`: the divisions `floor((f - r) / g)` by
/// the greatest common divisor `g` of `d` and the difference of the residues, where `r` is the common residue modulo
/// `g`. With them both parts have the equality `f = g floor((f - r) / g) + r`, which [`Aligned::add_residues`] adds.
pub(super) fn common_residues(a: &Part, b: &Part) -> Vec<Div> {
    let mut result = Vec::new();
    let base = a.work().space.n_col();
    let solved: Vec<Solved> = [a, b].iter().map(|p| Solved::of(base, &p.work().eqs)).collect();
    for div in a.work().locals.iter().flatten() {
        if !row::all_zero(&div.row[base..])
            || !b.work().locals.iter().flatten().any(|d| d.den == div.den && d.row[..base] == div.row[..base])
        {
            continue;
        }
        let form = &div.row[..base];
        let class = |part: &Part, solved: &Solved| {
            let mut row: Row = form.iter().cloned().collect();
            row.resize(part.work().n_col(), Int::zero());
            multiple_of(solved, &row, &div.den).map(|(_, residue)| residue)
        };
        let (Some(r), Some(s)) = (class(a, &solved[0]), class(b, &solved[1])) else { continue };
        let g = div.den.gcd(&(&r - &s));
        if g.is_one() || g == div.den {
            continue;
        }
        let mut row: Row = form.iter().cloned().collect();
        row[0] -= r.rem_floor(&g);
        if !result.iter().any(|d: &Div| d.den == g && d.row == row) {
            result.push(Div { row, den: g });
        }
    }
    result
}

impl Aligned {
    /// Rewrites the constraints of both systems modulo the equalities that hold in both, and rounds them to integers:
    /// where `i = 4 q` in both, `i <= 8` becomes `q <= 2`. Equalities with a unit coefficient and without locals are used
    /// only for `sloped` lines: where `y = 2x` in both, `y = 10` becomes `x = 5`.
    pub(super) fn rewrite_by_common_equalities(&mut self, sloped: bool, budget: &Budget) -> Result<()> {
        let mut solved = Solved::new(self.common.base);
        let base = self.common.base;
        let candidates = |system: &System| -> Vec<Row> {
            let strided = |row: &Row| !row::all_zero(&row[base..]) || !row[1..base].iter().any(Int::is_unit);
            let halves = system.constraints.iter().filter(|c| c.equality).step_by(2);
            halves.filter(|c| sloped || strided(&c.row)).map(|c| c.row.clone()).collect()
        };
        let (of_a, of_b) = (candidates(&self.a), candidates(&self.b));
        for (rows, other) in [(of_a, &mut self.b), (of_b, &mut self.a)] {
            for row in rows {
                if other.tableau.is_implied_eq(&row, budget)? {
                    solved.add(&row);
                }
            }
        }
        if solved.is_empty() {
            return Ok(());
        }
        for system in [&mut self.a, &mut self.b] {
            for c in &mut system.constraints {
                let row = solved.tightened(&c.row);
                if !row::all_zero(&row[1..]) && row != c.row {
                    budget.spend(1)?;
                    system.tableau.add_ineq(&row, budget)?;
                    c.row = row;
                }
            }
        }
        Ok(())
    }

    /// Adds to both systems that the numerators of these divisions are multiples of the denominators.
    pub(super) fn add_residues(&mut self, divs: &[Div], budget: &Budget) -> Result<()> {
        for div in divs {
            let Some(k) = self.common.divs.iter().position(|d| {
                d.den == div.den && d.row[..div.row.len()] == *div.row && row::all_zero(&d.row[div.row.len()..])
            }) else {
                continue;
            };
            for system in [&mut self.a, &mut self.b] {
                let mut eq = widened(&div.row, system.n_col);
                eq[self.common.base + k] -= &div.den;
                system.derive_equality(eq, budget)?;
            }
        }
        Ok(())
    }
}

/// The ceiling of the least value of a form, if it has one.
pub(in crate::relation) fn least(system: &mut System, row: &Row, budget: &Budget) -> Result<Option<Int>> {
    let row = widened(row, system.n_col);
    Ok(match system.tableau.minimize(&row, budget)? {
        Optimum::Bounded(value) => Some(Rational::ceil(&value)),
        _ => None,
    })
}
