//! [`Tableau`]: the lexicographic minimum of non-negative unknowns under linear constraints, one constraint after the
//! other.
//!
//! # The question
//!
//! There are *unknowns* `u_0, u_1, ...`, none of them negative. Some are *defined*: affine functions of the others,
//! with coefficients that make every free unknown raise the first defined unknown it occurs in (if any precedes it).
//! Wanted is the lexicographically least vector of all unknowns, rational or integral, under constraints `row = 0` and
//! `row >= 0`.
//!
//! # Method
//!
//! Every unknown owns a row or a column. A row holds `[d | k | a_1 .. a_n]`: its owner is `(k + sum a_j c_j) / d` where
//! `c_j` are the owners of the columns, all zero at the present point. Invariant: read along the unknowns in their
//! order, every column is lexicographically positive. So the present point is the least of all points that satisfy the
//! constraints whose rows are not negative, and adding a constraint that is violated takes a few steps of the dual
//! simplex method.
//! - A slack row without negative entries is implied by the others for ever and is dropped.
//! - An equality takes one step, after which its column is zero for ever and is dropped: equalities make the tableau
//!   smaller.
//! - A solution that is not integral is cut off by Gomory cuts on the first unknown that has a fraction, until there is
//!   none.
//!
//! Values may be copied to come back to an earlier state.
//!
//! Sources: P. Feautrier, *Parametric Integer Programming*, 1988 (without its parameters); R. Gomory, *An Algorithm for
//! Integer Solutions to Linear Programs*, 1963; S. Verdoolaege, G. Janssens, *Scheduling for PPCG*, 2017, section 6.5.

use std::cmp::Ordering;

use crate::arith::Int;
use crate::budget::Budget;

use super::number::{Number, Stop};

/// A linear form: the constant and the coefficients of some unknowns.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Linear {
    pub(super) constant: Int,
    /// Unknowns and coefficients; an unknown may occur more than once.
    pub(super) terms: Vec<(usize, Int)>,
}

impl Linear {
    pub(super) fn new(constant: i64) -> Linear {
        Linear { constant: Int::from(constant), terms: Vec::new() }
    }

    /// Adds a multiple of an unknown.
    pub(super) fn add(&mut self, unknown: usize, coefficient: Int) {
        if !coefficient.is_zero() {
            self.terms.push((unknown, coefficient));
        }
    }

    /// The negated form.
    pub(super) fn negated(&self) -> Linear {
        Linear { constant: -&self.constant, terms: self.terms.iter().map(|(u, c)| (*u, -c)).collect() }
    }
}

/// Where an unknown is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowOrColumn {
    Row(usize),
    Column(usize),
    /// Zero in all points that are left.
    Zero,
}

/// The owner of a row or column that is no unknown but a slack.
pub(super) const SLACK: usize = usize::MAX;
pub(super) const DEN: usize = 0;
pub(super) const CONST: usize = 1;
pub(super) const FIRST: usize = 2;

/// A tableau; see the module documentation.
#[derive(Clone)]
pub(super) struct Tableau<N> {
    pub(super) data: Vec<N>,
    /// The distance between rows in `data`.
    pub(super) stride: usize,
    /// The columns in use.
    pub(super) n_col: usize,
    pub(super) place: Vec<RowOrColumn>,
    pub(super) row_owner: Vec<usize>,
    pub(super) col_owner: Vec<usize>,
    /// The constraints contradict each other.
    infeasible: bool,
}

impl<N: Number> Tableau<N> {
    /// The tableau of `n` unknowns, some of which are defined by the others.
    pub(super) fn new(n: usize, definitions: &[(usize, Linear)]) -> Result<Tableau<N>, Stop> {
        let mut place = vec![RowOrColumn::Zero; n];
        for (row, (unknown, _)) in definitions.iter().enumerate() {
            place[*unknown] = RowOrColumn::Row(row);
        }
        let mut col_owner = Vec::new();
        for (unknown, place) in place.iter_mut().enumerate() {
            if *place == RowOrColumn::Zero {
                *place = RowOrColumn::Column(col_owner.len());
                col_owner.push(unknown);
            }
        }
        let n_col = col_owner.len();
        let stride = FIRST + n_col;
        let (data, row_owner) = (Vec::new(), Vec::new());
        let mut tableau = Tableau { data, stride, n_col, place, row_owner, col_owner, infeasible: false };
        for (unknown, form) in definitions {
            let entries = tableau.expressed(form)?;
            tableau.data.extend(entries);
            tableau.row_owner.push(*unknown);
        }
        Ok(tableau)
    }

    pub(super) fn n_row(&self) -> usize {
        self.row_owner.len()
    }

    pub(super) fn row(&self, r: usize) -> &[N] {
        &self.data[r * self.stride..r * self.stride + FIRST + self.n_col]
    }

    pub(super) fn at(&self, r: usize, p: usize) -> &N {
        &self.data[r * self.stride + p]
    }

    /// The cost of a pass over the whole tableau, in budget units.
    pub(super) fn weight(&self) -> u64 {
        (self.n_row() * (1 + self.n_col / 16)) as u64
    }

    /// A linear form of unknowns in terms of the columns.
    fn expressed(&self, form: &Linear) -> Result<Vec<N>, Stop> {
        let mut den = N::one();
        for (u, _) in &form.terms {
            if let RowOrColumn::Row(r) = self.place[*u] {
                let d = self.at(r, DEN);
                if !d.is_one() {
                    den = den.times(&d.exact_quotient(&den.gcd(d)))?;
                }
            }
        }
        let mut entries = vec![N::zero(); self.stride];
        entries[DEN] = den.clone();
        entries[CONST] = N::import(&form.constant)?.times(&den)?;
        for (u, c) in &form.terms {
            let c = N::import(c)?;
            match self.place[*u] {
                RowOrColumn::Zero => {}
                RowOrColumn::Column(j) => {
                    entries[FIRST + j] = entries[FIRST + j].combined(&N::one(), &c, &den)?;
                }
                RowOrColumn::Row(r) => {
                    let factor = c.times(&den.exact_quotient(self.at(r, DEN)))?;
                    for (slot, x) in entries[CONST..].iter_mut().zip(&self.row(r)[CONST..]) {
                        if x.sign() != 0 {
                            *slot = slot.combined(&N::one(), &factor, x)?;
                        }
                    }
                }
            }
        }
        Self::normalize(&mut entries, FIRST + self.n_col);
        Ok(entries)
    }

    /// Adds `form >= 0`. The present point is not the minimum any more until the next [`Tableau::solve`].
    pub(super) fn add_ineq(&mut self, form: &Linear, budget: &Budget) -> Result<(), Stop> {
        budget.spend(1 + (form.terms.len() * (1 + self.n_col / 8)) as u64)?;
        if self.infeasible {
            return Ok(());
        }
        let entries = self.expressed(form)?;
        let used = FIRST + self.n_col;
        if entries[CONST..used].iter().all(|x| x.sign() >= 0) {
            return Ok(());
        }
        if entries[CONST..used].iter().all(|x| x.sign() <= 0) {
            if entries[CONST].sign() < 0 {
                self.infeasible = true;
            } else {
                // Every column that occurs is zero for ever.
                let mut gone: Vec<usize> = (0..self.n_col).filter(|j| entries[FIRST + j].sign() < 0).collect();
                while let Some(j) = gone.pop() {
                    self.drop_column(j);
                }
            }
            return Ok(());
        }
        self.data.extend(entries);
        self.row_owner.push(SLACK);
        Ok(())
    }

    /// Adds `form = 0`.
    pub(super) fn add_eq(&mut self, form: &Linear, budget: &Budget) -> Result<(), Stop> {
        budget.spend(1 + (form.terms.len() * (1 + self.n_col / 8)) as u64)?;
        if self.infeasible {
            return Ok(());
        }
        let mut entries = self.expressed(form)?;
        let used = FIRST + self.n_col;
        let constant = entries[CONST].sign();
        if constant > 0 || (constant == 0 && entries[FIRST..used].iter().all(|x| x.sign() <= 0)) {
            for x in &mut entries[CONST..used] {
                *x = x.negated()?;
            }
        }
        if entries[FIRST..used].iter().all(|x| x.sign() <= 0) {
            // All entries are zero, or a negative number is a sum of numbers that are not positive.
            self.infeasible |= constant != 0;
            return Ok(());
        }
        let r = self.n_row();
        self.data.extend(entries);
        self.row_owner.push(SLACK);
        if let Some(j) = self.leaving_column(r) {
            self.pivot(r, j, budget)?;
            self.drop_column(j);
        }
        Ok(())
    }

    /// Goes to the lexicographically least point, rational or integral. Whether there is one.
    pub(super) fn solve(&mut self, integral: bool, budget: &Budget) -> Result<bool, Stop> {
        loop {
            if !self.solve_rational(budget)? {
                return Ok(false);
            }
            let fractional = if integral { self.fractional_row() } else { None };
            let Some(r) = fractional else { return Ok(true) };
            budget.spend(1 + self.n_col as u64)?;
            let d = self.at(r, DEN).clone();
            let mut cut = vec![N::zero(); self.stride];
            cut[CONST] = self.at(r, CONST).negated()?.residue(&d).negated()?;
            for (slot, x) in cut[FIRST..].iter_mut().zip(&self.row(r)[FIRST..]) {
                *slot = x.residue(&d);
            }
            cut[DEN] = d;
            Self::normalize(&mut cut, FIRST + self.n_col);
            self.data.extend(cut);
            self.row_owner.push(SLACK);
        }
    }

    fn solve_rational(&mut self, budget: &Budget) -> Result<bool, Stop> {
        while !self.infeasible {
            // The row that is violated most.
            let mut worst: Option<usize> = None;
            let mut r = 0;
            while r < self.n_row() {
                if self.at(r, CONST).sign() < 0 {
                    let beats = |w: usize| {
                        N::compare_products(self.at(r, CONST), self.at(w, DEN), self.at(w, CONST), self.at(r, DEN))
                            == Ordering::Less
                    };
                    if worst.is_none_or(beats) {
                        worst = Some(r);
                    }
                }
                r += 1;
            }
            budget.spend(1 + self.n_row() as u64 / 8)?;
            let Some(r) = worst else { return Ok(true) };
            match self.leaving_column(r) {
                None => self.infeasible = true,
                Some(j) => {
                    self.pivot(r, j, budget)?;
                    self.drop_implied_rows();
                }
            }
        }
        Ok(false)
    }

    /// Drops slack rows that cannot become negative any more.
    fn drop_implied_rows(&mut self) {
        let mut r = self.n_row();
        while r > 0 {
            r -= 1;
            if self.row_owner[r] == SLACK && self.row(r)[CONST..].iter().all(|x| x.sign() >= 0) {
                self.drop_row(r);
            }
        }
    }

    fn fractional_row(&self) -> Option<usize> {
        self.place.iter().find_map(|place| match *place {
            RowOrColumn::Row(r) => Some(r).filter(|&r| self.at(r, CONST).residue(self.at(r, DEN)).sign() != 0),
            _ => None,
        })
    }

    /// Numerator and denominator of an unknown at the present point, without common factor.
    pub(super) fn value(&self, unknown: usize) -> (Int, Int) {
        let RowOrColumn::Row(r) = self.place[unknown] else { return (Int::zero(), Int::one()) };
        let (k, d) = (self.at(r, CONST), self.at(r, DEN));
        if d.is_one() {
            return (k.export(), Int::one());
        }
        let g = k.gcd(d);
        (k.exact_quotient(&g).export(), d.exact_quotient(&g).export())
    }

    /// Whether an unknown is zero at the present point.
    pub(super) fn is_zero(&self, unknown: usize) -> bool {
        match self.place[unknown] {
            RowOrColumn::Row(r) => self.at(r, CONST).sign() == 0,
            _ => true,
        }
    }

    /// Whether all unknowns are integers at the present point.
    pub(super) fn is_integral(&self) -> bool {
        self.fractional_row().is_none()
    }

    /// All unknowns at the present point: integers, multiplied by their least common denominator, which is given too.
    pub(super) fn point(&self) -> (Vec<Int>, Int) {
        let values: Vec<(Int, Int)> = (0..self.place.len()).map(|u| self.value(u)).collect();
        let mut den = Int::one();
        for (k, d) in &values {
            let g = k.gcd(d);
            den = den.lcm(&d.div_exact(&g));
        }
        (values.into_iter().map(|(k, d)| (k * &den).div_exact(&d)).collect(), den)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn form(constant: i64, coefficients: &[i64]) -> Linear {
        let mut form = Linear::new(constant);
        coefficients.iter().enumerate().for_each(|(u, &c)| form.add(u, Int::from(c)));
        form
    }

    /// The least point in a box, by trying all.
    fn brute_force(n: usize, size: i64, eqs: &[Linear], ineqs: &[Linear]) -> Option<Vec<i64>> {
        let value =
            |f: &Linear, x: &[i64]| f.terms.iter().fold(f.constant.clone(), |sum, (u, c)| sum + c * &Int::from(x[*u]));
        let mut x = vec![0; n];
        loop {
            if eqs.iter().all(|f| value(f, &x).is_zero()) && ineqs.iter().all(|f| !value(f, &x).is_negative()) {
                return Some(x);
            }
            let at = (0..n).rev().find(|&k| x[k] < size)?;
            x[at] += 1;
            x[at + 1..].iter_mut().for_each(|v| *v = 0);
        }
    }

    fn least<N: Number>(n: usize, eqs: &[Linear], ineqs: &[Linear]) -> Option<Vec<Int>> {
        let budget = Budget::new(10_000_000);
        let mut tableau = Tableau::<N>::new(n, &[]).ok()?;
        for f in ineqs {
            tableau.add_ineq(f, &budget).ok()?;
        }
        for f in eqs {
            tableau.add_eq(f, &budget).ok()?;
        }
        tableau.solve(true, &budget).ok()?.then(|| tableau.point().0)
    }

    proptest! {
        /// Integer minima in a box agree with trying all points, in machine words and without limits.
        #[test]
        fn integer_minimum(
            rows in prop::collection::vec((-6i64..7, prop::array::uniform3(-4i64..5)), 0..5),
            n_eq in 0usize..2,
        ) {
            let mut forms: Vec<Linear> = rows.iter().map(|(k, c)| form(*k, c)).collect();
            let eqs: Vec<Linear> = forms.drain(..n_eq.min(rows.len())).collect();
            for u in 0..3 {
                let mut bound = Linear::new(5);
                bound.add(u, Int::from(-1));
                forms.push(bound);
            }
            let expected = brute_force(3, 5, &eqs, &forms);
            let expected = expected.map(|x| x.into_iter().map(Int::from).collect::<Vec<_>>());
            prop_assert_eq!(&least::<i64>(3, &eqs, &forms), &expected);
            prop_assert_eq!(&least::<Int>(3, &eqs, &forms), &expected);
        }
    }

    #[test]
    fn defined_unknowns_come_first() {
        // u0 = u1 + u2; u1 + 2 u2 >= 4: the least sum is 2.
        let mut sum = Linear::new(0);
        sum.add(1, Int::one());
        sum.add(2, Int::one());
        let budget = Budget::unlimited();
        let mut tableau = Tableau::<i64>::new(3, &[(0, sum)]).unwrap();
        tableau.add_ineq(&form(-4, &[0, 1, 2]), &budget).unwrap();
        assert!(tableau.solve(true, &budget).unwrap());
        assert_eq!(tableau.point(), ([2, 0, 2].map(Int::from).to_vec(), Int::one()));
    }
}
