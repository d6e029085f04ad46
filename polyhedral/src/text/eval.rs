//! The meaning of a syntax tree: sets, maps and functions.
//!
//! All variables in scope (the dimensions of the tuples, then the quantified variables from outside in) are the dimensions of
//! one anonymous tuple. A formula denotes a set over that tuple; `exists` adds dimensions and projects them out again; `not`
//! complements. An expression denotes a piecewise quasi-affine function. So everything read is exact by construction.

use std::str::FromStr;

use crate::affine::{Aff, MultiAff, PwAff};
use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{Map, Set, UnionMap, UnionSet};
use crate::space::{DimKind, Space, Tuple};

use super::parser::{At, Disjunct, Entry, Expr, Formula, Object, Op, Parser, TupleBody, TupleText};

/// The budget, in units, of reading a text through `FromStr`.
pub const PARSE_BUDGET: u64 = 200_000_000;

struct Evaluator<'a> {
    parser: Parser,
    params: Space,
    /// The names of the dimensions in scope; an empty one cannot be referred to.
    names: Vec<String>,
    budget: &'a Budget,
}

/// What one disjunct says: its tuples, the set of their dimensions, and the entries given by expressions.
struct Meaning {
    tuples: Vec<Tuple>,
    points: Set,
}

impl<'a> Evaluator<'a> {
    fn new(text: &str, budget: &'a Budget) -> Result<(Evaluator<'a>, Object)> {
        let mut parser = Parser::new(text)?;
        let object = parser.object()?;
        let params = Space::params(&object.params);
        Ok((Evaluator { parser, params, names: Vec::new(), budget }, object))
    }

    fn error<T>(&self, at: At, expected: impl Into<String>) -> Result<T> {
        Err(self.parser.error(at, expected).into())
    }

    /// The space of the variables in scope.
    fn scope(&self) -> Space {
        Space::set_of(&self.params, Tuple::anonymous(self.names.len()))
    }

    fn universe(&self) -> Set {
        Set::universe(self.scope())
    }

    fn constant(&self, value: &Int) -> PwAff {
        PwAff::from_aff(Aff::constant(self.scope(), value))
    }

    fn name(&self, name: &str, at: At) -> Result<PwAff> {
        if let Some(pos) = self.names.iter().rposition(|n| n == name) {
            return Ok(PwAff::from_aff(Aff::var(self.scope(), pos)?));
        }
        match self.params.param_index(name) {
            Some(pos) => Ok(PwAff::from_aff(Aff::param(self.scope(), pos)?)),
            None => self.error(at, "a dimension, a quantified variable or a declared parameter"),
        }
    }

    fn expr(&self, expr: &Expr) -> Result<PwAff> {
        Ok(match expr {
            Expr::Number(value) => self.constant(value),
            Expr::Name(name, at) => self.name(name, *at)?,
            Expr::Add(a, b) => self.expr(a)?.add(&self.expr(b)?, self.budget)?,
            Expr::Sub(a, b) => self.expr(a)?.sub(&self.expr(b)?, self.budget)?,
            Expr::Neg(a) => self.expr(a)?.neg(),
            Expr::Mul(a, b, at) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                match (constant_value(&a), constant_value(&b)) {
                    (Some(factor), _) => b.scale(&factor),
                    (_, Some(factor)) => a.scale(&factor),
                    _ => return self.error(*at, "a product with a constant"),
                }
            }
            Expr::Div(a, divisor) => self.expr(a)?.map_affs(|aff| aff.scale_down(divisor)),
            Expr::Mod(a, modulus) => {
                let value = self.expr(a)?;
                let quotient = value.floor_div(modulus).scale(modulus);
                value.sub(&quotient, self.budget)?
            }
            Expr::Floor(a) => self.expr(a)?.map_affs(Aff::floor),
            Expr::Ceil(a) => self.expr(a)?.map_affs(|aff| aff.neg().floor().neg()),
            Expr::Min(list) => self.fold(list, |a, b| a.min(b, self.budget))?,
            Expr::Max(list) => self.fold(list, |a, b| a.max(b, self.budget))?,
        })
    }

    fn fold(&self, list: &[Expr], f: impl Fn(&PwAff, &PwAff) -> Result<PwAff>) -> Result<PwAff> {
        let mut values = list.iter().map(|e| self.expr(e));
        let first = values.next().unwrap_or_else(|| Ok(PwAff::empty(self.scope())))?;
        values.try_fold(first, |a, b| f(&a, &b?))
    }

    fn formula(&mut self, formula: &Formula) -> Result<Set> {
        Ok(match formula {
            Formula::True => self.universe(),
            Formula::False => Set::empty(self.scope()),
            Formula::And(parts) => {
                let mut result = self.universe();
                for part in parts {
                    result = result.intersect(&self.formula(part)?, self.budget)?;
                }
                result
            }
            Formula::Or(parts) => {
                let mut result = Set::empty(self.scope());
                for part in parts {
                    result = result.union(&self.formula(part)?)?;
                }
                result
            }
            Formula::Not(part) => self.formula(part)?.complement(self.budget)?,
            Formula::Exists(variables, body) => {
                let first = self.names.len();
                let mut definitions = Vec::new();
                for (name, definition) in variables {
                    self.names.push(name.clone());
                    definitions.extend(definition.iter().map(|d| (self.names.len() - 1, d)));
                }
                let mut result = self.formula(body)?;
                for (pos, definition) in definitions {
                    result = result.intersect(&self.define(pos, definition)?, self.budget)?;
                }
                self.names.truncate(first);
                result.project_out(DimKind::Out, first, variables.len(), self.budget)?
            }
            Formula::Compare(lists, ops) => {
                let values = lists
                    .iter()
                    .map(|list| list.iter().map(|e| self.expr(e)).collect::<Result<Vec<_>>>())
                    .collect::<Result<Vec<_>>>()?;
                let mut result = self.universe();
                for (pair, op) in values.windows(2).zip(ops) {
                    for a in &pair[0] {
                        for b in &pair[1] {
                            result = result.intersect(&self.compare(a, *op, b)?, self.budget)?;
                        }
                    }
                }
                result
            }
        })
    }

    fn compare(&self, a: &PwAff, op: Op, b: &PwAff) -> Result<Set> {
        match op {
            Op::Le => a.le_set(b, self.budget),
            Op::Lt => a.lt_set(b, self.budget),
            Op::Ge => b.le_set(a, self.budget),
            Op::Gt => b.lt_set(a, self.budget),
            Op::Eq => a.eq_set(b, self.budget),
            Op::Ne => a.ne_set(b, self.budget),
        }
    }

    /// The points where variable `pos` has the value of an expression.
    fn define(&self, pos: usize, expr: &Expr) -> Result<Set> {
        let variable = PwAff::from_aff(Aff::var(self.scope(), pos)?);
        variable.eq_set(&self.expr(expr)?, self.budget)
    }

    /// Brings the dimensions of a tuple into scope; entries given by expressions are noted for later.
    fn bind<'t>(&mut self, tuple: &'t TupleText, later: &mut Vec<(usize, Later<'t>)>) -> Tuple {
        let result = match &tuple.body {
            TupleBody::Nested(pair) => {
                let first = self.bind(&pair.0, later);
                let second = self.bind(&pair.1, later);
                Tuple::nest(&first, &second)
            }
            TupleBody::Flat(entries) => {
                let mut names = Vec::with_capacity(entries.len());
                for entry in entries {
                    let pos = self.names.len();
                    let mut bound = String::new();
                    match entry {
                        Entry::Any => {}
                        Entry::Named(name, at, definition) => {
                            let known = self.names.contains(name) || self.params.param_index(name).is_some();
                            match definition {
                                Some(expr) if known => {
                                    later.push((pos, Later::Name(name, *at)));
                                    later.push((pos, Later::Expr(expr)));
                                }
                                Some(expr) => later.push((pos, Later::Expr(expr))),
                                None if known => later.push((pos, Later::Name(name, *at))),
                                None => {}
                            }
                            if !known {
                                bound.clone_from(name);
                            }
                        }
                        Entry::Expr(expr) => later.push((pos, Later::Expr(expr))),
                    }
                    self.names.push(bound.clone());
                    names.push(bound);
                }
                Tuple::new("", &names)
            }
        };
        result.with_name(&tuple.name)
    }

    /// The points of the tuples of one disjunct.
    fn disjunct(&mut self, disjunct: &Disjunct) -> Result<Meaning> {
        self.names.clear();
        let mut later = Vec::new();
        let tuples = disjunct.tuples.iter().map(|t| self.bind(t, &mut later)).collect();
        let mut points = self.universe();
        for (pos, entry) in later {
            let set = match entry {
                Later::Expr(expr) => self.define(pos, expr)?,
                Later::Name(name, at) => {
                    let variable = PwAff::from_aff(Aff::var(self.scope(), pos)?);
                    variable.eq_set(&self.name(name, at)?, self.budget)?
                }
            };
            points = points.intersect(&set, self.budget)?;
        }
        points = points.intersect(&self.formula(&disjunct.formula)?, self.budget)?;
        Ok(Meaning { tuples, points })
    }

    /// A disjunct as a set.
    fn set(&mut self, disjunct: &Disjunct) -> Result<Set> {
        if disjunct.tuples.len() > 1 {
            return self.error(disjunct.at, "a set, not a map");
        }
        let mut meaning = self.disjunct(disjunct)?;
        let space = match meaning.tuples.pop() {
            Some(tuple) => Space::set_of(&self.params, tuple),
            None => self.params.clone(),
        };
        meaning.points.with_space(&space)
    }

    /// A disjunct as a map.
    fn map(&mut self, disjunct: &Disjunct) -> Result<Map> {
        if disjunct.tuples.len() != 2 {
            return self.error(disjunct.at, "a map `A[...] -> B[...]`");
        }
        let meaning = self.disjunct(disjunct)?;
        let [domain, range] = meaning.tuples.as_slice() else {
            return self.error(disjunct.at, "a map `A[...] -> B[...]`");
        };
        let wrapped = Space::set_of(&self.params, Tuple::nest(domain, range));
        meaning.points.with_space(&wrapped)?.unwrap()
    }

    /// The pieces of a disjunct as functions: the domain, and one piecewise expression per dimension of the result.
    fn function(&mut self, disjunct: &Disjunct) -> Result<(Space, Set, Vec<PwAff>)> {
        self.names.clear();
        let mut later = Vec::new();
        let Some((result, arguments)) = disjunct.tuples.split_last() else {
            return self.error(disjunct.at, "a function");
        };
        let domain = arguments.first().map(|t| self.bind(t, &mut later));
        if let Some((_, entry)) = later.first() {
            let at = if let Later::Name(_, at) = entry { *at } else { disjunct.at };
            return self.error(at, "new names in the tuple of the arguments");
        }
        let TupleBody::Flat(entries) = &result.body else {
            return self.error(disjunct.at, "a function to a flat tuple");
        };
        let mut values = Vec::with_capacity(entries.len());
        let mut names = Vec::with_capacity(entries.len());
        for entry in entries {
            let (name, value) = match entry {
                Entry::Any => return self.error(disjunct.at, "an expression for every dimension"),
                Entry::Named(name, _, Some(expr)) => (name.as_str(), self.expr(expr)?),
                Entry::Named(name, at, None) => ("", self.name(name, *at)?),
                Entry::Expr(expr) => ("", self.expr(expr)?),
            };
            values.push(value);
            names.push(name);
        }
        let range = Tuple::new(&result.name, &names);
        let condition = self.formula(&disjunct.formula)?;
        let (space, domain) = match domain {
            Some(domain) => (Space::map_of(&self.params, domain.clone(), range), Space::set_of(&self.params, domain)),
            None => (Space::set_of(&self.params, range), self.params.clone()),
        };
        let values = values.iter().map(|v| in_space(v, &domain)).collect::<Result<_>>()?;
        Ok((space, condition.with_space(&domain)?, values))
    }
}

/// An entry of a tuple whose value is given.
enum Later<'t> {
    Name(&'t str, At),
    Expr(&'t Expr),
}

/// The same function over another space with the same columns.
fn in_space(function: &PwAff, space: &Space) -> Result<PwAff> {
    let mut result = PwAff::empty(space.clone());
    for (set, aff) in function.pieces() {
        result.push(set.with_space(space)?, aff.with_space(space)?);
    }
    Ok(result)
}

fn constant_value(value: &PwAff) -> Option<Int> {
    match value.pieces() {
        [(set, aff)] if set.is_plainly_universe() => aff.constant_value(),
        _ => None,
    }
}

impl Set {
    /// Reads a set in isl notation; see [`crate::text`]. All tuples must be equal.
    pub fn parse(text: &str, budget: &Budget) -> Result<Set> {
        let (mut evaluator, object) = Evaluator::new(text, budget)?;
        let mut result: Option<Set> = None;
        for disjunct in &object.disjuncts {
            let set = evaluator.set(disjunct)?;
            result = Some(match result {
                Some(all) if !all.space().has_equal_tuples(set.space()) => {
                    return evaluator.error(disjunct.at, format!("the tuple of {}", all.space()));
                }
                Some(all) => all.union(&set)?,
                None => set,
            });
        }
        Ok(result.unwrap_or_else(|| Set::empty(evaluator.params)))
    }
}

impl Map {
    /// Reads a map in isl notation; see [`crate::text`]. All pairs of tuples must be equal.
    pub fn parse(text: &str, budget: &Budget) -> Result<Map> {
        let (mut evaluator, object) = Evaluator::new(text, budget)?;
        let mut result: Option<Map> = None;
        for disjunct in &object.disjuncts {
            let map = evaluator.map(disjunct)?;
            result = Some(match result {
                Some(all) if !all.space().has_equal_tuples(map.space()) => {
                    return evaluator.error(disjunct.at, format!("the tuples of {}", all.space()));
                }
                Some(all) => all.union(&map)?,
                None => map,
            });
        }
        result.ok_or_else(|| evaluator.parser.error(1, "at least one pair of tuples").into())
    }
}

impl UnionSet {
    /// Reads a union of sets in isl notation; see [`crate::text`].
    pub fn parse(text: &str, budget: &Budget) -> Result<UnionSet> {
        let (mut evaluator, object) = Evaluator::new(text, budget)?;
        let mut result = UnionSet::empty(&evaluator.params);
        for disjunct in &object.disjuncts {
            result = result.add(&evaluator.set(disjunct)?)?;
        }
        Ok(result)
    }
}

impl UnionMap {
    /// Reads a union of maps in isl notation; see [`crate::text`].
    pub fn parse(text: &str, budget: &Budget) -> Result<UnionMap> {
        let (mut evaluator, object) = Evaluator::new(text, budget)?;
        let mut result = UnionMap::empty(&evaluator.params);
        for disjunct in &object.disjuncts {
            result = result.add(&evaluator.map(disjunct)?)?;
        }
        Ok(result)
    }
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

macro_rules! from_str {
    ($($Type:ident),*) => {$(
        impl FromStr for $Type {
            type Err = Error;
            fn from_str(text: &str) -> Result<$Type> {
                $Type::parse(text, &Budget::new(PARSE_BUDGET))
            }
        }
    )*};
}

from_str!(Set, Map, UnionSet, UnionMap, Aff, MultiAff, PwAff);
