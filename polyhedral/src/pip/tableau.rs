//! [`Simplex`]: the tableau of the lexicographic dual simplex method with parametric constants.
//!
//! A row is `[d | k | M | domain | divs | spare | columns]`: the affine form of the present column unknowns, which are
//! all not negative, with a constant that is affine in the domain and in the symbolic big `M`. Unknowns are
//! - the *values* to be minimised, which own rows for ever;
//! - the *variables*, shifted by `M` so that they are not negative;
//! - the *slacks* of inequalities and cuts.
//!
//! Invariant: every column is lexicographically positive when read along the [`Simplex::order`]: values, then
//! variables. So the least conceivable values are those with all column unknowns zero, and they are the optimum as soon
//! as all rows of variables and slacks have a constant that is not negative.

use std::cmp::Ordering;

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::lp::rows::{CONSTANT, DENOMINATOR, FIRST, Rows};
use crate::relation::{self, Row};

use super::context::Sign;
use super::problem::Problem;

/// The position of the coefficient of `M`.
const BIG: usize = FIRST;

/// Where an unknown is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowOrColumn {
    Row(usize),
    Column(usize),
}

/// A tableau; see the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Simplex {
    rows: Rows,
    /// Columns of the constant part after `M`: domain, divs, spare.
    n_context: usize,
    n_values: usize,
    /// The number of unknowns at the beginning of the list that are values or variables.
    n_ordered: usize,
    /// Unknowns from this number on are slacks of cuts.
    first_cut: usize,
    place: Vec<RowOrColumn>,
    row_owner: Vec<usize>,
    col_owner: Vec<usize>,
    /// By row: the sign of its constant, where it is known.
    sign: Vec<Option<Sign>>,
}

impl Simplex {
    /// The tableau of a reduced problem. `capacity` is that of the context.
    pub(super) fn new(problem: &Problem, capacity: usize, budget: &Budget) -> Result<Simplex, Exhausted> {
        let used = |v: &usize| problem.ineqs.iter().chain(&problem.values).any(|r| !r[*v].is_zero());
        let columns: Vec<usize> = problem.vars().filter(used).collect();
        // A column must be positive in the first value that depends on it.
        let falls = |&v: &usize| problem.values.iter().find(|r| !r[v].is_zero()).is_some_and(|r| r[v].is_negative());
        let falling: Vec<bool> = columns.iter().map(falls).collect();
        let n_values = problem.values.len();
        let n_ordered = n_values + columns.len();
        let mut simplex = Simplex {
            rows: Rows::new(1 + capacity + columns.len()),
            n_context: capacity,
            n_values,
            n_ordered,
            first_cut: 0,
            place: (0..n_values).map(RowOrColumn::Row).chain((0..columns.len()).map(RowOrColumn::Column)).collect(),
            row_owner: (0..n_values).collect(),
            col_owner: (n_values..n_ordered).collect(),
            sign: vec![Some(Sign::NotNegative); n_values],
        };
        for row in &problem.values {
            let entries = simplex.import(problem, row, &columns, &falling);
            simplex.rows.push_entries(&entries);
        }
        for row in &problem.ineqs {
            budget.spend(2)?;
            let entries = simplex.import(problem, row, &columns, &falling);
            simplex.push_slack(&entries, None);
        }
        simplex.first_cut = simplex.place.len();
        Ok(simplex)
    }

    /// A row of the problem as entries of the tableau, where every unknown variable still owns its column.
    fn import(&self, problem: &Problem, row: &[Int], columns: &[usize], falling: &[bool]) -> Vec<Int> {
        let mut entries = vec![Int::zero(); self.rows.width()];
        entries[DENOMINATOR] = Int::one();
        entries[CONSTANT] = row[0].clone();
        entries[BIG + 1..=BIG + problem.n_dom].clone_from_slice(&row[1..=problem.n_dom]);
        let after = problem.vars().end;
        for (slot, x) in entries[BIG + 1 + problem.n_dom..].iter_mut().zip(&row[after..]) {
            *slot = x.clone();
        }
        let first = self.first_column();
        for (j, (&v, &falls)) in columns.iter().zip(falling).enumerate() {
            // v = t - M, or v = M - t
            let x = if falls { -&row[v] } else { row[v].clone() };
            entries[BIG] -= &x;
            entries[first + j] = x;
        }
        entries
    }

    fn push_slack(&mut self, entries: &[Int], sign: Option<Sign>) {
        self.place.push(RowOrColumn::Row(self.rows.len()));
        self.row_owner.push(self.place.len() - 1);
        self.sign.push(sign);
        self.rows.push_entries(entries);
    }

    fn first_column(&self) -> usize {
        BIG + 1 + self.n_context
    }

    /// The cost of copying the tableau, in budget units.
    pub(super) fn weight(&self) -> u64 {
        (self.rows.len() * (1 + self.rows.width() / 8)) as u64
    }

    pub(super) fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Makes the constant part as wide as a context has become.
    pub(super) fn widen(&mut self, capacity: usize) {
        if capacity > self.n_context {
            self.rows.insert_positions(self.first_column(), capacity - self.n_context);
            self.n_context = capacity;
        }
    }

    /// The rows that must not be negative.
    pub(super) fn restricted_rows(&self) -> impl Iterator<Item = usize> + use<'_> {
        (0..self.rows.len()).filter(|&r| self.row_owner[r] >= self.n_values)
    }

    /// The sign of the coefficient of `M` in the constant of a row.
    pub(super) fn big_sign(&self, r: usize) -> i32 {
        self.rows.sign(r, BIG)
    }

    /// The sign of the constant of a row without domain columns; nothing if there are some.
    pub(super) fn plain_sign(&self, r: usize) -> Option<i32> {
        let plain = (BIG + 1..self.first_column()).all(|p| self.rows.sign(r, p) == 0);
        plain.then(|| self.rows.sign(r, CONSTANT))
    }

    /// The numerator of the constant of a row without `M`, over the columns of the context.
    pub(super) fn constant(&self, r: usize) -> Row {
        std::iter::once(CONSTANT).chain(BIG + 1..self.first_column()).map(|p| self.rows.entry(r, p)).collect()
    }

    pub(super) fn sign(&self, r: usize) -> Option<Sign> {
        self.sign[r]
    }

    pub(super) fn set_sign(&mut self, r: usize, sign: Sign) {
        self.sign[r] = Some(sign);
    }

    /// After the context became smaller: only that a constant is not negative is still known.
    pub(super) fn forget_signs(&mut self) {
        for sign in &mut self.sign {
            if *sign != Some(Sign::NotNegative) {
                *sign = None;
            }
        }
    }

    /// Whether growing some column unknown raises the row.
    pub(super) fn can_rise(&self, r: usize) -> bool {
        (self.first_column()..self.rows.width()).any(|p| self.rows.sign(r, p) > 0)
    }

    /// The dual simplex step on a row whose constant is not positive: exchanges it with the column that keeps all
    /// columns lexicographically positive. Returns false if no column can raise the row.
    pub(super) fn step(&mut self, r: usize, budget: &Budget) -> Result<bool, Exhausted> {
        let first = self.first_column();
        let mut best: Option<usize> = None;
        for p in first..self.rows.width() {
            if self.rows.sign(r, p) > 0 && best.is_none_or(|b| self.compare(r, p, b) == Ordering::Less) {
                best = Some(p);
            }
        }
        let Some(p) = best else { return Ok(false) };
        for i in 0..self.rows.len() {
            // The constant moves in the direction of the sign of the entry.
            let keeps = match self.rows.sign(i, p) {
                0 => true,
                1 => self.sign[i] == Some(Sign::NotNegative),
                _ => self.sign[i] == Some(Sign::NotPositive),
            };
            if !keeps {
                self.sign[i] = None;
            }
        }
        let cost = self.rows.pivot(r, p);
        self.sign[r] = Some(Sign::NotNegative);
        let c = p - first;
        std::mem::swap(&mut self.row_owner[r], &mut self.col_owner[c]);
        self.place[self.row_owner[r]] = RowOrColumn::Row(r);
        self.place[self.col_owner[c]] = RowOrColumn::Column(c);
        if self.row_owner[r] >= self.first_cut {
            self.drop_row(r);
        }
        budget.spend(cost)?;
        Ok(true)
    }

    /// Forgets a cut that is not tight any more: it has done its work, as the values never fall again.
    fn drop_row(&mut self, r: usize) {
        self.rows.swap_remove(r);
        self.row_owner.swap_remove(r);
        self.sign.swap_remove(r);
        if let Some(&moved) = self.row_owner.get(r) {
            self.place[moved] = RowOrColumn::Row(r);
        }
    }

    /// Compares the columns at two positions, divided by their positive entries in row `r`, lexicographically.
    fn compare(&self, r: usize, i: usize, j: usize) -> Ordering {
        let first = self.first_column();
        for unknown in 0..self.n_ordered {
            let order = match self.place[unknown] {
                RowOrColumn::Row(k) => self.rows.compare_columns(k, r, i, j),
                RowOrColumn::Column(c) if c + first == i => Ordering::Greater,
                RowOrColumn::Column(c) if c + first == j => Ordering::Less,
                RowOrColumn::Column(_) => Ordering::Equal,
            };
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    }

    /// The first value whose constant contains `M`: it has no minimum.
    pub(super) fn unbounded_value(&self) -> Option<usize> {
        (0..self.n_values).find(|&k| matches!(self.place[k], RowOrColumn::Row(r) if self.rows.sign(r, BIG) != 0))
    }

    /// The first row, in the order of values and variables, whose constant is not plainly an integer.
    pub(super) fn fractional_row(&self) -> Option<usize> {
        self.fractional_rows().next()
    }

    /// The rows of values and variables, in this order, whose constants are not plainly integers.
    pub(super) fn fractional_rows(&self) -> impl Iterator<Item = usize> + use<'_> {
        let fractional = move |&r: &usize| {
            let d = self.rows.entry(r, DENOMINATOR);
            !d.is_one()
                && std::iter::once(CONSTANT)
                    .chain(BIG + 1..self.first_column())
                    .any(|p| self.rows.sign(r, p) != 0 && !d.divides(&self.rows.entry(r, p)))
        };
        let rows = self.place[..self.n_ordered].iter().filter_map(|place| match place {
            RowOrColumn::Row(r) => Some(*r),
            RowOrColumn::Column(_) => None,
        });
        rows.filter(fractional)
    }

    /// The denominator of a row.
    pub(super) fn denominator(&self, r: usize) -> Int {
        self.rows.entry(r, DENOMINATOR)
    }

    /// The constant of value `k`, which must be an integer expression, over the columns of the context.
    pub(super) fn value(&self, k: usize) -> Row {
        let RowOrColumn::Row(r) = self.place[k] else { return relation::zeros(1 + self.n_context) };
        let mut constant = self.constant(r);
        relation::div_exact(&mut constant, &self.denominator(r));
        constant
    }

    /// Adds the cut `sum (a_j mod d) c_j >= residue`, divided by `d`, for row `r` with denominator `d` and entries
    /// `a_j`. The residue is never negative and somewhere positive in the context.
    pub(super) fn add_cut(&mut self, r: usize, residue: &[Int]) {
        let d = self.denominator(r);
        let mut entries = vec![Int::zero(); self.rows.width()];
        entries[CONSTANT] = -&residue[0];
        for (slot, x) in entries[BIG + 1..].iter_mut().zip(&residue[1..]) {
            *slot = -x;
        }
        for (p, slot) in entries.iter_mut().enumerate().skip(self.first_column()) {
            if self.rows.sign(r, p) != 0 {
                *slot = self.rows.entry(r, p).rem_floor(&d);
            }
        }
        entries[DENOMINATOR] = d;
        self.push_slack(&entries, Some(Sign::NotPositive));
    }

    /// Adds an expression that is zero in the context to the numerator of a row.
    pub(super) fn add_zero(&mut self, r: usize, zero: &[Int]) {
        let mut entries: Vec<Int> = (0..self.rows.width()).map(|p| self.rows.entry(r, p)).collect();
        entries[CONSTANT] += &zero[0];
        for (slot, x) in entries[BIG + 1..].iter_mut().zip(&zero[1..]) {
            *slot += x;
        }
        self.rows.set_entries(r, &entries);
    }
}
