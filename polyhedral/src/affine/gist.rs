//! Simplification of expressions in a context.
//!
//! Two facts are used, both exact on the points of the context:
//! - an equality of the context expresses one dimension by others;
//! - a division `floor(e / d)` whose value is the same at all points of the context is that constant.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::lp::IntOptimum;
use crate::relation::{self, Row, Set};
use crate::space::{DimKind, Space};

use super::Aff;

impl Aff {
    /// An expression with the same values at the points of `context`, with fewer dimensions and divisions where
    /// equalities and bounds of the context allow it. Exact. Cost: two integer programs per division.
    pub fn gist(&self, context: &Set, budget: &Budget) -> Result<Aff> {
        if !self.space().has_equal_tuples(context.space()) {
            return Err(relation::mismatch("simplify in a context", self.space(), context.space()));
        }
        let mut result = self.align_params(&self.space().align_params(context.space()));
        let context = context.align_params(result.space());
        if context.is_plainly_universe() || context.is_plainly_empty() {
            return Ok(result);
        }
        let mut pos = 0;
        while pos < result.divs().len() {
            let before = result.divs().len();
            result = result.without_constant_div(pos, &context, budget)?;
            pos += usize::from(result.divs().len() >= before);
        }
        let hull;
        let equalities = match context.conjunctions() {
            [only] => only.eqs(),
            _ => {
                hull = context.overapproximate_hull(budget)?;
                hull.conjunctions().first().map_or(&[][..], |c| c.eqs())
            }
        };
        let n = result.space().n_col();
        for eq in equalities.iter().filter(|eq| relation::all_zero(&eq[n.min(eq.len())..])) {
            result = result.without_last_column_of(&eq[..n]);
        }
        Ok(result)
    }

    /// Replaces division `pos` by its value if that is the same at all points.
    fn without_constant_div(&self, pos: usize, context: &Set, budget: &Budget) -> Result<Aff> {
        let column = self.space().n_col() + pos;
        let mut row = relation::zeros(column);
        row.push(Int::one());
        let value = Aff::from_parts(
            self.space().clone(),
            self.divs()[..=pos].iter().map(|d| trimmed(d, column + 1)).collect(),
            row,
            Int::one(),
        );
        let (IntOptimum::Bounded(least), IntOptimum::Bounded(greatest)) =
            (context.min_aff(&value, budget)?, context.max_aff(&value, budget)?)
        else {
            return Ok(self.clone());
        };
        if least != greatest {
            return Ok(self.clone());
        }
        let mut constant = relation::zeros(self.row.len());
        constant[0] = least;
        Ok(self.substituted(column, &constant, &Int::one()))
    }

    /// Removes the last column that an equality uses, a dimension or parameter, by means of the equality.
    fn without_last_column_of(&self, eq: &[Int]) -> Aff {
        let Some(column) = (1..eq.len()).rev().find(|&c| !eq[c].is_zero()) else { return self.clone() };
        let sign = Int::from(if eq[column].is_positive() { -1 } else { 1 });
        let mut value = relation::zeros(self.row.len());
        relation::add_scaled(&mut value, &sign, eq);
        let den = -std::mem::take(&mut value[column]);
        self.substituted(column, &value, &den)
    }

    /// The expression with the variable of a column replaced by `value / den`.
    fn substituted(&self, column: usize, value: &[Int], den: &Int) -> Aff {
        let replace = |row: &Row, row_den: &Int| -> (Row, Int) {
            let mut row = row.clone();
            let factor = std::mem::take(&mut row[column]);
            if factor.is_zero() {
                return (row, row_den.clone());
            }
            relation::scale(&mut row, den);
            relation::add_scaled(&mut row, &factor, value);
            (row, row_den * den)
        };
        let divs = self.divs.iter().map(|d| {
            let (row, den) = replace(&d.row, &d.den);
            relation::Div { row, den }
        });
        let (row, row_den) = replace(&self.row, &self.den);
        Aff::from_parts(self.space.clone(), divs.collect(), row, row_den)
    }

    /// The same expression as one over another space of arguments, if it uses only parameters.
    pub fn on_params(&self) -> Result<Aff> {
        let n = self.space().dim(DimKind::Out);
        let bare = if n > 0 { self.drop_dims(DimKind::Out, 0, n)? } else { self.clone() };
        let space: Space = bare.space().params_space();
        let map: Vec<Option<usize>> = (0..space.n_col()).map(Some).collect();
        Ok(bare.remap_columns(space, &map))
    }
}

/// A division over the first `n` columns.
fn trimmed(div: &relation::Div, n: usize) -> relation::Div {
    relation::Div { row: div.row.iter().take(n).cloned().collect(), den: div.den.clone() }
}
