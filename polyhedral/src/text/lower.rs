//! The meaning of formulas: conjunctions of constraints.
//!
//! All tuples of a disjunct, and every quantified variable, are columns of one conjunction that is built constraint by
//! constraint and simplified once, at the end. A formula that is a conjunction (comparisons, `and`, `exists`,
//! divisions) only adds rows, locals and divisions. Disjunctions, `!=`, minima and conditions split the conjunction
//! into several; negations are pushed inward. Only the negation of a quantifier needs operations on sets: its body
//! becomes a set over all variables in scope, which is complemented exactly.
//!
//! Cost: every row is paid for by its length, every simplification by an estimate of its work.

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{self, Conjunction, Set};
use crate::space::{Space, Tuple};

use super::parser::Parser;
use super::shared_names::SharedNames;
use super::syntax::{At, Expr, Formula, Op, Variable};
use super::value::Value;

/// The most columns (variables, divisions) of one conjunction.
const MAX_COLUMNS: usize = 10_000;

/// From this many alternatives on, those that are plainly empty are dropped.
const PRUNE: usize = 4;

/// Reads formulas and expressions; see the module documentation.
pub(super) struct Evaluator<'a, 'b> {
    pub(super) parser: Parser<'a>,
    /// The space of the declared parameters.
    pub(super) params: Space,
    /// What can be referred to, innermost last, with its column. Parameters come first.
    pub(super) names: Vec<(&'a str, usize)>,
    /// The names of tuples and dimensions so far.
    pub(super) shared: SharedNames,
    pub(super) budget: &'b Budget,
}

/// An alternative that can turn out to be empty.
pub(super) trait Alternative {
    fn conjunction(&self) -> &Conjunction;
}

impl Alternative for Conjunction {
    fn conjunction(&self) -> &Conjunction {
        self
    }
}

impl<T> Alternative for (Conjunction, T) {
    fn conjunction(&self) -> &Conjunction {
        &self.0
    }
}

impl<'a> Evaluator<'a, '_> {
    pub(super) fn error<T>(&self, at: At, expected: impl Into<String>) -> Result<T> {
        Err((*self.parser.error(at, expected)).into())
    }

    pub(super) fn spend(&self, n: usize) -> Result<()> {
        Ok(self.budget.spend(1 + n as u64)?)
    }

    /// Pays for the growth of every row by one column.
    pub(super) fn grow(&self, c: &Conjunction) -> Result<()> {
        if c.n_col() >= MAX_COLUMNS {
            return self.error(self.parser.next, "fewer than 10000 variables and divisions");
        }
        self.spend(rows(c) + c.n_col())
    }

    /// A copy, paid for.
    pub(super) fn copy(&self, c: &Conjunction) -> Result<Conjunction> {
        self.spend(rows(c) * c.n_col())?;
        Ok(c.clone())
    }

    /// Pays for the simplification of a conjunction.
    pub(super) fn pay_simplification(&self, c: &Conjunction) -> Result<()> {
        self.spend(rows(c) * (8 + c.n_col() * (2 + c.n_local()) / 8))
    }

    /// Without alternatives that are plainly empty, if there are many.
    pub(super) fn prune<A: Alternative>(&self, mut alternatives: Vec<A>) -> Result<Vec<A>> {
        if alternatives.len() < PRUNE {
            return Ok(alternatives);
        }
        for alternative in &alternatives {
            self.pay_simplification(alternative.conjunction())?;
        }
        alternatives.retain(|a| !a.conjunction().clone().simplify().is_plainly_empty());
        Ok(alternatives)
    }

    /// The column of a name.
    pub(super) fn column(&self, name: &str, at: At) -> Result<usize> {
        self.spend(self.names.len() / 8)?;
        match self.names.iter().rev().find(|(n, _)| *n == name) {
            Some((_, column)) => Ok(*column),
            None => self.error(at, "a dimension, a quantified variable or a declared parameter"),
        }
    }

    pub(super) fn is_known(&self, name: &str) -> bool {
        self.names.iter().any(|(n, _)| *n == name)
    }

    /// Adds `a op b` for an operator that keeps a conjunction convex.
    pub(super) fn add_comparison(&self, c: &mut Conjunction, a: &Value, op: Op, b: &Value) -> Result<()> {
        self.spend(c.n_col())?;
        let (low, high, strict) = match op {
            Op::Le => (a, b, false),
            Op::Lt => (a, b, true),
            Op::Ge => (b, a, false),
            Op::Gt => (b, a, true),
            _ => {
                c.add_eq(Value::difference(a, b));
                return Ok(());
            }
        };
        let mut row = Value::difference(high, low);
        if strict {
            row[0] -= 1;
        }
        c.add_ineq(row);
        Ok(())
    }

    /// The conjunctions of `c and formula`, or of `c and not formula`.
    pub(super) fn formula(
        &mut self,
        formula: &Formula<'a>,
        holds: bool,
        mut c: Conjunction,
    ) -> Result<Vec<Conjunction>> {
        self.spend(0)?;
        if is_convex(formula, holds) {
            return Ok(if self.conjoin(formula, holds, &mut c)? { vec![c] } else { Vec::new() });
        }
        match (formula, holds) {
            (Formula::True, _) | (Formula::False, _) => Ok(vec![c]),
            (Formula::Not(part), _) => self.formula(part, !holds, c),
            (Formula::And(parts), true) | (Formula::Or(parts), false) => {
                let (convex, rest): (Vec<_>, Vec<_>) = parts.iter().partition(|part| is_convex(part, holds));
                for part in convex {
                    if !self.conjoin(part, holds, &mut c)? {
                        return Ok(Vec::new());
                    }
                }
                let mut list = vec![c];
                for part in rest {
                    list = self.distribute(part, holds, list)?;
                }
                Ok(list)
            }
            (Formula::And(parts), false) | (Formula::Or(parts), true) => {
                let mut list = Vec::with_capacity(parts.len());
                for part in parts {
                    let copy = self.copy(&c)?;
                    list.extend(self.formula(part, holds, copy)?);
                }
                Ok(list)
            }
            (Formula::Exists(variables, body), true) => {
                let n = self.names.len();
                let result = self.quantify(variables, body, c);
                self.names.truncate(n);
                result
            }
            (Formula::Exists(..), false) => self.complement(formula, c),
            (Formula::Compare(lists, ops), _) => self.compare(formula, lists, ops, holds, c),
        }
    }

    /// A formula added to each of several conjunctions.
    pub(super) fn distribute(
        &mut self,
        formula: &Formula<'a>,
        holds: bool,
        list: Vec<Conjunction>,
    ) -> Result<Vec<Conjunction>> {
        let mut result = Vec::with_capacity(list.len());
        for c in list {
            result.extend(self.formula(formula, holds, c)?);
        }
        self.prune(result)
    }

    /// Adds a formula for which [`is_convex`] holds; false if it is plainly never satisfied.
    fn conjoin(&mut self, formula: &Formula<'a>, holds: bool, c: &mut Conjunction) -> Result<bool> {
        match formula {
            Formula::True => Ok(holds),
            Formula::False => Ok(!holds),
            Formula::Not(part) => self.conjoin(part, !holds, c),
            Formula::And(parts) | Formula::Or(parts) => {
                for part in parts {
                    if !self.conjoin(part, holds, c)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Formula::Exists(variables, body) => {
                let n = self.names.len();
                for variable in variables {
                    let value = match &variable.value {
                        Some(expr) => Some(self.value(expr, c)?),
                        None => None,
                    };
                    self.bind(variable.name, value, c)?;
                }
                let result = self.conjoin(body, holds, c);
                self.names.truncate(n);
                result
            }
            Formula::Compare(lists, ops) => {
                let mut left: Vec<Value> = Vec::new();
                for (k, list) in lists.iter().enumerate() {
                    let right = list.iter().map(|e| self.value(e, c)).collect::<Result<Vec<_>>>()?;
                    if let Some((op, _)) = k.checked_sub(1).and_then(|k| ops.get(k)) {
                        let op = if holds { *op } else { op.negated() };
                        for a in &left {
                            for b in &right {
                                self.add_comparison(c, a, op, b)?;
                            }
                        }
                    }
                    left = right;
                }
                Ok(true)
            }
        }
    }

    /// Brings a quantified variable into scope: a new column, or the column that its value is a copy of.
    fn bind(&mut self, name: &'a str, value: Option<Value>, c: &mut Conjunction) -> Result<()> {
        let column = match value.as_ref().and_then(Value::as_column) {
            Some(column) => column,
            None => {
                self.grow(c)?;
                let column = c.add_existential();
                if let Some(value) = value {
                    self.add_comparison(c, &Value::column(column), Op::Eq, &value)?;
                }
                column
            }
        };
        self.names.push((name, column));
        Ok(())
    }

    /// The cases of `exists variables: body`. The scope is left to the caller to restore.
    fn quantify(
        &mut self,
        variables: &[Variable<'a>],
        body: &Formula<'a>,
        mut c: Conjunction,
    ) -> Result<Vec<Conjunction>> {
        let Some((variable, rest)) = variables.split_first() else { return self.formula(body, true, c) };
        let n = self.names.len();
        let plain = variable.value.as_ref().is_none_or(Expr::is_plain);
        match &variable.value {
            Some(expr) if !plain => {
                let mut result = Vec::new();
                for (mut c, value) in self.cases(expr, c)? {
                    self.names.truncate(n);
                    self.bind(variable.name, Some(value), &mut c)?;
                    result.extend(self.quantify_rest(rest, body, c)?);
                }
                Ok(result)
            }
            definition => {
                let value = match definition {
                    Some(expr) => Some(self.value(expr, &mut c)?),
                    None => None,
                };
                self.bind(variable.name, value, &mut c)?;
                self.quantify_rest(rest, body, c)
            }
        }
    }

    /// Keeps lists of plain variables from recursing.
    fn quantify_rest(
        &mut self,
        variables: &[Variable<'a>],
        body: &Formula<'a>,
        mut c: Conjunction,
    ) -> Result<Vec<Conjunction>> {
        for (k, variable) in variables.iter().enumerate() {
            let value = match &variable.value {
                Some(expr) if !expr.is_plain() => return self.quantify(&variables[k..], body, c),
                Some(expr) => Some(self.value(expr, &mut c)?),
                None => None,
            };
            self.bind(variable.name, value, &mut c)?;
        }
        self.formula(body, true, c)
    }

    /// `c and not formula` by complementing the set over all variables in scope.
    pub(super) fn complement(&mut self, formula: &Formula<'a>, c: Conjunction) -> Result<Vec<Conjunction>> {
        let base = c.space().n_col();
        // The variables in scope that are locals become dimensions behind those of the space.
        let mut bound: Vec<usize> = self.names.iter().map(|(_, column)| *column).filter(|&k| k >= base).collect();
        bound.sort_unstable();
        bound.dedup();
        let params = self.params.n_col();
        let space = Space::set_of(&self.params, Tuple::anonymous(base - params + bound.len()));
        let old = self.names.clone();
        for (_, column) in &mut self.names {
            if let Ok(k) = bound.binary_search(column) {
                *column = base + k;
            }
        }
        let inner = self.formula(formula, true, Conjunction::universe(space.clone()));
        self.names = old;
        let inner = inner?;
        for part in &inner {
            self.pay_simplification(part)?;
        }
        let outside = Set::from_conjunctions(space, inner)?.complement(self.budget)?;
        let mut result = Vec::with_capacity(outside.conjunctions().len());
        for part in outside.conjunctions() {
            let mut c = self.copy(&c)?;
            let mut map: Vec<usize> = (0..base).chain(bound.iter().copied()).collect();
            for k in 0..part.n_local() {
                self.grow(&c)?;
                let column = match part.div(k) {
                    Some(div) => {
                        let row = relation::remap(&div.row[..map.len()], &map, c.n_col());
                        c.add_div(row, div.den.clone())
                    }
                    None => c.add_existential(),
                };
                map.push(column);
            }
            let n = c.n_col();
            part.eqs().iter().for_each(|row| c.add_eq(relation::remap(row, &map, n)));
            part.ineqs().iter().for_each(|row| c.add_ineq(relation::remap(row, &map, n)));
            result.push(c);
        }
        self.prune(result)
    }
}

/// The number of rows, divisions counted twice.
fn rows(c: &Conjunction) -> usize {
    c.eqs().len() + c.ineqs().len() + 2 * c.n_local()
}

/// Whether a formula (or its negation, if it shall not hold) is a conjunction of affine constraints and quantifiers.
fn is_convex(formula: &Formula<'_>, holds: bool) -> bool {
    match formula {
        Formula::True | Formula::False => true,
        Formula::Not(part) => is_convex(part, !holds),
        Formula::And(parts) => holds && parts.iter().all(|part| is_convex(part, true)),
        Formula::Or(parts) => !holds && parts.iter().all(|part| is_convex(part, false)),
        Formula::Exists(variables, body) => {
            holds && variables.iter().all(|v| v.value.as_ref().is_none_or(Expr::is_plain)) && is_convex(body, true)
        }
        Formula::Compare(lists, ops) => {
            let convex = |op: Op| op != Op::Ne && !op.is_lexicographic();
            let ops = match ops.as_slice() {
                ops if holds => ops.iter().all(|(op, _)| convex(*op)),
                [(op, _)] => convex(op.negated()) && lists.iter().all(|list| list.len() == 1),
                _ => false,
            };
            ops && lists.iter().flatten().all(Expr::is_plain)
        }
    }
}
