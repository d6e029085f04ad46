//! [`System`]: a system of constraints over integer variables that is made smaller without loss, and the way back.
//!
//! Every reduction is exact over the integers: the reduced system has an integer point if and only if the original has
//! one. Each leaves a [`Step`] in a trail; see [`super::lift`] for the way back.
//!
//! # Reductions
//!
//! * **Tightening.** An inequality is divided by the common divisor of its coefficients and the constant is rounded
//!   down; an equality whose divisor does not divide its constant has no solution.
//! * **Parallel rows.** Of two inequalities with the same coefficients one is kept. Two with opposite coefficients
//!   contradict each other, or form an equality, or stay.
//! * **Equalities.** Euclid's algorithm on the coefficients of an equality, carried out by unimodular changes of
//!   variables, leaves a single variable with coefficient 1, whose value is then known. This is the Hermite normal
//!   form computed row by row; an equality with a unit coefficient is a substitution.
//! * **Exact projection.** A variable without lower bounds, or without upper bounds, can be chosen last, and its
//!   constraints are dropped. A variable whose lower bounds, or whose upper bounds, all have coefficient 1 is
//!   eliminated by the method of Fourier and Motzkin, which is exact over the integers in this case; it is done if it
//!   creates no more constraints than it removes.
//!
//! Sources: A. Schrijver, *Theory of Linear and Integer Programming*, chapters 4 and 12; W. Pugh, *The Omega Test*,
//! CACM 1992 (exact projection).

use crate::arith::{Int, dot, gcd_of, row};
use crate::budget::{Budget, Exhausted};

use super::lift::Step;

/// A constraint `[c0, c1, ..., cn]`.
pub(crate) use crate::arith::Row;

/// Equalities and inequalities over `n` integer variables, and the trail of the reductions made so far.
#[derive(Clone, Debug)]
pub(super) struct System {
    pub(super) n: usize,
    pub(super) eqs: Vec<Row>,
    pub(super) ineqs: Vec<Row>,
    /// A linear form that the reductions rewrite along with the constraints; they keep its variables.
    pub(super) objective: Option<Row>,
    pub(super) trail: Vec<Step>,
    /// Whether the constraints that the way back needs are recorded.
    keep_trail: bool,
}

/// Whether a reduction found out that there is no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// There is no integer solution.
    Empty,
    /// Nothing is known.
    Open,
}

impl System {
    /// A system as given, without reductions. With `keep_trail` points can be lifted later.
    pub(super) fn new(n: usize, eqs: &[Row], ineqs: &[Row], keep_trail: bool) -> Self {
        Self { n, eqs: eqs.to_vec(), ineqs: ineqs.to_vec(), objective: None, trail: Vec::new(), keep_trail }
    }

    /// As [`System::new`] without a trail, from rows that are given away.
    pub(super) fn from_rows(n: usize, eqs: Vec<Row>, ineqs: Vec<Row>) -> Self {
        Self { n, eqs, ineqs, objective: None, trail: Vec::new(), keep_trail: false }
    }

    /// The same constraints as a system of its own: points are lifted only to the present variables.
    pub(super) fn child(&self) -> Self {
        Self { trail: Vec::new(), ..self.clone() }
    }

    /// Whether points can be lifted.
    pub(super) fn keeps_trail(&self) -> bool {
        self.keep_trail
    }

    /// Applies all reductions until none applies. Afterwards there are no equalities, every inequality has
    /// coefficients without common divisor, and every variable without an objective coefficient has at least one lower
    /// and one upper bound. The values that the objective takes on the integer points stay the same.
    pub(super) fn reduce(&mut self, budget: &Budget) -> Result<Verdict, Exhausted> {
        loop {
            budget.spend((self.eqs.len() + self.ineqs.len()) as u64)?;
            if self.tighten() == Verdict::Empty
                || self.solve_equalities(budget)? == Verdict::Empty
                || self.merge_parallel(budget)? == Verdict::Empty
            {
                return Ok(Verdict::Empty);
            }
            if self.eqs.is_empty() && !self.project_one(budget)? {
                return Ok(Verdict::Open);
            }
        }
    }

    /// Divides every row by the common divisor of its coefficients, and drops rows without coefficients.
    fn tighten(&mut self) -> Verdict {
        let mut empty = false;
        self.eqs.retain_mut(|row| {
            let divisor = gcd_of(&row[1..]);
            empty |= !divisor.divides(&row[0]);
            if !divisor.is_zero() && !divisor.is_one() && !empty {
                row.iter_mut().for_each(|x| *x = x.div_exact(&divisor));
            }
            !divisor.is_zero()
        });
        self.ineqs.retain_mut(|row| {
            let divisor = gcd_of(&row[1..]);
            empty |= divisor.is_zero() && row[0].is_negative();
            if !divisor.is_zero() && !divisor.is_one() {
                row[0] = row[0].div_floor(&divisor);
                row[1..].iter_mut().for_each(|x| *x = x.div_exact(&divisor));
            }
            !divisor.is_zero()
        });
        if empty { Verdict::Empty } else { Verdict::Open }
    }

    /// Eliminates all equalities, each with one variable.
    fn solve_equalities(&mut self, budget: &Budget) -> Result<Verdict, Exhausted> {
        while let Some(next) = self.easiest_equality() {
            let divisor = gcd_of(&self.eqs[next][1..]);
            if !divisor.divides(&self.eqs[next][0]) {
                return Ok(Verdict::Empty);
            }
            let isolated = self.isolate(next, 1, budget)?;
            let row = self.eqs.swap_remove(next);
            if let Some(at) = isolated {
                self.fix(at, -row[0].div_exact(&row[at]));
            }
            if self.tighten() == Verdict::Empty {
                return Ok(Verdict::Empty);
            }
        }
        Ok(Verdict::Open)
    }

    /// The equality with the smallest coefficient that is not 0; of several, the first.
    fn easiest_equality(&self) -> Option<usize> {
        let smallest = |row: &Row| {
            row[1..].iter().filter(|x| !x.is_zero()).min_by(|x, y| x.cmp_abs(y)).map_or(Int::zero(), Int::abs)
        };
        (0..self.eqs.len()).min_by_key(|&i| smallest(&self.eqs[i]))
    }

    /// Changes variables at the positions from `from` on, unimodularly, until at most one of them occurs in equality
    /// `i`, and returns its position.
    fn isolate(&mut self, i: usize, from: usize, budget: &Budget) -> Result<Option<usize>, Exhausted> {
        loop {
            let row = &self.eqs[i];
            let Some(p) = (from..=self.n)
                .filter(|&j| !row[j].is_zero())
                .min_by(|&j, &k| row[j].cmp_abs(&row[k]).then_with(|| self.occurrences(j).cmp(&self.occurrences(k))))
            else {
                return Ok(None);
            };
            let factors: Vec<(usize, Int)> = (from..=self.n)
                .filter(|&j| j != p && !row[j].is_zero())
                .map(|j| (j, -nearest_quotient(&row[j], &row[p])))
                .collect();
            if factors.is_empty() {
                return Ok(Some(p));
            }
            budget.spend(1 + (self.eqs.len() + self.ineqs.len()) as u64)?;
            for (j, factor) in factors {
                self.shear(p, j, factor);
            }
        }
    }

    /// The number of constraints in which the variable at a position occurs.
    fn occurrences(&self, at: usize) -> usize {
        self.eqs.iter().chain(&self.ineqs).filter(|row| !row[at].is_zero()).count()
    }

    /// Replaces variable `target` by itself plus `factor` times variable `source`.
    fn shear(&mut self, target: usize, source: usize, factor: Int) {
        for row in self.eqs.iter_mut().chain(&mut self.ineqs).chain(&mut self.objective) {
            if !row[target].is_zero() {
                let (head, tail) = row.split_at_mut(target.max(source));
                let (from, to) =
                    if target > source { (&tail[0], &mut head[source]) } else { (&head[target], &mut tail[0]) };
                to.add_mul(from, &factor);
            }
        }
        if self.keep_trail {
            self.trail.push(Step::Shear { target, source, factor });
        }
    }

    /// Gives a variable a value and removes it.
    pub(super) fn fix(&mut self, at: usize, value: Int) {
        for row in self.eqs.iter_mut().chain(&mut self.ineqs).chain(&mut self.objective) {
            let coefficient = row.swap_remove(at);
            row[0].add_mul(&coefficient, &value);
        }
        self.n -= 1;
        if self.keep_trail {
            self.trail.push(Step::Fix { at, value });
        }
    }

    /// Changes variables such that `direction`, a primitive form `[c1, ..., cn]`, becomes one variable or its
    /// negation. Returns the position of the variable and whether it is negated.
    pub(super) fn straighten(
        &mut self,
        direction: &[Int],
        budget: &Budget,
    ) -> Result<Option<(usize, bool)>, Exhausted> {
        let mut row = Row::from([Int::zero()]);
        row.extend_from_slice(direction);
        self.eqs.push(row);
        let last = self.eqs.len() - 1;
        let isolated = self.isolate(last, 1, budget)?;
        let row = self.eqs.pop();
        Ok(isolated.zip(row).map(|(at, row)| (at, row[at].is_negative())))
    }

    /// Keeps only the marked inequalities and the variables that occur in them after a unimodular change of variables
    /// that makes these as few as possible. The caller knows that the other inequalities have a solution in the other
    /// variables for any values of the remaining ones.
    pub(super) fn restrict_to(&mut self, marked: &[bool], budget: &Budget) -> Result<(), Exhausted> {
        // The marked rows stand in the equalities while the change of variables is computed: their Hermite normal form.
        debug_assert!(self.eqs.is_empty());
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        for (row, &mark) in std::mem::take(&mut self.ineqs).into_iter().zip(marked) {
            if mark { kept.push(row) } else { dropped.push(row) }
        }
        (self.eqs, self.ineqs) = (kept, dropped);
        let mut rank = 0;
        for i in 0..self.eqs.len() {
            if let Some(p) = self.isolate(i, rank + 1, budget)? {
                rank += 1;
                self.swap_variables(rank, p);
            }
        }
        let mut kept = std::mem::take(&mut self.eqs);
        kept.iter_mut().for_each(|row| row.truncate(rank + 1));
        let ineqs = std::mem::replace(&mut self.ineqs, kept);
        if self.keep_trail {
            self.trail.push(Step::Extend { n: self.n, ineqs });
        }
        self.n = rank;
        Ok(())
    }

    /// Exchanges two variables.
    fn swap_variables(&mut self, j: usize, k: usize) {
        if j == k {
            return;
        }
        for row in self.eqs.iter_mut().chain(&mut self.ineqs).chain(&mut self.objective) {
            row.swap(j, k);
        }
        if self.keep_trail {
            self.trail.push(Step::Swap(j, k));
        }
    }

    /// Compares the inequalities that have the same coefficients up to sign.
    fn merge_parallel(&mut self, budget: &Budget) -> Result<Verdict, Exhausted> {
        let keys: Vec<u64> = self.ineqs.iter().map(|row| row::direction_key(&row[1..])).collect();
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by_key(|&i| keys[i]);
        let mut dropped = vec![false; keys.len()];
        for (position, &i) in order.iter().enumerate() {
            if dropped[i] {
                continue;
            }
            for &j in order[position + 1..].iter().take_while(|&&j| keys[j] == keys[i]) {
                if dropped[j] {
                    continue;
                }
                budget.spend(1)?;
                if self.ineqs[i][1..] == self.ineqs[j][1..] {
                    if self.ineqs[j][0] < self.ineqs[i][0] {
                        self.ineqs.swap(i, j);
                    }
                    dropped[j] = true;
                }
            }
        }
        let is_opposite = |a: &Row, b: &Row| row::are_opposite(&a[1..], &b[1..]);
        for (position, &i) in order.iter().enumerate() {
            if dropped[i] {
                continue;
            }
            for &j in order[position + 1..].iter().take_while(|&&j| keys[j] == keys[i]) {
                if dropped[j] {
                    continue;
                }
                budget.spend(1)?;
                if is_opposite(&self.ineqs[i], &self.ineqs[j]) {
                    match (&self.ineqs[i][0] + &self.ineqs[j][0]).signum() {
                        -1 => return Ok(Verdict::Empty),
                        0 => {
                            (dropped[i], dropped[j]) = (true, true);
                            self.eqs.push(self.ineqs[i].clone());
                        }
                        _ => {}
                    }
                    break;
                }
            }
        }
        let mut flags = dropped.iter();
        self.ineqs.retain(|_| flags.next() != Some(&true));
        Ok(Verdict::Open)
    }

    /// Projects out one variable, if one qualifies; see the module documentation.
    fn project_one(&mut self, budget: &Budget) -> Result<bool, Exhausted> {
        let mut best: Option<(i64, usize)> = None;
        for at in 1..=self.n {
            if self.objective.as_ref().is_some_and(|row| !row[at].is_zero()) {
                continue;
            }
            let (mut lower, mut upper) = (0i64, 0i64);
            let (mut lower_units, mut upper_units) = (true, true);
            for row in &self.ineqs {
                match row[at].signum() {
                    1 => {
                        lower += 1;
                        lower_units &= row[at].is_unit();
                    }
                    -1 => {
                        upper += 1;
                        upper_units &= row[at].is_unit();
                    }
                    _ => {}
                }
            }
            let growth = lower * upper - lower - upper;
            if growth <= 0
                && (lower_units || upper_units || lower == 0 || upper == 0)
                && best.is_none_or(|b| growth < b.0)
            {
                best = Some((growth, at));
            }
        }
        let Some((_, at)) = best else { return Ok(false) };
        let (bounds, others): (Vec<Row>, Vec<Row>) =
            std::mem::take(&mut self.ineqs).into_iter().partition(|row| !row[at].is_zero());
        self.ineqs = others;
        self.ineqs.iter_mut().chain(&mut self.objective).for_each(|row| {
            row.swap_remove(at);
        });
        for low in bounds.iter().filter(|row| row[at].is_positive()) {
            for high in bounds.iter().filter(|row| row[at].is_negative()) {
                budget.spend(1)?;
                let (a, b) = (&low[at], -&high[at]);
                let mut sum: Row = low.iter().zip(high).map(|(x, y)| x * &b + y * a).collect();
                sum.swap_remove(at);
                self.ineqs.push(sum);
            }
        }
        self.n -= 1;
        if self.keep_trail {
            self.trail.push(Step::Choose { at, bounds });
        }
        Ok(true)
    }

    /// Whether a point satisfies all constraints. The point is `[1, x1, ..., xn]`.
    pub(super) fn contains(&self, homogeneous: &[Int]) -> bool {
        self.eqs.iter().all(|row| dot(row, homogeneous).is_zero())
            && self.ineqs.iter().all(|row| !dot(row, homogeneous).is_negative())
    }
}

/// The quotient rounded to a nearest integer, so that the remainder is at most half of the divisor.
fn nearest_quotient(a: &Int, b: &Int) -> Int {
    let q = a.div_floor(b);
    let rest = a - &q * b;
    if (&rest + &rest).cmp_abs(b).is_gt() { q + 1 } else { q }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(entries: &[&[i64]]) -> Vec<Row> {
        entries.iter().map(|r| r.iter().map(|&x| x.into()).collect()).collect()
    }

    #[test]
    fn reduces_a_loop_nest_to_nothing_and_lifts_the_empty_point() {
        // 0 <= i < n, 0 <= j <= i, j = 2k + 1, i + k = 7: every step is a substitution or an exact projection.
        let eqs = rows(&[&[-1, 0, 0, 1, -2], &[-7, 0, 1, 0, 1]]);
        let ineqs = rows(&[&[0, 0, 1, 0, 0], &[-1, 1, -1, 0, 0], &[0, 0, 0, 1, 0], &[0, 0, 1, -1, 0]]);
        let original = System::new(4, &eqs, &ineqs, true);
        let mut system = original.clone();
        let budget = Budget::unlimited();
        assert_eq!(system.reduce(&budget), Ok(Verdict::Open));
        assert_eq!((system.n, system.ineqs.len()), (0, 0));
        let point = system.lift(vec![Int::one()], &budget).unwrap();
        assert!(original.contains(&point), "{point:?}");
    }

    #[test]
    fn tightening_finds_the_gap_between_multiples() {
        // 1 <= 4x <= 3 has rational points and no integer ones; so has 4x + 6y = 3.
        let budget = Budget::unlimited();
        assert_eq!(System::new(1, &[], &rows(&[&[-1, 4], &[3, -4]]), false).reduce(&budget), Ok(Verdict::Empty));
        assert_eq!(System::new(2, &rows(&[&[-3, 4, 6]]), &[], false).reduce(&budget), Ok(Verdict::Empty));
    }

    #[test]
    fn restriction_keeps_only_the_marked_inequalities_and_their_variables() {
        // The strip 0 <= 3x - 5y <= 4 with x >= 2: the strip is one variable, in 0..=4; x is left out and chosen later.
        let ineqs = rows(&[&[0, 3, -5], &[4, -3, 5], &[-2, 1, 0]]);
        let budget = Budget::unlimited();
        for value in 0..=4 {
            let original = System::new(2, &[], &ineqs, true);
            let mut system = original.clone();
            system.restrict_to(&[true, true, false], &budget).unwrap();
            assert_eq!((system.n, system.ineqs.len()), (1, 2));
            let sign = if system.ineqs[0][1].is_positive() { 1 } else { -1 };
            let point = system.lift(vec![Int::one(), (sign * value).into()], &budget).unwrap();
            assert!(original.contains(&point), "{point:?}");
            assert_eq!(&point[1] * 3 - &point[2] * 5, Int::from(value));
        }
    }

    #[test]
    fn directions_become_variables() {
        let budget = Budget::unlimited();
        let original = System::new(3, &[], &rows(&[&[5, 1, 2, 3], &[9, -4, 1, 7]]), true);
        let direction = Row::from([6, 10, 15].map(Int::from));
        let mut system = original;
        let (at, negated) = system.straighten(&direction, &budget).unwrap().unwrap();
        let mut point = vec![Int::one(), 3.into(), 5.into(), 7.into()];
        let value = if negated { -&point[at] } else { point[at].clone() };
        point = system.lift(point, &budget).unwrap();
        assert_eq!(dot(&direction, &point[1..]), value);
    }
}
