//! [`Solved`]: equalities in Gauss-Jordan form, to rewrite other rows modulo them.
//!
//! Every equality has a pivot column with a positive coefficient that no other equality uses. Reducing a row removes
//! the pivot columns from it by adding multiples of the equalities; where a pivot coefficient is not one, the row is
//! first multiplied by a positive factor, which the caller learns. Nothing here depends on the meaning of the columns
//! except the choice of pivots: unit coefficients first, columns of the space before locals.

use crate::arith::{Int, Row, row};

/// Equalities with one pivot column each; see the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Solved {
    /// The number of columns before the locals.
    base: usize,
    pivots: Vec<(usize, Row)>,
}

impl Solved {
    /// No equalities.
    pub(super) fn new(base: usize) -> Solved {
        Solved { base, pivots: Vec::new() }
    }

    /// The form of some equalities. An inconsistent equality is left out: it constrains no column.
    pub(super) fn of<'a>(base: usize, eqs: impl IntoIterator<Item = &'a Row>) -> Solved {
        let mut result = Solved::new(base);
        eqs.into_iter().for_each(|eq| result.add(eq));
        result
    }

    /// Whether there is no equality.
    pub(super) fn is_empty(&self) -> bool {
        self.pivots.is_empty()
    }

    /// The equalities, each without content.
    pub(super) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.pivots.iter().map(|(_, row)| row)
    }

    /// Adds an equality, unless it follows from the others or constrains no column.
    pub(super) fn add(&mut self, eq: &Row) {
        let mut eq = eq.clone();
        self.reduce(&mut eq);
        let g = row::gcd(&eq[1..]);
        if g.is_zero() {
            return;
        }
        let content = g.gcd(&eq[0]);
        row::div_exact(&mut eq, &content);
        let rank = |c: usize| (!eq[c].is_unit(), c >= self.base, eq[c].abs(), usize::MAX - c);
        let Some(pivot) = (1..eq.len()).filter(|&c| !eq[c].is_zero()).min_by_key(|&c| rank(c)) else { return };
        if eq[pivot].is_negative() {
            eq = row::negated(&eq);
        }
        for (_, other) in &mut self.pivots {
            reduce_by(other, pivot, &eq);
            let g = row::gcd(other);
            row::div_exact(other, &g);
        }
        self.pivots.push((pivot, eq));
    }

    /// Removes the pivot columns from a row; the row is multiplied by the returned positive factor first.
    pub(super) fn reduce(&self, row: &mut [Int]) -> Int {
        let mut factor = Int::one();
        for (pivot, eq) in &self.pivots {
            factor *= &reduce_by(row, *pivot, eq);
        }
        factor
    }

    /// The inequality `row >= 0` modulo the equalities: without pivot columns, divided by its content and rounded to
    /// integers. Equivalent where the equalities hold.
    pub(super) fn tightened(&self, row: &Row) -> Row {
        let mut row = row.clone();
        self.reduce(&mut row);
        tighten(&mut row);
        row
    }
}

/// Divides an inequality by the content of its coefficients and rounds the constant down.
pub(super) fn tighten(row: &mut [Int]) {
    let g = row::gcd(&row[1..]);
    if !g.is_zero() && !g.is_one() {
        row[0] = row[0].div_floor(&g);
        row::div_exact(&mut row[1..], &g);
    }
}

/// Removes one column, where `eq` has a positive coefficient; returns the positive factor.
fn reduce_by(row: &mut [Int], pivot: usize, eq: &[Int]) -> Int {
    if row[pivot].is_zero() {
        return Int::one();
    }
    let p = &eq[pivot];
    let g = row[pivot].gcd(p);
    let factor = p.div_exact(&g);
    let multiple = -row[pivot].div_exact(&g);
    row::scale(row, &factor);
    row::add_scaled(row, &multiple, eq);
    factor
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(entries: &[i64]) -> Row {
        entries.iter().map(|&x| Int::from(x)).collect()
    }

    #[test]
    fn rewrites_modulo_equalities() {
        // 2x = 3y + 1 and z = x + 4.
        let solved = Solved::of(4, &[row(&[-1, 2, -3, 0]), row(&[4, 1, 0, -1])]);
        assert_eq!(solved.rows().count(), 2);
        let mut form = row(&[0, 1, 0, 1]);
        let factor = solved.reduce(&mut form);
        // x + z at x = 5, y = 3, z = 9 is 14.
        assert_eq!(row::eval(&form, &[5.into(), 3.into(), 9.into()]), &Int::from(14) * &factor);
        assert_eq!(form.iter().skip(1).filter(|x| !x.is_zero()).count(), 1);
        // x = 4q: x <= 10 is q <= 2.
        let solved = Solved::of(2, &[row(&[0, 1, -4])]);
        assert_eq!(solved.tightened(&row(&[10, -1, 0])), row(&[2, 0, -1]));
    }
}
