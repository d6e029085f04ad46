//! [`Problem`]: a parametric integer program as given, and the reductions that need no simplex.
//!
//! Columns of all rows: `[1 | domain | variables | divs]`; the divs are known functions of the domain and grow at the
//! end. Invariants between the reductions: the optimum of the original variables is `values` at the lexicographic
//! minimum of these expressions; a row without variables is in the context; a variable that was eliminated has zero
//! columns.
//!
//! # Reductions
//!
//! * An equality with a unit coefficient substitutes that variable, the last one if there are several. Otherwise the
//!   greatest common divisor of the coefficients of its variables must divide the rest, which becomes a condition of
//!   the domain with a new division, and unimodular changes of variables (Euclid's algorithm) produce a unit
//!   coefficient.
//! * A variable that no value depends on is dropped with its rows if it is unbounded on one side, and eliminated by the
//!   method of Fourier and Motzkin if all bounds of one side have unit coefficients and no more rows arise than
//!   disappear.
//! * If the first value that is not known yet depends on one variable only, and its single bound on the side that
//!   counts depends on the domain only, then the variable takes that bound: all its other rows are looser there than
//!   anywhere else.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::relation::{self, Conjunction, Div, Row};

use super::Piece;

/// A lexicographic minimisation; see the module documentation.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// Number of domain columns, without that of the constant.
    pub(super) n_dom: usize,
    /// Number of variables, also those that are gone.
    pub(super) n_var: usize,
    pub(super) divs: Vec<Div>,
    pub(super) eqs: Vec<Row>,
    pub(super) ineqs: Vec<Row>,
    /// The expressions to minimise.
    pub(super) values: Vec<Row>,
    /// Equalities and inequalities of the domain.
    pub(super) context_eqs: Vec<Row>,
    pub(super) context_ineqs: Vec<Row>,
    maximise: bool,
}

impl Problem {
    /// The problem to minimise (or maximise) the columns `targets` of a conjunction, in this order, as functions of its
    /// first `n_dom` columns after the constant. All other columns only have to exist.
    pub(crate) fn new(c: &Conjunction, n_dom: usize, targets: &[usize], maximise: bool) -> Problem {
        let base = c.space().n_col();
        let n_local = c.n_local();
        // Divisions of the domain stay divisions, other locals become variables.
        let mut is_context: Vec<bool> = Vec::with_capacity(n_local);
        for k in 0..n_local {
            let known = c.div(k).is_some_and(|d| {
                relation::all_zero(&d.row[1 + n_dom..base])
                    && (0..n_local).all(|l| d.row[base + l].is_zero() || is_context.get(l) == Some(&true))
            });
            is_context.push(known);
        }
        let n_var = base - 1 - n_dom + is_context.iter().filter(|&&known| !known).count();
        let (mut next_var, mut next_div) = (base, 1 + n_dom + n_var);
        let mut map: Vec<usize> = (0..base).collect();
        for &known in &is_context {
            let next = if known { &mut next_div } else { &mut next_var };
            map.push(*next);
            *next += 1;
        }
        let n = next_div;
        let place = |row: &[Int]| {
            let mut row = relation::remap(row, &map, n);
            if maximise {
                for &target in targets {
                    row[target] = -std::mem::take(&mut row[target]);
                }
            }
            row
        };
        let mut ineqs: Vec<Row> = c.ineqs().iter().map(|r| place(r)).collect();
        let mut divs = Vec::new();
        for (k, &known) in is_context.iter().enumerate() {
            let Some(div) = c.div(k) else { continue };
            let row = place(&div.row);
            if known {
                divs.push(Div { row, den: div.den.clone() });
            } else {
                let mut lower = row;
                lower[map[base + k]] -= &div.den;
                let mut upper = relation::negated(&lower);
                upper[0] += &div.den - 1;
                ineqs.extend([lower, upper]);
            }
        }
        let unit = |&target: &usize| {
            let mut row = relation::zeros(n);
            row[target] = Int::one();
            row
        };
        Problem {
            n_dom,
            n_var,
            divs,
            eqs: c.eqs().iter().map(|r| place(r)).collect(),
            ineqs,
            values: targets.iter().map(unit).collect(),
            context_eqs: Vec::new(),
            context_ineqs: Vec::new(),
            maximise,
        }
    }

    /// The columns of the variables.
    pub(super) fn vars(&self) -> std::ops::Range<usize> {
        1 + self.n_dom..1 + self.n_dom + self.n_var
    }

    fn n_col(&self) -> usize {
        1 + self.n_dom + self.n_var + self.divs.len()
    }

    fn is_constant(&self, row: &[Int]) -> bool {
        relation::all_zero(&row[self.vars()])
    }

    /// Whether the values and the context are the answer.
    pub(super) fn is_solved(&self) -> bool {
        self.ineqs.is_empty() && self.values.iter().all(|v| self.is_constant(v))
    }

    /// The answer of a solved problem.
    pub(super) fn into_piece(self) -> Piece {
        let strip = |row: &Row| self.without_variables(row);
        Piece {
            divs: self.divs.iter().map(|d| Div { row: strip(&d.row), den: d.den.clone() }).collect(),
            eqs: self.context_eqs.iter().map(strip).collect(),
            ineqs: self.context_ineqs.iter().map(strip).collect(),
            values: self.values.iter().map(|v| self.oriented(strip(v))).collect(),
        }
    }

    /// A row without its variable columns.
    pub(super) fn without_variables(&self, row: &[Int]) -> Row {
        let vars = self.vars();
        row[..vars.start].iter().chain(&row[vars.end..]).cloned().collect()
    }

    /// The value of an optimised variable from the value of the expression that was minimised.
    pub(super) fn oriented(&self, value: Row) -> Row {
        if self.maximise { relation::negated(&value) } else { value }
    }

    /// Applies the reductions until none applies. Returns false if there is no solution at all.
    pub(super) fn reduce(&mut self, budget: &Budget) -> Result<bool, Exhausted> {
        if !self.solve_equalities(budget)? || !self.sort_rows() {
            return Ok(false);
        }
        loop {
            budget.spend(self.ineqs.len() as u64)?;
            if !self.project_one(budget)? && !self.settle_value(budget)? {
                return Ok(true);
            }
            if !self.sort_rows() {
                return Ok(false);
            }
        }
    }

    /// Replaces a variable by an expression, which may contain the variable with its new meaning.
    fn substitute(&mut self, column: usize, value: &[Int]) {
        for row in self.eqs.iter_mut().chain(&mut self.ineqs).chain(&mut self.values) {
            let factor = std::mem::take(&mut row[column]);
            relation::add_scaled(row, &factor, value);
        }
    }

    /// The column of the division `floor(row / den)` of domain columns, an old one if possible.
    fn division(&mut self, mut row: Row, mut den: Int) -> usize {
        let g = relation::gcd(&row[1..]).gcd(&den);
        row[0] = row[0].div_floor(&g);
        relation::div_exact(&mut row[1..], &g);
        den = den.div_exact(&g);
        let first = self.vars().end;
        let div = Div { row, den };
        if let Some(k) = self.divs.iter().position(|d| *d == div) {
            return first + k;
        }
        self.divs.push(div);
        let n = self.n_col();
        for row in self.rows_mut() {
            row.resize(n, Int::zero());
        }
        n - 1
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        let rows = self.eqs.iter_mut().chain(&mut self.ineqs).chain(&mut self.values);
        let context = self.context_eqs.iter_mut().chain(&mut self.context_ineqs);
        rows.chain(context).chain(self.divs.iter_mut().map(|d| &mut d.row))
    }

    /// Solves the equalities; false if one is a contradiction.
    fn solve_equalities(&mut self, budget: &Budget) -> Result<bool, Exhausted> {
        let vars = self.vars();
        loop {
            budget.spend(1 + (self.eqs.len() + self.ineqs.len()) as u64)?;
            // An equality with a unit coefficient, if there is one, and its last such variable.
            let unit = |row: &Row| vars.clone().rev().find(|&v| row[v].is_unit());
            let found = self.eqs.iter().enumerate().find_map(|(k, row)| unit(row).map(|v| (k, v)));
            if let Some((k, v)) = found {
                let mut value = self.eqs.swap_remove(k);
                if value[v].is_positive() {
                    value = relation::negated(&value);
                }
                value[v] = Int::zero();
                self.substitute(v, &value);
                continue;
            }
            let Some(mut row) = self.eqs.pop() else { return Ok(true) };
            let content = relation::gcd(&row[1..]);
            if content.is_zero() || !content.divides(&row[0]) {
                if row[0].is_zero() {
                    continue;
                }
                return Ok(false);
            }
            relation::div_exact(&mut row, &content);
            let g = relation::gcd(&row[vars.clone()]);
            if g.is_zero() {
                self.context_eqs.push(row);
                continue;
            }
            if !g.is_one() {
                row = self.divide_equality(row, &g);
            } else if !vars.clone().any(|v| row[v].is_unit()) {
                // Euclid's algorithm: reduce the other coefficients by the smallest.
                let Some(p) = vars.clone().filter(|&v| !row[v].is_zero()).min_by(|&a, &b| row[a].cmp_abs(&row[b]))
                else {
                    continue;
                };
                let mut value = relation::zeros(row.len());
                value[p] = Int::one();
                for v in vars.clone().filter(|&v| v != p && !row[v].is_zero()) {
                    value[v] = -row[v].div_floor(&row[p]);
                }
                self.eqs.push(row);
                self.substitute(p, &value);
                continue;
            }
            self.eqs.push(row);
        }
    }

    /// `row = 0` where `g` divides the coefficients of all variables: the rest must be divisible too. Returns the
    /// equality divided by `g`.
    fn divide_equality(&mut self, mut row: Row, g: &Int) -> Row {
        let vars = self.vars();
        let mut rest = row.clone();
        for v in vars.clone() {
            rest[v] = Int::zero();
            row[v] = row[v].div_exact(g);
        }
        // rest = g q as a condition of the domain
        let q = self.division(rest.clone(), g.clone());
        let n = self.n_col();
        rest.resize(n, Int::zero());
        rest[q] -= g;
        self.context_eqs.push(rest);
        let mut result = relation::zeros(n);
        for v in vars {
            result[v] = std::mem::take(&mut row[v]);
        }
        result[q] = Int::one();
        result
    }

    /// Divides rows by their content and moves those without variables to the context; false if one is a contradiction.
    fn sort_rows(&mut self) -> bool {
        let vars = self.vars();
        let mut feasible = true;
        let context = &mut self.context_ineqs;
        self.ineqs.retain_mut(|row| {
            let g = relation::gcd(&row[1..]);
            if g.is_zero() {
                feasible &= !row[0].is_negative();
                return false;
            }
            if !g.is_one() {
                row[0] = row[0].div_floor(&g);
                relation::div_exact(&mut row[1..], &g);
            }
            if relation::all_zero(&row[vars.clone()]) {
                if !context.contains(row) {
                    context.push(std::mem::take(row));
                }
                return false;
            }
            true
        });
        if feasible {
            self.merge_parallel();
        }
        feasible
    }

    /// Of inequalities with equal coefficients keeps the tightest.
    fn merge_parallel(&mut self) {
        let mut k = 1;
        while k < self.ineqs.len() {
            let (earlier, rest) = self.ineqs.split_at_mut(k);
            let row = &rest[0];
            match earlier.iter_mut().find(|r| r[1..] == row[1..]) {
                Some(old) => {
                    if row[0] < old[0] {
                        old[0] = row[0].clone();
                    }
                    self.ineqs.swap_remove(k);
                }
                None => k += 1,
            }
        }
    }

    /// Removes one variable that no value depends on; whether one was found.
    fn project_one(&mut self, budget: &Budget) -> Result<bool, Exhausted> {
        for v in self.vars().rev() {
            if self.values.iter().any(|r| !r[v].is_zero()) {
                continue;
            }
            let (mut lower, mut upper, mut lower_units, mut upper_units) = (0, 0, true, true);
            for row in &self.ineqs {
                match row[v].signum() {
                    1 => {
                        lower += 1;
                        lower_units &= row[v].is_one();
                    }
                    -1 => {
                        upper += 1;
                        upper_units &= row[v].is_unit();
                    }
                    _ => {}
                }
            }
            if lower + upper == 0
                || lower * upper > lower + upper
                || !(lower_units || upper_units || lower * upper == 0)
            {
                continue;
            }
            budget.spend(lower * upper)?;
            let bounds: Vec<Row> = self.ineqs.extract_if(.., |row| !row[v].is_zero()).collect();
            for low in bounds.iter().filter(|r| r[v].is_positive()) {
                for high in bounds.iter().filter(|r| r[v].is_negative()) {
                    let mut sum = low.clone();
                    relation::scale(&mut sum, &-&high[v]);
                    relation::add_scaled(&mut sum, &low[v], high);
                    self.ineqs.push(sum);
                }
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Gives the first unknown value its single bound, if it has one; whether it has.
    fn settle_value(&mut self, budget: &Budget) -> Result<bool, Exhausted> {
        let vars = self.vars();
        let Some(value) = self.values.iter().find(|v| !self.is_constant(v)) else { return Ok(false) };
        let mut used = vars.filter(|&v| !value[v].is_zero());
        let (Some(v), None) = (used.next(), used.next()) else { return Ok(false) };
        // A lower bound has a positive coefficient; where the value falls with the variable, upper bounds count.
        let side = value[v].signum();
        let mut bounds = (0..self.ineqs.len()).filter(|&k| self.ineqs[k][v].signum() == side);
        let (Some(k), None) = (bounds.next(), bounds.next()) else { return Ok(false) };
        if self.vars().any(|u| u != v && !self.ineqs[k][u].is_zero()) {
            return Ok(false);
        }
        budget.spend(2 * self.ineqs.len() as u64)?;
        // coefficient * v + rest >= 0 with the extreme value -side * floor(rest / |coefficient|)
        let mut rest = self.ineqs.swap_remove(k);
        let coefficient = std::mem::take(&mut rest[v]).abs();
        let sign = Int::from(-i64::from(side));
        if coefficient.is_one() {
            relation::scale(&mut rest, &sign);
            self.substitute(v, &rest);
        } else {
            let constant = relation::all_zero(&rest[1..]).then(|| rest[0].div_floor(&coefficient));
            let q = if constant.is_some() { 0 } else { self.division(rest, coefficient) };
            let mut value = relation::zeros(self.n_col());
            value[q] = sign * constant.unwrap_or_else(Int::one);
            self.substitute(v, &value);
        }
        Ok(true)
    }
}
