//! The search of parametric integer programming: dual simplex steps, splits of the context, cuts.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::lp;
use crate::relation::{self, Div, Row};

use super::context::{Context, Sign};
use super::integer;
use super::problem::Problem;
use super::tableau::Simplex;
use super::{Failure, Piece};

/// After this many cuts on a branch, and whenever the number has doubled, the branch is asked for an integer point.
const CUTS_BEFORE_TEST: usize = 16;

/// The cost of cuts after which another method gets a first try.
const CUTS_BEFORE_SEARCH: u64 = 20_000;

/// One branch of the search.
#[derive(Clone, Debug)]
struct Branch {
    context: Context,
    simplex: Simplex,
    n_cuts: usize,
}

/// What a branch does next.
enum Next {
    /// Nothing: it has no solution.
    Stop,
    /// A dual simplex step on this row.
    Step(usize),
    /// The constant of this row has both signs.
    Split(usize),
    /// All constants are not negative.
    Optimal,
}

/// The pieces of the lexicographic minimum of a reduced problem.
pub(super) fn solve(problem: &Problem, budget: &Budget) -> Result<Vec<Piece>, Failure> {
    let strip = |row: &Row| problem.without_variables(row);
    let divs: Vec<Div> = problem.divs.iter().map(|d| Div { row: strip(&d.row), den: d.den.clone() }).collect();
    let eqs: Vec<Row> = problem.context_eqs.iter().map(strip).collect();
    let ineqs: Vec<Row> = problem.context_ineqs.iter().map(strip).collect();
    let Some(context) = Context::new(problem.n_dom, &divs, &eqs, &ineqs, budget)? else { return Ok(Vec::new()) };
    let simplex = Simplex::new(problem, context.capacity(), budget)?;
    let mut stack = vec![Branch { context, simplex, n_cuts: 0 }];
    let mut pieces = Vec::new();
    let (start, mut patience) = (budget.spent(), CUTS_BEFORE_SEARCH);
    let plain = integer::applies(problem);
    while let Some(mut branch) = stack.pop() {
        loop {
            budget.spend(1 + branch.simplex.n_rows() as u64)?;
            match branch.next(budget)? {
                Next::Stop => break,
                Next::Step(r) => {
                    if !branch.simplex.step(r, budget)? {
                        break;
                    }
                }
                Next::Split(r) => {
                    budget.spend(2 * branch.simplex.weight())?;
                    let constant = branch.simplex.constant(r);
                    let mut negative = branch.clone();
                    negative.restrict(&complement(&constant), budget)?;
                    negative.simplex.set_sign(r, Sign::NotPositive);
                    stack.push(negative);
                    branch.restrict(&constant, budget)?;
                    branch.simplex.set_sign(r, Sign::NotNegative);
                }
                Next::Optimal => {
                    if let Some(k) = branch.simplex.unbounded_value() {
                        if branch.has_solution(problem, budget)? {
                            return Err(Failure::Unbounded(k));
                        }
                        break;
                    }
                    let Some(r) = branch.simplex.fractional_row() else {
                        pieces.push(branch.piece(problem));
                        break;
                    };
                    let spent = budget.spent().saturating_sub(start);
                    if plain && spent > patience {
                        match limited(budget, spent, |own| integer::least(problem, own))? {
                            None => patience = 2 * budget.spent().saturating_sub(start),
                            Some(least) => {
                                pieces.extend(least.map(|values| branch.piece_of_numbers(&values, problem)));
                                break;
                            }
                        }
                    }
                    if !branch.cut_all(r, problem, budget)? {
                        break;
                    }
                }
            }
        }
    }
    Ok(pieces)
}

/// Runs `f` with a part of the budget, which is then spent; nothing if the part was not enough.
fn limited<T>(budget: &Budget, part: u64, f: impl FnOnce(&Budget) -> Result<T, Failure>) -> Result<Option<T>, Failure> {
    match budget.share(part, f)? {
        Err(Failure::Exhausted(_)) => Ok(None),
        other => other.map(Some),
    }
}

/// `-row - 1`
fn complement(row: &[Int]) -> Row {
    let mut result = relation::negated(row);
    result[0] -= 1;
    result
}

impl Branch {
    fn next(&mut self, budget: &Budget) -> Result<Next, Exhausted> {
        // What needs no context first: the sign of M, constants without domain columns, signs that are known.
        let (mut conditions, mut open) = (Vec::new(), Vec::new());
        for r in self.simplex.restricted_rows() {
            match self.simplex.big_sign(r) {
                1 => continue,
                -1 => return Ok(Next::Step(r)),
                _ => {}
            }
            match self.simplex.sign(r) {
                Some(Sign::NotNegative) => {}
                Some(Sign::NotPositive) if self.simplex.can_rise(r) => return Ok(Next::Step(r)),
                _ => match self.simplex.plain_sign(r) {
                    Some(-1) => return Ok(Next::Step(r)),
                    Some(_) => {}
                    None if self.simplex.can_rise(r) => open.push(r),
                    None => conditions.push(r),
                },
            }
        }
        // A row that no column can raise is a condition of the domain.
        for r in conditions {
            let constant = self.simplex.constant(r);
            if !self.context.has_point(&constant, budget)? {
                return Ok(Next::Stop);
            }
            if self.context.has_point(&complement(&constant), budget)? {
                self.context.restrict(&constant, budget)?;
                self.simplex.forget_signs();
            }
            self.simplex.set_sign(r, Sign::NotNegative);
        }
        let mut split = None;
        for r in open {
            let sign = match self.simplex.sign(r) {
                Some(sign) => sign,
                None => self.context.sign(&self.simplex.constant(r), budget)?,
            };
            self.simplex.set_sign(r, sign);
            match sign {
                Sign::NotNegative => {}
                Sign::NotPositive => return Ok(Next::Step(r)),
                Sign::Mixed => split = split.or(Some(r)),
            }
        }
        Ok(split.map_or(Next::Optimal, Next::Split))
    }

    /// Adds `row >= 0`, which some point of the context satisfies.
    fn restrict(&mut self, row: &[Int], budget: &Budget) -> Result<(), Exhausted> {
        // The sample that proved it may be gone.
        self.context.has_point(row, budget)?;
        self.context.restrict(row, budget)?;
        self.simplex.forget_signs();
        Ok(())
    }

    /// [`Branch::cut`] for row `r`, and cuts for all other rows with a constant that is a fraction and the same for all
    /// points of the context: their cuts need no division.
    fn cut_all(&mut self, r: usize, problem: &Problem, budget: &Budget) -> Result<bool, Exhausted> {
        let others: Vec<usize> =
            self.simplex.fractional_rows().filter(|&s| s != r && self.simplex.plain_sign(s).is_some()).collect();
        if !self.cut(r, problem, budget)? {
            return Ok(false);
        }
        for s in others {
            budget.spend(1)?;
            let residue = (-self.simplex.constant(s)[0].clone()).rem_floor(&self.simplex.denominator(s));
            let mut row = relation::zeros(1 + self.context.capacity());
            row[0] = residue;
            self.simplex.add_cut(s, &row);
        }
        Ok(true)
    }

    /// Makes the constant of row `r` an integer: by a cut, or by a condition of the context that makes it one already.
    /// Returns false if the branch has no solution.
    fn cut(&mut self, r: usize, problem: &Problem, budget: &Budget) -> Result<bool, Exhausted> {
        self.n_cuts += 1;
        let tested = self.n_cuts / CUTS_BEFORE_TEST;
        if self.n_cuts.is_multiple_of(CUTS_BEFORE_TEST) && tested.is_power_of_two() {
            // Without an answer the cuts go on: the test must not cost more than they do.
            let part = CUTS_BEFORE_SEARCH.max(budget.spent());
            let found = budget.share(part, |own| self.has_solution(problem, own))?;
            if found == Ok(false) {
                return Ok(false);
            }
        }
        budget.spend(self.simplex.n_rows() as u64)?;
        // The row is (k(p) + sum a_j c_j) / d. With residue(p) = -k(p) mod d in [0, d), an integer value needs
        // sum (a_j mod d) c_j >= residue(p).
        let d = self.simplex.denominator(r);
        let two = Int::from(2);
        let mut residue: Row = self
            .simplex
            .constant(r)
            .iter()
            .map(|x| {
                let rest = (-x).rem_floor(&d);
                if &rest * &two > d { rest - &d } else { rest }
            })
            .collect();
        residue[0] = residue[0].rem_floor(&d);
        if !relation::all_zero(&residue[1..]) {
            let q = self.context.division(residue.clone(), d.clone(), budget)?;
            residue.resize(1 + self.context.capacity(), Int::zero());
            self.simplex.widen(self.context.capacity());
            residue[q] -= &d;
            let mut positive = residue.clone();
            positive[0] -= 1;
            if !self.context.has_point(&positive, budget)? {
                self.simplex.add_zero(r, &residue);
                return Ok(true);
            }
        }
        self.simplex.add_cut(r, &residue);
        Ok(true)
    }

    /// Whether there is an integer solution for some point of the context. Exact.
    fn has_solution(&self, problem: &Problem, budget: &Budget) -> Result<bool, Exhausted> {
        // Columns: [1 | context | variables].
        let capacity = self.context.capacity();
        let n = capacity + problem.n_var;
        let vars = problem.vars();
        let wide = |row: &Row| {
            let mut row = row.clone();
            row.resize(1 + n, Int::zero());
            row
        };
        let eqs: Vec<Row> = self.context.eqs().iter().map(wide).collect();
        let mut ineqs: Vec<Row> = self.context.solver_ineqs().iter().map(wide).collect();
        for row in &problem.ineqs {
            let mut joint = problem.without_variables(row);
            joint.resize(1 + capacity, Int::zero());
            joint.extend_from_slice(&row[vars.clone()]);
            ineqs.push(joint);
        }
        Ok(!lp::is_empty_integer(n, &eqs, &ineqs, budget)?)
    }

    /// The piece whose values are these numbers.
    fn piece_of_numbers(&self, values: &[Int], problem: &Problem) -> Piece {
        let constant = |value: &Int| {
            let mut row = relation::zeros(1 + self.context.used());
            row[0] = value.clone();
            problem.oriented(row)
        };
        self.piece_with(values.iter().map(constant).collect())
    }

    fn piece(&self, problem: &Problem) -> Piece {
        let value = |k| {
            let mut row = self.simplex.value(k);
            row.truncate(1 + self.context.used());
            problem.oriented(row)
        };
        self.piece_with((0..problem.values.len()).map(value).collect())
    }

    fn piece_with(&self, values: Vec<Row>) -> Piece {
        let n = 1 + self.context.used();
        let cut = |row: &Row| {
            let mut row = row.clone();
            row.truncate(n);
            row
        };
        Piece {
            divs: self.context.divs().iter().map(|d| Div { row: cut(&d.row), den: d.den.clone() }).collect(),
            eqs: self.context.eqs().iter().map(cut).collect(),
            ineqs: self.context.ineqs().iter().map(cut).collect(),
            values,
        }
    }
}
