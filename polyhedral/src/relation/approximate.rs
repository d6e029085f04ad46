//! Approximations without integer divisions and existentials, from above and from below.
//!
//! From above the local variables are projected out over the rationals by the method of Fourier and Motzkin; every
//! combined row is rounded to integers, which loses no integer point. From below a division `q = floor(f / d)` is
//! replaced in every inequality by the end of its interval, `(f - d + 1) / d <= q <= f / d`, that makes the inequality
//! stronger. An equality that contains a division cannot be strengthened to one without, so such a conjunction has no
//! points left.

use std::collections::BTreeMap;

use crate::arith::{Int, Row, row};
use crate::budget::Budget;
use crate::error::Result;
use crate::lp;

use super::Relation;
use super::conjunction::Conjunction;
use super::existentials::shadows;
use super::solved::tighten;

/// With more rows than this redundant ones are looked for before the next variable is eliminated.
const MANY_ROWS: usize = 24;

impl Conjunction {
    /// The rational projection onto parameters and dimensions, as inequalities and equalities without locals.
    fn without_locals_above(&self, budget: &Budget) -> Result<Conjunction> {
        let base = self.space.n_col();
        let mut eqs = self.eqs.clone();
        let mut ineqs = self.solver_ineqs();
        for column in (base..self.n_col()).rev() {
            budget.spend(self.weight() + (eqs.len() + ineqs.len()) as u64)?;
            let uses = |r: &Row| !r[column].is_zero();
            let smallest = (0..eqs.len()).filter(|&r| uses(&eqs[r])).min_by_key(|&r| eqs[r][column].abs());
            if let Some(r) = smallest {
                // The equality says what the local is; multiplied rows keep their sign.
                let mut pivot = eqs.swap_remove(r);
                if pivot[column].is_negative() {
                    pivot = row::negated(&pivot);
                }
                for row in eqs.iter_mut().chain(&mut ineqs).filter(|row| uses(row)) {
                    let g = row[column].gcd(&pivot[column]);
                    let multiple = -row[column].div_exact(&g);
                    row::scale(row, &pivot[column].div_exact(&g));
                    row::add_scaled(row, &multiple, &pivot);
                }
                continue;
            }
            let (with, mut rest): (Vec<Row>, Vec<Row>) = ineqs.into_iter().partition(uses);
            let (lower, upper): (Vec<Row>, Vec<Row>) = with.into_iter().partition(|r| r[column].is_positive());
            budget.spend((lower.len() * upper.len()) as u64)?;
            for low in &lower {
                rest.extend(upper.iter().map(|up| shadows(low, up, column).0));
            }
            ineqs = strongest(rest);
            if ineqs.len() > MANY_ROWS {
                let redundant = lp::redundant_ineqs(self.n_col() - 1, &eqs, &ineqs, budget)?;
                let mut flags = redundant.iter();
                ineqs.retain(|_| flags.next() != Some(&true));
            }
        }
        for row in eqs.iter_mut().chain(&mut ineqs) {
            row.truncate(base);
        }
        Ok(Conjunction { eqs, ineqs, ..Conjunction::universe(self.space.clone()) }.simplify())
    }

    /// A subset without divisions; nothing if an equality contains a division. The conjunction has no existentials.
    fn without_divs_below(&self) -> Option<Conjunction> {
        let base = self.space.n_col();
        if self.eqs.iter().any(|r| !row::all_zero(&r[base..])) {
            return None;
        }
        let mut ineqs = self.ineqs.clone();
        for (k, local) in self.locals.iter().enumerate().rev() {
            let div = local.as_ref()?;
            let column = base + k;
            for row in &mut ineqs {
                let factor = std::mem::take(&mut row[column]);
                if factor.is_zero() {
                    continue;
                }
                row::scale(row, &div.den);
                row::add_scaled(row, &factor, &div.row);
                if factor.is_positive() {
                    row[0] -= &factor * (&div.den - 1);
                }
            }
        }
        let cut = |rows: &[Row]| -> Vec<Row> { rows.iter().map(|r| Row::from(&r[..base])).collect() };
        Some(
            Conjunction { eqs: cut(&self.eqs), ineqs: cut(&ineqs), ..Conjunction::universe(self.space.clone()) }
                .simplify(),
        )
    }
}

/// Of parallel inequalities the strongest, all divided by their content and rounded to integers.
fn strongest(rows: Vec<Row>) -> Vec<Row> {
    let mut best: BTreeMap<Row, Int> = BTreeMap::new();
    for mut row in rows {
        tighten(&mut row);
        let constant = std::mem::take(&mut row[0]);
        let entry = best.entry(row).or_insert_with(|| constant.clone());
        if constant < *entry {
            *entry = constant;
        }
    }
    let join = |(mut row, constant): (Row, Int)| {
        row[0] = constant;
        row
    };
    best.into_iter().map(join).collect()
}

impl Relation {
    pub(crate) fn overapproximate_divs(&self, budget: &Budget) -> Result<Relation> {
        let mut result = Relation::empty(self.space.clone());
        for part in self.parts() {
            result.push(part.without_locals_above(budget)?);
        }
        Ok(result)
    }

    pub(crate) fn underapproximate_divs(&self, budget: &Budget) -> Result<Relation> {
        let explicit = self.make_divs_explicit(budget)?;
        let mut result = Relation::empty(self.space.clone());
        for part in explicit.parts() {
            budget.spend(part.weight())?;
            if let Some(part) = part.without_divs_below() {
                result.push(part);
            }
        }
        Ok(result)
    }
}
