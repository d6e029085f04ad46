//! [`System`]: a conjunction of constraint rows over plain columns, and the questions that AST generation asks about it.
//!
//! A row is `[constant | x1 .. xn]`; which variable is which column is the business of the caller. All variables are
//! integers. Answers are exact over the integers unless the name of the method says `rational`.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::lp::{self, Optimum, Tableau};
use crate::relation::{Row, add_scaled, all_zero, div_exact, gcd, negated};

/// A conjunction of equalities (`row == 0`) and inequalities (`row >= 0`) over `n` integer variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct System {
    /// The number of variables; every row has one entry more.
    pub(super) n: usize,
    pub(super) eqs: Vec<Row>,
    pub(super) ineqs: Vec<Row>,
}

/// What [`System::normalize`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plain {
    /// A constraint cannot hold.
    Contradiction,
    /// Nothing was decided.
    Unknown,
}

/// What [`System::minimum_rational`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Minimum {
    /// There is no rational point.
    Empty,
    /// The rational minimum is minus infinity.
    Unbounded,
    /// Every integer point has at least this value.
    AtLeast(Int),
}

impl System {
    pub(super) fn universe(n: usize) -> System {
        System { n, eqs: Vec::new(), ineqs: Vec::new() }
    }

    /// A constraint that never holds, over `n` variables.
    pub(super) fn contradiction(n: usize) -> System {
        let mut row = crate::relation::zeros(n + 1);
        row[0] = Int::from(-1);
        System { n, eqs: Vec::new(), ineqs: vec![row] }
    }

    /// All rows, equalities first.
    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.eqs.iter_mut().chain(self.ineqs.iter_mut())
    }

    /// Inserts `count` columns of zeros before column `at` (a column of the rows, so at least 1).
    pub(super) fn insert_columns(&mut self, at: usize, count: usize) {
        self.n += count;
        for row in self.rows_mut() {
            row.insert_zeros(at, count);
        }
    }

    /// Adds the equality `row = 0` or the inequality `row >= 0`.
    pub(super) fn add(&mut self, row: Row, is_eq: bool) {
        if is_eq { self.eqs.push(row) } else { self.ineqs.push(row) }
    }

    /// The constraints of both; `other` may have fewer columns, which are then the first ones of `self`.
    pub(super) fn and(&self, other: &System) -> System {
        let n = self.n.max(other.n);
        let pad = |rows: &[Row], more: &[Row]| -> Vec<Row> {
            let mut all: Vec<Row> = rows.iter().chain(more).cloned().collect();
            for row in &mut all {
                row.resize(n + 1, Int::zero());
            }
            all
        };
        System { n, eqs: pad(&self.eqs, &other.eqs), ineqs: pad(&self.ineqs, &other.ineqs) }
    }

    /// The constraints, equalities first. True marks an equality.
    pub(super) fn into_rows(self) -> impl Iterator<Item = (Row, bool)> {
        let eqs = self.eqs.into_iter().map(|row| (row, true));
        eqs.chain(self.ineqs.into_iter().map(|row| (row, false)))
    }

    /// Divides rows by their content, tightens inequalities to integers, drops trivial and weaker parallel rows.
    pub(super) fn normalize(&mut self) -> Plain {
        let mut eqs: Vec<Row> = Vec::with_capacity(self.eqs.len());
        for mut row in std::mem::take(&mut self.eqs) {
            let g = gcd(&row[1..]);
            if g.is_zero() {
                if !row[0].is_zero() {
                    return Plain::Contradiction;
                }
                continue;
            }
            if !g.divides(&row[0]) {
                return Plain::Contradiction;
            }
            div_exact(&mut row, &g);
            if !eqs.contains(&row) && !eqs.contains(&negated(&row)) {
                eqs.push(row);
            }
        }
        let mut ineqs: Vec<Row> = Vec::with_capacity(self.ineqs.len());
        for mut row in std::mem::take(&mut self.ineqs) {
            if !tighten(&mut row) {
                return Plain::Contradiction;
            }
            if all_zero(&row[1..]) {
                continue;
            }
            match ineqs.iter_mut().find(|known| known[1..] == row[1..]) {
                Some(known) => {
                    if row[0] < known[0] {
                        known[0] = std::mem::take(&mut row[0]);
                    }
                }
                None => ineqs.push(row),
            }
        }
        self.eqs = eqs;
        self.ineqs = ineqs;
        Plain::Unknown
    }

    /// How great an inequality `row >= 0` can get, by each inequality with the opposite coefficients: `0 <= row <= width`.
    pub(super) fn widths(&self, row: &Row) -> impl Iterator<Item = Int> {
        let is_opposite = |other: &&Row| (1..row.len()).all(|k| (&row[k] + &other[k]).is_zero());
        self.ineqs.iter().filter(is_opposite).map(|other| &row[0] + &other[0])
    }

    /// [`System::normalize`], and inequalities that meet become an equality.
    pub(super) fn equate(&mut self) -> Plain {
        if self.normalize() == Plain::Contradiction {
            return Plain::Contradiction;
        }
        let mut index = 0;
        while index < self.ineqs.len() {
            let row = &self.ineqs[index];
            let opposite = |other: &Row| {
                (1..row.len()).all(|k| row[k].is_zero() == other[k].is_zero() && (&row[k] + &other[k]).is_zero())
            };
            let Some(other) = (index + 1..self.ineqs.len()).find(|&other| opposite(&self.ineqs[other])) else {
                index += 1;
                continue;
            };
            let width = &row[0] + &self.ineqs[other][0];
            if width.is_negative() {
                return Plain::Contradiction;
            }
            if !width.is_zero() {
                index += 1;
                continue;
            }
            self.ineqs.remove(other);
            let row = self.ineqs.remove(index);
            self.eqs.push(row);
        }
        Plain::Unknown
    }

    /// What an equality with other coefficients than 1 adds to the inequalities over the integers: where `n = 32 e`, `32 c <= n - 1` is
    /// `c <= e - 1`. Each with the position of the inequality that it comes from.
    fn tightened(&self, budget: &Budget) -> Result<Vec<(usize, Row)>, Exhausted> {
        // Every equality with the column that it is solved for; an earlier one is solved in the later ones.
        let mut solved: Vec<(usize, Row)> = Vec::new();
        for row in &self.eqs {
            let mut row = row.clone();
            solved.iter().for_each(|(column, by)| substitute(&mut row, *column, by));
            let strided = row[1..].iter().any(|x| !x.is_zero() && !x.is_unit());
            let column = (1..row.len()).find(|&column| row[column].is_unit());
            if let (true, Some(column)) = (strided, column) {
                solved.push((column, row));
            }
        }
        let mut result = Vec::new();
        if solved.is_empty() {
            return Ok(result);
        }
        budget.spend((self.ineqs.len() * solved.len()) as u64)?;
        for (index, row) in self.ineqs.iter().enumerate() {
            let mut row = row.clone();
            solved.iter().for_each(|(column, by)| substitute(&mut row, *column, by));
            let g = gcd(&row[1..]);
            if !g.is_zero() && !g.is_one() && !g.divides(&row[0]) {
                tighten(&mut row);
                result.push((index, row));
            }
        }
        Ok(result)
    }

    /// A simplex tableau of all constraints, which need not contain what only equalities of integers exclude.
    fn tableau(&self, budget: &Budget) -> Result<Tableau, Exhausted> {
        let mut tableau = Tableau::new(self.n);
        for (_, row) in self.tightened(budget)? {
            tableau.add_ineq(&row, budget)?;
        }
        for row in &self.eqs {
            tableau.add_eq(row, budget)?;
        }
        for row in &self.ineqs {
            tableau.add_ineq(row, budget)?;
        }
        Ok(tableau)
    }

    /// Whether no integer point satisfies the constraints.
    pub(super) fn is_empty(&self, budget: &Budget) -> Result<bool, Exhausted> {
        lp::is_empty_integer(self.n, &self.eqs, &self.ineqs, budget)
    }

    /// Whether no rational point satisfies the constraints, or rounding excludes all of them.
    pub(super) fn is_empty_rational(&self, budget: &Budget) -> Result<bool, Exhausted> {
        Ok(self.tableau(budget)?.is_empty_rational())
    }

    /// Whether `row >= 0` follows by rational reasoning and rounding; "no" is not a proof of the contrary. The row may be
    /// shorter than those of the system.
    pub(super) fn implies_rational(&self, row: &[Int], budget: &Budget) -> Result<bool, Exhausted> {
        budget.spend(self.ineqs.len() as u64)?;
        if all_zero(&row[1..]) && !row[0].is_negative() {
            return Ok(true);
        }
        if self.ineqs.iter().any(|known| same_linear(known, row) && known[0] <= row[0]) {
            return Ok(true);
        }
        Ok(match self.minimum_rational(row, budget)? {
            Minimum::Empty => true,
            Minimum::Unbounded => false,
            Minimum::AtLeast(value) => !value.is_negative(),
        })
    }

    /// A lower bound of the value of `row` over the integer points: the rational minimum, rounded up. The row may be shorter
    /// than those of the system.
    pub(super) fn minimum_rational(&self, row: &[Int], budget: &Budget) -> Result<Minimum, Exhausted> {
        let mut row = Row::from(row);
        row.resize(self.n + 1, Int::zero());
        Ok(match self.tableau(budget)?.minimize(&row, budget)? {
            Optimum::Empty => Minimum::Empty,
            Optimum::Unbounded => Minimum::Unbounded,
            Optimum::Bounded(value) => Minimum::AtLeast(value.ceil()),
        })
    }

    /// Whether `row >= 0` holds at every integer point.
    pub(super) fn implies(&self, row: &[Int], budget: &Budget) -> Result<bool, Exhausted> {
        if self.implies_rational(row, budget)? {
            return Ok(true);
        }
        let mut ineqs = self.ineqs.clone();
        let mut contrary = negated(row);
        contrary[0] -= 1;
        contrary.resize(self.n + 1, Int::zero());
        ineqs.push(contrary);
        lp::is_empty_integer(self.n, &self.eqs, &ineqs, budget)
    }

    /// Whether `row == 0` holds at every integer point.
    pub(super) fn implies_eq(&self, row: &[Int], budget: &Budget) -> Result<bool, Exhausted> {
        Ok(self.implies(row, budget)? && self.implies(&negated(row), budget)?)
    }

    /// Drops inequalities that follow rationally from the remaining constraints and `context`. Rows for which
    /// `candidate` is false are kept. Of several that imply each other the one that comes first in `order` is dropped.
    pub(super) fn drop_implied(
        &mut self,
        context: &System,
        candidate: impl Fn(&[Int]) -> bool,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let order = self.order(candidate);
        if order.is_empty() {
            return Ok(());
        }
        let mut all = context.clone();
        all.n = self.n;
        for row in all.rows_mut() {
            row.resize(self.n + 1, Int::zero());
        }
        let first = all.ineqs.len();
        all.eqs.extend(self.eqs.iter().cloned());
        all.ineqs.extend(self.ineqs.iter().cloned());
        if let Some(dropping) = Dropping::new(&all, budget)? {
            return self.drop_of(dropping, first, order, budget);
        }
        // Of constraints that no point satisfies, any follows from the others as long as these have no point either.
        let mut kept = vec![true; self.ineqs.len()];
        for index in order {
            kept[index] = false;
            let rest = all.ineqs.iter().enumerate().filter(|(i, _)| *i < first || kept[*i - first]);
            let rest = rest.map(|(_, row)| row.clone()).collect();
            let rest = System { n: all.n, eqs: all.eqs.clone(), ineqs: rest };
            kept[index] = !rest.implies_rational(&self.ineqs[index], budget)?;
        }
        self.keep(&kept);
        Ok(())
    }

    /// The same where all constraints are in one system already, the inequalities of this one from a position on.
    pub(super) fn drop_implied_of(
        &mut self,
        all: Dropping,
        first: usize,
        candidate: impl Fn(&[Int]) -> bool,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let order = self.order(candidate);
        self.drop_of(all, first, order, budget)
    }

    /// The candidates, those that are hard to read first.
    fn order(&self, candidate: impl Fn(&[Int]) -> bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.ineqs.len()).filter(|&i| candidate(&self.ineqs[i])).collect();
        order.sort_by_cached_key(|&i| std::cmp::Reverse(complexity(&self.ineqs[i])));
        order
    }

    fn drop_of(
        &mut self,
        mut all: Dropping,
        first: usize,
        order: Vec<usize>,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let mut kept = vec![true; self.ineqs.len()];
        for index in order {
            kept[index] = !all.drop_if_implied(first + index, budget)?;
        }
        self.keep(&kept);
        Ok(())
    }

    /// Keeps only some of the inequalities.
    fn keep(&mut self, kept: &[bool]) {
        let mut kept = kept.iter();
        self.ineqs.retain(|_| kept.next() != Some(&false));
    }
}

/// A system with a point from which inequalities are dropped one by one. One tableau answers for all of them.
pub(super) struct Dropping {
    tableau: Tableau,
    /// The unknowns of the inequalities, then those of what equalities make of some of them.
    unknowns: Vec<usize>,
    /// The position of an inequality in the system, and of the unknown of what equalities make of it.
    tightened: Vec<(usize, usize)>,
}

impl Dropping {
    /// Nothing if no rational point satisfies the constraints.
    pub(super) fn new(system: &System, budget: &Budget) -> Result<Option<Dropping>, Exhausted> {
        let mut rows = system.ineqs.clone();
        let mut tightened = Vec::new();
        for (index, row) in system.tightened(budget)? {
            tightened.push((index, rows.len()));
            rows.push(row);
        }
        let (tableau, unknowns) = lp::tableau_with_unknowns(system.n, &system.eqs, &rows, budget)?;
        let has_point = !tableau.is_empty_rational();
        Ok(has_point.then_some(Dropping { tableau, unknowns, tightened }))
    }

    /// Whether an integer point of the system is at hand. "No" is not a proof of the contrary.
    pub(super) fn has_integer_point(&self) -> bool {
        self.tableau.has_integer_sample()
    }

    /// Whether an inequality follows from the others that are left, as in [`System::implies_rational`]. If so it is dropped.
    fn drop_if_implied(&mut self, index: usize, budget: &Budget) -> Result<bool, Exhausted> {
        let tightened = self.tightened.iter().find(|(of, _)| *of == index).map(|(_, at)| self.unknowns[*at]);
        if let Some(unknown) = tightened {
            self.tableau.release(unknown);
        }
        if self.tableau.drop_if_implied(self.unknowns[index], budget)? {
            return Ok(true);
        }
        if let Some(unknown) = tightened {
            self.tableau.restore(unknown, budget)?;
        }
        Ok(false)
    }
}

/// Whether two rows agree in everything but the constant; the shorter one counts as padded with zeros.
fn same_linear(a: &[Int], b: &[Int]) -> bool {
    let n = a.len().min(b.len());
    a[1..n] == b[1..n] && all_zero(&a[n..]) && all_zero(&b[n..])
}

/// Takes a column out of a row with an equality in which its coefficient is 1 or -1.
fn substitute(row: &mut Row, column: usize, by: &Row) {
    if !row[column].is_zero() {
        let factor = if by[column].is_one() { -&row[column] } else { row[column].clone() };
        add_scaled(row, &factor, by);
    }
}

/// Divides an inequality by the content of its variables, rounding the constant down. False if it cannot hold.
pub(super) fn tighten(row: &mut Row) -> bool {
    let g = gcd(&row[1..]);
    if g.is_zero() {
        return !row[0].is_negative();
    }
    if !g.is_one() {
        row[0] = row[0].div_floor(&g);
        div_exact(&mut row[1..], &g);
    }
    true
}

/// A measure of how hard a row is to read: first the number of terms, then the size of the coefficients.
fn complexity(row: &[Int]) -> (usize, Int) {
    let terms = row[1..].iter().filter(|x| !x.is_zero()).count();
    let size = row[1..].iter().map(Int::abs).sum::<Int>();
    (terms, size + row[0].abs())
}
