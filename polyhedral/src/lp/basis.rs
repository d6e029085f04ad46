//! Generalized basis reduction: a lattice direction in which a polytope is thin.
//!
//! For a polytope `P` and a basis `b1, ..., bn` of the lattice of integer forms, let
//!
//! ```text
//! F_i(v) = max { v*(x - y) : x, y in P, b_j*(x - y) = 0 for all j < i },
//! ```
//!
//! the width of `P` along `v` where the first forms are constant. The basis is reduced if for all `i` `F_i(b_{i+1} +
//! u*b_i) >= F_i(b_{i+1})` for all integers `u`, and `F_i(b_{i+1}) >= 3/4 * F_i(b_i)`. Then the width along `b1` is
//! within a factor that depends only on `n` of the least width along any form: if `P` contains no integer point, few
//! hyperplanes `b1*x = v` cut it.
//!
//! The best real `u` is a dual value: if `m(t)` is the minimum of `-v*z` under `b_i*z = t` then its slope at `t = 0`
//! is such an `u`, with `F_i(v + u*b_i) = F_{i+1}(v)`; as `F_i` is convex in `u`, the best integer is next to it. As
//! in the algorithm of Lenstra, Lenstra and Lovasz, two neighbours are exchanged if that makes the first shorter by a
//! constant factor, and the number of exchanges is bounded.
//!
//! Sources: L. Lovasz, H. E. Scarf, *The Generalized Basis Reduction Algorithm*, Math. of Operations Research 17(3),
//! 1992; W. Cook, T. Rutherford, H. E. Scarf, D. Shallcross, ORSA J. on Computing 5(2), 1993.

use super::system::System;
use super::tableau::{Snapshot, Tableau};
use super::{Optimum, Row};
use crate::arith::{Int, Rational, row};
use crate::budget::{Budget, Exhausted};

/// A primitive form along which the bounded, full-dimensional polytope of the inequalities is thin. Uses no equalities.
pub(super) fn thin_direction(system: &System, budget: &Budget) -> Result<Vec<Int>, Exhausted> {
    let n = system.n;
    let mut widths = Widths::new(system, budget)?;
    let mut basis: Vec<Vec<Int>> =
        (0..n).map(|i| (0..n).map(|j| if i == j { Int::one() } else { Int::zero() }).collect()).collect();
    // width[i] is F_i(b_i), valid up to the present level.
    let mut width = vec![Rational::zero(); n];
    width[0] = widths.along(&basis[0], budget)?;
    let mut i = 0;
    while i + 1 < n && width[0] >= Rational::from(1) {
        let (inner, slope) = widths.along_with_constant(&basis[i + 1], &basis[i], budget)?;
        let (down, up) = (slope.floor(), slope.ceil());
        let mut next = combine(&basis[i + 1], &down, &basis[i]);
        let mut next_width = widths.along(&next, budget)?;
        if down != up {
            let other = combine(&basis[i + 1], &up, &basis[i]);
            let other_width = widths.along(&other, budget)?;
            if other_width < next_width {
                (next, next_width) = (other, other_width);
            }
        }
        basis[i + 1] = next;
        if &Rational::from(4) * &next_width < &Rational::from(3) * &width[i] {
            basis.swap(i, i + 1);
            if i == 0 {
                width[0] = next_width;
            } else {
                i -= 1;
                widths.leave_level();
            }
        } else {
            widths.enter_level(&basis[i], budget)?;
            i += 1;
            width[i] = inner;
        }
    }
    Ok(basis.swap_remove(0))
}

/// `a + factor * b`
fn combine(a: &[Int], factor: &Int, b: &[Int]) -> Vec<Int> {
    a.iter()
        .zip(b)
        .map(|(x, y)| {
            let mut sum = x.clone();
            sum.add_mul(factor, y);
            sum
        })
        .collect()
}

/// The pairs of points of a polytope, as a tableau over `x` and `z = x - y`, with a stack of forms that are constant.
struct Widths {
    n: usize,
    tableau: Tableau,
    levels: Vec<Snapshot>,
}

impl Widths {
    fn new(system: &System, budget: &Budget) -> Result<Self, Exhausted> {
        let n = system.n;
        let mut tableau = Tableau::new(2 * n);
        for row in &system.ineqs {
            let mut first: Row = row.clone();
            first.resize(2 * n + 1, Int::zero());
            tableau.add_ineq(&first, budget)?;
            let mut second: Row = row.clone();
            second.extend(row[1..].iter().map(|x| -x));
            tableau.add_ineq(&second, budget)?;
        }
        Ok(Self { n, tableau, levels: Vec::new() })
    }

    /// The form on `z`, times `sign`, as a row.
    fn row(&self, form: &[Int], negate: bool) -> Row {
        let mut row = row::zeros(self.n + 1);
        row.extend(form.iter().map(|x| if negate { -x } else { x.clone() }));
        row
    }

    /// The width along a form at the present level.
    fn along(&mut self, form: &[Int], budget: &Budget) -> Result<Rational, Exhausted> {
        let row = self.row(form, true);
        Ok(width(&self.tableau.minimize(&row, budget)?))
    }

    /// The width along a form when one more form is constant, and the multiple of that form to add to reach the same
    /// width at the present level.
    fn along_with_constant(
        &mut self,
        form: &[Int],
        constant: &[Int],
        budget: &Budget,
    ) -> Result<(Rational, Rational), Exhausted> {
        let before = self.tableau.snapshot();
        let equality = self.tableau.equate(&self.row(constant, false), budget)?;
        let row = self.row(form, true);
        let (optimum, slope) = self.tableau.minimize_with_slope(&row, equality, budget)?;
        self.tableau.rollback(before);
        Ok((width(&optimum), slope))
    }

    fn enter_level(&mut self, constant: &[Int], budget: &Budget) -> Result<(), Exhausted> {
        self.levels.push(self.tableau.snapshot());
        let row = self.row(constant, false);
        self.tableau.add_eq(&row, budget)
    }

    fn leave_level(&mut self) {
        if let Some(level) = self.levels.pop() {
            self.tableau.rollback(level);
        }
    }
}

fn width(minimum: &Optimum) -> Rational {
    match minimum {
        Optimum::Bounded(value) => -value,
        Optimum::Empty | Optimum::Unbounded => {
            debug_assert!(false, "basis reduction needs a bounded set that is not empty");
            Rational::zero()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ineqs(rows: &[&[i64]]) -> System {
        let rows: Vec<Row> = rows.iter().map(|r| r.iter().map(|&x| x.into()).collect()).collect();
        System::new(rows[0].len() - 1, &[], &rows, false)
    }

    #[test]
    fn finds_the_thin_direction_of_a_sheared_rectangle() {
        // 34x - 21y in -10..=10 and 21x - 13y in -100000..=100000: a rectangle in the basis of these two forms, which
        // is unimodular (34*13 - 21*21 = 1). The polytope is a sliver in direction (13, 21), wide in x and in y.
        let system = ineqs(&[&[10, 34, -21], &[10, -34, 21], &[100_000, 21, -13], &[100_000, -21, 13]]);
        let direction = thin_direction(&system, &Budget::unlimited()).unwrap();
        assert!(direction == [34, -21] || direction == [-34, 21], "{direction:?}");
    }

    #[test]
    fn finds_a_thin_direction_that_is_no_constraint() {
        // The tetrahedron with the corners (0, 0, 0), (1, 0, 0), (0, 1, 0) and (1, 1, 97), stretched by 10: its width
        // along x is 10, along z 970.
        let system = ineqs(&[&[0, 97, 0, -1], &[0, 0, 97, -1], &[0, 0, 0, 1], &[970, -97, -97, 1]]);
        let direction = thin_direction(&system, &Budget::unlimited()).unwrap();
        assert!(direction[2].is_zero(), "{direction:?}");
    }

    #[test]
    fn a_budget_ends_the_reduction() {
        let system = ineqs(&[&[10, 34, -21], &[10, -34, 21], &[100_000, 21, -13], &[100_000, -21, 13]]);
        assert!(thin_direction(&system, &Budget::new(30)).is_err());
    }
}
