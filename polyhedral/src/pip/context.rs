//! [`Context`]: what is known about the domain in one branch of the search.
//!
//! A context is a conjunction over `[1 | domain | divs | spare]`, always with an integer point: a few known ones, the
//! *samples*, answer most questions about signs at once. Otherwise a rational simplex tableau is asked, and where its
//! answer is a point that is not an integer, integer programming.

use crate::arith::{Int, Rational};
use crate::budget::{Budget, Exhausted};
use crate::lp::{self, Tableau};
use crate::relation::{self, Div, Row};

/// More samples than this are not kept.
const MAX_SAMPLES: usize = 8;

/// Room for this many more divisions before all rows are made longer.
const SPARE: usize = 4;

/// The values that an integer expression takes in a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// Never negative.
    NotNegative,
    /// Sometimes negative, never positive.
    NotPositive,
    /// Sometimes negative, sometimes positive.
    Mixed,
}

/// A conjunction of conditions of the domain that has an integer point; see the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Context {
    /// Number of columns in use, without that of the constant.
    used: usize,
    /// The same with the spare columns.
    capacity: usize,
    divs: Vec<Div>,
    eqs: Vec<Row>,
    ineqs: Vec<Row>,
    /// `ineqs` and the inequalities that define the divisions.
    solver_ineqs: Vec<Row>,
    tableau: Tableau,
    samples: Vec<Vec<Int>>,
}

impl Context {
    /// The context of some constraints over `[1 | domain | divs]`; nothing if it has no integer point.
    pub(super) fn new(
        n_dom: usize,
        divs: &[Div],
        eqs: &[Row],
        ineqs: &[Row],
        budget: &Budget,
    ) -> Result<Option<Context>, Exhausted> {
        let used = n_dom + divs.len();
        let mut context = Context {
            used,
            capacity: used,
            divs: divs.to_vec(),
            eqs: eqs.to_vec(),
            ineqs: ineqs.to_vec(),
            solver_ineqs: ineqs.to_vec(),
            tableau: Tableau::new(used + SPARE),
            samples: Vec::new(),
        };
        for (k, div) in divs.iter().enumerate() {
            context.solver_ineqs.extend(definition(div, 1 + n_dom + k));
        }
        context.grow(budget)?;
        let found = match context.tableau_point() {
            Some(Ok(point)) => Some(point),
            Some(Err(())) => lp::sample_integer(context.capacity, &context.eqs, &context.solver_ineqs, budget)?,
            None => None,
        };
        Ok(found.map(|point| {
            context.samples.push(point);
            context
        }))
    }

    /// Makes room for more divisions.
    fn grow(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        self.capacity = self.used + SPARE;
        let n = 1 + self.capacity;
        let rows = self.eqs.iter_mut().chain(&mut self.ineqs).chain(&mut self.solver_ineqs);
        for row in rows.chain(self.divs.iter_mut().map(|d| &mut d.row)) {
            row.resize(n, Int::zero());
        }
        for point in &mut self.samples {
            point.resize(n - 1, Int::zero());
        }
        self.tableau = Tableau::from_system(self.capacity, &self.eqs, &self.solver_ineqs, budget)?;
        Ok(())
    }

    /// The number of columns after the constant in use.
    pub(super) fn used(&self) -> usize {
        self.used
    }

    /// The number of columns after the constant, spare ones included.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn divs(&self) -> &[Div] {
        &self.divs
    }

    pub(super) fn eqs(&self) -> &[Row] {
        &self.eqs
    }

    pub(super) fn ineqs(&self) -> &[Row] {
        &self.ineqs
    }

    /// The inequalities together with those that define the divisions.
    pub(super) fn solver_ineqs(&self) -> &[Row] {
        &self.solver_ineqs
    }

    /// The sample point of the tableau: nothing if the tableau is empty, an error if it is not an integer point.
    fn tableau_point(&self) -> Option<Result<Vec<Int>, ()>> {
        let sample = self.tableau.sample()?;
        if !sample.iter().all(Rational::is_integer) {
            return Some(Err(()));
        }
        Some(Ok(sample.iter().map(Rational::floor).collect()))
    }

    /// Whether some integer point has `row >= 0`. Remembers the point.
    pub(super) fn has_point(&mut self, row: &[Int], budget: &Budget) -> Result<bool, Exhausted> {
        budget.spend(1 + self.samples.len() as u64)?;
        if self.samples.iter().any(|point| !relation::eval(row, point).is_negative()) {
            return Ok(true);
        }
        let Some(row) = tightened(row) else { return Ok(!row[0].is_negative()) };
        if self.ineqs.iter().any(|known| excludes(known, &row)) {
            return Ok(false);
        }
        let snapshot = self.tableau.snapshot();
        self.tableau.add_ineq(&row, budget)?;
        let point = self.tableau_point();
        self.tableau.rollback(snapshot);
        let point = match point {
            None => return Ok(false),
            Some(Ok(point)) => Some(point),
            Some(Err(())) => {
                self.solver_ineqs.push(row);
                let found = lp::sample_integer(self.capacity, &self.eqs, &self.solver_ineqs, budget);
                self.solver_ineqs.pop();
                found?
            }
        };
        let Some(point) = point else { return Ok(false) };
        if self.samples.len() == MAX_SAMPLES {
            self.samples.remove(0);
        }
        self.samples.push(point);
        Ok(true)
    }

    /// The sign of an integer expression. Exact.
    pub(super) fn sign(&mut self, row: &[Int], budget: &Budget) -> Result<Sign, Exhausted> {
        if relation::all_zero(&row[1..]) {
            return Ok(if row[0].is_negative() { Sign::NotPositive } else { Sign::NotNegative });
        }
        let mut negative = relation::negated(row);
        negative[0] -= 1;
        if !self.has_point(&negative, budget)? {
            return Ok(Sign::NotNegative);
        }
        let mut positive = Row::from(row);
        positive[0] -= 1;
        Ok(if self.has_point(&positive, budget)? { Sign::Mixed } else { Sign::NotPositive })
    }

    /// Adds `row >= 0`, which some integer point must satisfy; see [`Context::has_point`].
    pub(super) fn restrict(&mut self, row: &[Int], budget: &Budget) -> Result<(), Exhausted> {
        debug_assert!(self.samples.iter().any(|point| !relation::eval(row, point).is_negative()));
        let Some(row) = tightened(row) else { return Ok(()) };
        self.samples.retain(|point| !relation::eval(&row, point).is_negative());
        self.tableau.add_ineq(&row, budget)?;
        self.solver_ineqs.push(row.clone());
        self.ineqs.push(row);
        Ok(())
    }

    /// The column of the division `floor(row / den)`; a new one if there is none yet. The row is over columns in use.
    /// Can increase the capacity.
    pub(super) fn division(&mut self, mut row: Row, mut den: Int, budget: &Budget) -> Result<usize, Exhausted> {
        let g = relation::gcd(&row[1..]).gcd(&den);
        row[0] = row[0].div_floor(&g);
        relation::div_exact(&mut row[1..], &g);
        den = den.div_exact(&g);
        let div = Div { row, den };
        if let Some(k) = self.divs.iter().position(|d| *d == div) {
            return Ok(1 + self.used - self.divs.len() + k);
        }
        self.used += 1;
        let column = self.used;
        let [lower, upper] = definition(&div, column);
        for point in &mut self.samples {
            point[column - 1] = relation::eval(&div.row, point).div_floor(&div.den);
        }
        self.tableau.add_ineq(&lower, budget)?;
        self.tableau.add_ineq(&upper, budget)?;
        self.solver_ineqs.extend([lower, upper]);
        self.divs.push(div);
        if self.used == self.capacity {
            self.grow(budget)?;
        }
        Ok(column)
    }
}

/// The inequalities `num - den q >= 0` and `den q + den - 1 - num >= 0` of a division with column `q`.
fn definition(div: &Div, column: usize) -> [Row; 2] {
    let mut lower = div.row.clone();
    lower[column] -= &div.den;
    let mut upper = relation::negated(&lower);
    upper[0] += &div.den - 1;
    [lower, upper]
}

/// `row >= 0` with coefficients without common divisor; nothing if there are no coefficients.
fn tightened(row: &[Int]) -> Option<Row> {
    let g = relation::gcd(&row[1..]);
    if g.is_zero() {
        return None;
    }
    let mut row = Row::from(row);
    if !g.is_one() {
        row[0] = row[0].div_floor(&g);
        relation::div_exact(&mut row[1..], &g);
    }
    Some(row)
}

/// Whether two inequalities have opposite coefficients and no common point.
fn excludes(known: &[Int], row: &[Int]) -> bool {
    (&known[0] + &row[0]).is_negative() && known[1..].iter().zip(&row[1..]).all(|(a, b)| (a + b).is_zero())
}
