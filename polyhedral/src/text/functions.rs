//! Reading quasi-affine functions.

use std::str::FromStr;

use crate::affine::{Aff, MultiAff, PwAff};
use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{self, Conjunction, Div, Set};
use crate::space::{Space, Tuple};

use super::lower::Evaluator;
use super::read::from_str;
use super::syntax::{Disjunct, Entry, Expr, Formula, TupleBody};
use super::value::Value;

impl<'a> Evaluator<'a, '_> {
    /// An expression as a piecewise function over a space whose columns are those in scope.
    fn function_of(&mut self, expr: &Expr<'a>, space: &Space) -> Result<PwAff> {
        let mut pieces: Vec<(Aff, Vec<Conjunction>)> = Vec::new();
        for (c, value) in self.cases(expr, Conjunction::universe(space.clone()))? {
            self.pay_simplification(&c)?;
            let aff = aff_of(&c, &value, space);
            match pieces.iter_mut().find(|(other, _)| *other == aff) {
                Some((_, list)) => list.push(c),
                None => pieces.push((aff, vec![c])),
            }
        }
        let mut result = PwAff::empty(space.clone());
        for (aff, list) in pieces {
            let set = Set::from_conjunctions(space.clone(), list)?;
            if expr.is_partial() {
                result = result.or_else(&PwAff::on(&set, &aff)?, self.budget)?;
            } else {
                result.push(set, aff);
            }
        }
        Ok(result)
    }

    /// A formula as a set over a space whose columns are those in scope.
    fn condition(&mut self, formula: &Formula<'a>, space: &Space) -> Result<Set> {
        let list = self.formula(formula, true, Conjunction::universe(space.clone()))?;
        for c in &list {
            self.pay_simplification(c)?;
        }
        Set::from_conjunctions(space.clone(), list)
    }

    /// The pieces of a disjunct as functions: the space, the domain, and one piecewise expression per dimension of the result.
    fn function(&mut self, disjunct: &Disjunct<'a>) -> Result<(Space, Set, Vec<PwAff>)> {
        self.names.truncate(self.params.n_col() - 1);
        let mut later = Vec::new();
        let Some((result, arguments)) = disjunct.tuples.split_last() else {
            return self.error(disjunct.at, "a function");
        };
        let domain = match arguments.first() {
            Some(tuple) => Some(self.bind_tuple(tuple, self.params.n_col(), &mut later)?),
            None => None,
        };
        if let Some((_, entry)) = later.first() {
            let at = if let Entry::Named(_, at, _) = entry { *at } else { disjunct.at };
            return self.error(at, "new names in the tuple of the arguments");
        }
        let TupleBody::Flat(entries) = &result.body else {
            return self.error(disjunct.at, "a function to a flat tuple");
        };
        let arguments = match &domain {
            Some(domain) => Space::set_of(&self.params, domain.clone()),
            None => self.params.clone(),
        };
        let mut values = Vec::with_capacity(entries.len());
        let mut names = Vec::with_capacity(entries.len());
        for entry in entries {
            let (name, value) = match entry {
                Entry::Named(name, _, Some((expr, None))) => (*name, self.function_of(expr, &arguments)?),
                Entry::Named(name, at, None) => ("", self.function_of(&Expr::Name(name, *at), &arguments)?),
                Entry::Expr(expr, None) => ("", self.function_of(expr, &arguments)?),
                _ => return self.error(disjunct.at, "an expression for every dimension"),
            };
            values.push(value);
            names.push(name);
        }
        let range = Tuple::new(result.name, &names);
        let condition = self.condition(&disjunct.formula, &arguments)?;
        let space = match domain {
            Some(domain) => Space::map_of(&self.params, domain, range),
            None => Space::set_of(&self.params, range),
        };
        Ok((space, condition, values))
    }
}

/// The value as an expression with the divisions that it uses.
fn aff_of(c: &Conjunction, value: &Value, space: &Space) -> Aff {
    let base = space.n_col();
    let n = c.n_local();
    // The divisions that the value uses, directly or not.
    let mut used = vec![false; n];
    let mark = |row: &[Int], used: &mut Vec<bool>| {
        for (k, x) in row.iter().skip(base).enumerate() {
            if let Some(flag) = used.get_mut(k) {
                *flag |= !x.is_zero();
            }
        }
    };
    mark(&value.row, &mut used);
    for k in (0..n).rev() {
        if used[k]
            && let Some(div) = c.div(k)
        {
            mark(&div.row, &mut used);
        }
    }
    let mut place = vec![0; n];
    let mut divs: Vec<Div> = Vec::new();
    for k in (0..n).filter(|&k| used[k]) {
        place[k] = base + divs.len();
        divs.extend(c.div(k).cloned());
    }
    let map: Vec<usize> = (0..base).chain(place).collect();
    let total = base + divs.len();
    for div in &mut divs {
        div.row = relation::remap(&div.row, &map, total);
    }
    Aff::from_parts(space.clone(), divs, relation::remap(&value.row, &map, total), value.den.clone())
}

impl MultiAff {
    /// Reads a function in isl notation, for instance `{ S[i] -> A[(i + 1), (2i)] }` or `[n] -> { A[(n)] }`.
    pub fn parse(text: &str, budget: &Budget) -> Result<MultiAff> {
        let (mut evaluator, object) = Evaluator::new(text, budget)?;
        let [disjunct] = object.disjuncts.as_slice() else {
            return evaluator.error(0, "exactly one function");
        };
        let (space, condition, values) = evaluator.function(disjunct)?;
        let mut affs = Vec::with_capacity(values.len());
        for value in &values {
            match value.pieces() {
                [(set, aff)] if set.is_plainly_universe() => affs.push(aff.clone()),
                _ => return evaluator.error(disjunct.at, "one quasi-affine expression per dimension"),
            }
        }
        if !condition.is_plainly_universe() {
            return evaluator.error(disjunct.at, "a function without conditions");
        }
        MultiAff::new(space, affs)
    }
}

impl Aff {
    /// Reads a quasi-affine expression in isl notation, for instance `{ S[i] -> [(2*floor((i)/3))] }`.
    pub fn parse(text: &str, budget: &Budget) -> Result<Aff> {
        let function = MultiAff::parse(text, budget)?;
        match function.affs() {
            [aff] if function.space().range_tuple().name().is_none() => Ok(aff.clone()),
            _ => Err(Error::WrongShape {
                operation: "read an expression",
                space: function.space().clone(),
                expected: "a function to one unnamed dimension",
            }),
        }
    }
}

impl PwAff {
    /// Reads a piecewise quasi-affine expression in isl notation, for instance `{ [i] -> [(i)] : i >= 0; [i] -> [(-i)] : i < 0 }`.
    /// Where the conditions of two disjuncts overlap, the earlier one holds.
    pub fn parse(text: &str, budget: &Budget) -> Result<PwAff> {
        let (mut evaluator, object) = Evaluator::new(text, budget)?;
        let mut result: Option<PwAff> = None;
        for disjunct in &object.disjuncts {
            let (_, condition, values) = evaluator.function(disjunct)?;
            let [value] = values.as_slice() else {
                return evaluator.error(disjunct.at, "a function to one dimension");
            };
            let value = value.intersect_domain(&condition, budget)?;
            result = Some(match result {
                Some(all) if !all.space().has_equal_tuples(value.space()) => {
                    return evaluator.error(disjunct.at, format!("a function of {}", all.space()));
                }
                Some(all) => all.or_else(&value, budget)?,
                None => value,
            });
        }
        Ok(result.unwrap_or_else(|| PwAff::empty(evaluator.params)))
    }
}

from_str!(Aff, MultiAff, PwAff);
