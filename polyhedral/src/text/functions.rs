//! Reading quasi-affine functions.

use std::str::FromStr;

use crate::affine::{Aff, Expression, MultiAff, MultiPwAff, Piecewise, PwAff, PwMultiAff, UnionPwAff, UnionPwMultiAff};
use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{self, Conjunction, Div, Set, UnionSet};
use crate::space::{Space, Tuple};

use super::lower::Evaluator;
use super::read::from_str;
use super::syntax::{At, Disjunct, Entry, Expr, Param, TupleBody, TupleText, Values};
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

    /// A disjunct as a function: the space, the domain, and one piecewise expression per dimension of the result.
    pub(super) fn function(
        &mut self,
        disjunct: &Disjunct<'a>,
        params: &[Param<'a>],
    ) -> Result<(Space, Set, Vec<PwAff>)> {
        let Some((result, arguments)) = disjunct.tuples.split_last() else {
            return self.error(disjunct.at, "a function");
        };
        // The arguments and the condition, read as a set; the names of the arguments stay in scope.
        let domain = Disjunct { at: disjunct.at, tuples: arguments.to_vec(), formula: disjunct.formula.clone() };
        let (arguments, list) = self.disjunct(&domain, params)?;
        let condition = Set::from_conjunctions(arguments.clone(), list)?;
        let mut values = Vec::new();
        let range = self.result_tuple(disjunct.at, result, &arguments, &mut values)?;
        let space = if arguments.is_set() {
            Space::map_of(&self.params, arguments.range_tuple().clone(), range)
        } else {
            Space::set_of(&self.params, range)
        };
        Ok((space, condition, values))
    }

    /// The tuple of the result; the values of its entries are appended.
    fn result_tuple(
        &mut self,
        at: At,
        tuple: &TupleText<'a>,
        arguments: &Space,
        values: &mut Vec<PwAff>,
    ) -> Result<Tuple> {
        let result = match &tuple.body {
            TupleBody::Nested(pair) => {
                let first = self.result_tuple(at, &pair.0, arguments, values)?;
                let second = self.result_tuple(at, &pair.1, arguments, values)?;
                Tuple::nest(&first, &second)
            }
            TupleBody::Flat(entries) => {
                let mut names = Vec::with_capacity(entries.len());
                for entry in entries {
                    let (name, value) = match entry {
                        Entry::Named(name, _, Some(Values::One(expr))) => (*name, self.function_of(expr, arguments)?),
                        Entry::Named(name, at, None) => ("", self.function_of(&Expr::Name(name, *at), arguments)?),
                        Entry::Values(Values::One(expr)) => ("", self.function_of(expr, arguments)?),
                        _ => return self.error(at, "an expression for every dimension"),
                    };
                    values.push(value);
                    names.push(name);
                }
                Tuple::new("", &names)
            }
        };
        Ok(result.with_name(tuple.name))
    }

    /// A disjunct as a piecewise expression.
    fn pw_aff(&mut self, disjunct: &Disjunct<'a>, params: &[Param<'a>]) -> Result<PwAff> {
        let (space, condition, values) = self.function(disjunct, params)?;
        match values.as_slice() {
            [value] if *space.range_tuple() == Tuple::anonymous(1) => value.intersect_domain(&condition, self.budget),
            _ => self.error(disjunct.at, "a function to one unnamed dimension"),
        }
    }

    /// A disjunct as a tuple of piecewise expressions.
    fn multi_pw_aff(&mut self, disjunct: &Disjunct<'a>, params: &[Param<'a>]) -> Result<MultiPwAff> {
        let (space, condition, values) = self.function(disjunct, params)?;
        let function = MultiPwAff::new(space, values)?;
        if condition.is_plainly_universe() {
            return Ok(function);
        }
        function.intersect_domain(&condition, self.budget)
    }

    /// Disjuncts as a piecewise expression over many spaces; the values of overlapping ones are added.
    pub(super) fn union_pw_aff(&mut self, disjuncts: &[Disjunct<'a>], params: &[Param<'a>]) -> Result<UnionPwAff> {
        let mut result = UnionPwAff::empty(&self.params);
        for disjunct in disjuncts {
            let member = self.pw_aff(disjunct, params)?;
            result = result.union_add(&member.into(), self.budget)?;
        }
        Ok(result)
    }

    /// Disjuncts as a union of sets.
    pub(super) fn union_set(&mut self, disjuncts: &[Disjunct<'a>], params: &[Param<'a>]) -> Result<UnionSet> {
        let mut result = UnionSet::empty(&self.params);
        for disjunct in disjuncts {
            if disjunct.tuples.len() > 1 {
                return self.error(disjunct.at, "a set, not a map");
            }
            let (space, list) = self.disjunct(disjunct, params)?;
            result = result.add(&Set::from_conjunctions(space, list)?)?;
        }
        Ok(result)
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
        let (space, condition, values) = evaluator.function(disjunct, &object.params)?;
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

/// One function of all disjuncts, which must have one space; the values of overlapping ones are added, as in isl.
fn sum<'a, 'b, E: Expression>(
    text: &'a str,
    budget: &'b Budget,
    mut read: impl FnMut(&mut Evaluator<'a, 'b>, &Disjunct<'a>, &[Param<'a>]) -> Result<Piecewise<E>>,
) -> Result<Piecewise<E>> {
    let (mut evaluator, object) = Evaluator::new(text, budget)?;
    let mut result: Option<Piecewise<E>> = None;
    for disjunct in &object.disjuncts {
        let value = read(&mut evaluator, disjunct, &object.params)?;
        result = Some(match result {
            Some(all) if !all.space().has_equal_tuples(value.space()) => {
                return evaluator.error(disjunct.at, format!("a function in the space {}", all.space()));
            }
            Some(all) => all.union_add(&value, budget)?,
            None => value,
        });
    }
    match result {
        Some(function) => Ok(function),
        None => evaluator.error(evaluator.parser.next, "at least one function before the end"),
    }
}

impl PwAff {
    /// Reads a piecewise quasi-affine expression in isl notation, for instance
    /// `{ [i] -> [(i)] : i >= 0; [i] -> [(-i)] : i < 0 }`. Where the conditions of two disjuncts overlap, the values
    /// are added.
    pub fn parse(text: &str, budget: &Budget) -> Result<PwAff> {
        sum(text, budget, |evaluator, disjunct, params| evaluator.pw_aff(disjunct, params))
    }
}

impl PwMultiAff {
    /// Reads a piecewise function in isl notation, for instance
    /// `{ S[i] -> A[(i), (0)] : i >= 0; S[i] -> A[(-i), (1)] : i < 0 }`. Where the conditions of two disjuncts overlap,
    /// the values are added.
    pub fn parse(text: &str, budget: &Budget) -> Result<PwMultiAff> {
        sum(text, budget, |evaluator, disjunct, params| {
            evaluator.multi_pw_aff(disjunct, params)?.to_pw_multi_aff(budget)
        })
    }
}

impl MultiPwAff {
    /// Reads a tuple of piecewise expressions in isl notation, for instance
    /// `{ S[i] -> A[((i) : i > 0; (0) : i <= 0), (1)] }`, or `{ S[i] -> A[] : i > 0 }` with an explicit domain.
    pub fn parse(text: &str, budget: &Budget) -> Result<MultiPwAff> {
        let (mut evaluator, object) = Evaluator::new(text, budget)?;
        match object.disjuncts.as_slice() {
            [disjunct] => evaluator.multi_pw_aff(disjunct, &object.params),
            _ => evaluator.error(0, "exactly one function"),
        }
    }
}

impl UnionPwAff {
    /// Reads piecewise expressions over many spaces in isl notation, for instance
    /// `{ S[i] -> [(i)] : i > 0; T[j] -> [(2j)] }`. Where the conditions of two disjuncts overlap, the values are
    /// added.
    pub fn parse(text: &str, budget: &Budget) -> Result<UnionPwAff> {
        let (mut evaluator, object) = Evaluator::new(text, budget)?;
        evaluator.union_pw_aff(&object.disjuncts, &object.params)
    }
}

impl UnionPwMultiAff {
    /// Reads piecewise functions over many spaces in isl notation, for instance
    /// `{ S[i] -> A[(i)]; T[j] -> B[(j), (0)] }`. Where the conditions of two disjuncts overlap, the values are added;
    /// they must be in one space.
    pub fn parse(text: &str, budget: &Budget) -> Result<UnionPwMultiAff> {
        let (mut evaluator, object) = Evaluator::new(text, budget)?;
        let mut result = UnionPwMultiAff::empty(&evaluator.params);
        for disjunct in &object.disjuncts {
            let member = evaluator.multi_pw_aff(disjunct, &object.params)?.to_pw_multi_aff(budget)?;
            result = result.union_add(&member.into(), budget)?;
        }
        Ok(result)
    }
}

from_str!(Aff, MultiAff, PwAff, PwMultiAff, MultiPwAff, UnionPwAff, UnionPwMultiAff);
