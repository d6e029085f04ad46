//! Reading sets, maps and their unions.

use std::str::FromStr;

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{Conjunction, Map, Set, UnionMap, UnionSet};
use crate::space::{Space, Tuple};

use super::lower::Evaluator;
use super::parser::Parser;
use super::shared_names::SharedNames;
use super::syntax::{Disjunct, Entry, Expr, Object, Op, Param, TupleBody, TupleText, Values};
use super::value::Value;

/// The budget, in units, of reading a text through `FromStr`.
pub const PARSE_BUDGET: u64 = 100_000_000;

/// The most dimensions of a tuple, and the most parameters.
const MAX_DIMS: usize = 5_000;

impl<'a, 'b> Evaluator<'a, 'b> {
    /// Nothing is declared yet.
    pub(super) fn of(parser: Parser<'a>, budget: &'b Budget) -> Evaluator<'a, 'b> {
        let params = Space::params::<&str>(&[]);
        Evaluator { parser, params, names: Vec::new(), shared: SharedNames::default(), budget }
    }

    pub(super) fn new(text: &'a str, budget: &'b Budget) -> Result<(Evaluator<'a, 'b>, Object<'a>)> {
        let mut parser = Parser::new(text).map_err(|e| *e)?;
        let object = parser.object().map_err(|e| *e)?;
        let mut evaluator = Evaluator::of(parser, budget);
        evaluator.declare(&object.params)?;
        Ok((evaluator, object))
    }

    /// Reads the parameters and the `{`. The disjuncts are read one by one ([`Evaluator::next`]), each when the one
    /// before has become conjunctions: the tree of a long text is larger than what it says.
    fn open(text: &'a str, budget: &'b Budget) -> Result<(Evaluator<'a, 'b>, Vec<Param<'a>>)> {
        let mut parser = Parser::new(text).map_err(|e| *e)?;
        let params = parser.params().map_err(|e| *e)?;
        parser.open().map_err(|e| *e)?;
        let mut evaluator = Evaluator::of(parser, budget);
        evaluator.declare(&params)?;
        Ok((evaluator, params))
    }

    /// The next disjunct; nothing at the end of the text.
    fn next(&mut self) -> Result<Option<Disjunct<'a>>> {
        let disjunct = self.parser.next_disjunct().map_err(|e| *e)?;
        if disjunct.is_none() {
            self.parser.end().map_err(|e| *e)?;
        }
        Ok(disjunct)
    }

    /// Makes names the parameters.
    pub(super) fn declare(&mut self, params: &[Param<'a>]) -> Result<()> {
        if params.len() > MAX_DIMS {
            return self.error(0, "fewer than 5000 parameters");
        }
        self.spend(params.len() * params.len() / 8)?;
        let names: Vec<&str> = params.iter().map(|p| p.name).collect();
        self.params = Space::params(&names);
        self.names = params.iter().enumerate().map(|(k, p)| (p.name, 1 + k)).collect();
        Ok(())
    }

    /// The tuple as written; brings its dimensions into scope from column `first` on. Entries with values are noted for
    /// later.
    pub(super) fn bind_tuple<'t>(
        &mut self,
        tuple: &'t TupleText<'a>,
        first: usize,
        later: &mut Vec<(usize, &'t Entry<'a>)>,
    ) -> Result<Tuple> {
        match &tuple.body {
            TupleBody::Nested(pair) => {
                let a = self.bind_tuple(&pair.0, first, later)?;
                let b = self.bind_tuple(&pair.1, first + a.len(), later)?;
                let nested = Tuple::nest(&a, &b);
                Ok(if tuple.name.is_empty() { nested } else { nested.with_name(tuple.name) })
            }
            TupleBody::Flat(entries) => {
                if entries.len() > MAX_DIMS {
                    return self.error(self.parser.next, "fewer than 5000 dimensions");
                }
                let mut names = Vec::with_capacity(entries.len());
                for (k, entry) in entries.iter().enumerate() {
                    self.spend(self.names.len() / 8)?;
                    let column = first + k;
                    let mut bound = "";
                    match entry {
                        Entry::Named(name, _, value) => {
                            if !self.is_known(name) {
                                bound = name;
                                self.names.push((name, column));
                                if value.is_some() {
                                    later.push((column, entry));
                                }
                            } else {
                                later.push((column, entry));
                            }
                        }
                        Entry::Values(_) => later.push((column, entry)),
                        Entry::Any => {}
                    }
                    names.push(bound);
                }
                Ok(self.shared.tuple(tuple.name, &names))
            }
        }
    }

    /// The space of a disjunct and the conjunctions of its points, not simplified.
    pub(super) fn disjunct(
        &mut self,
        disjunct: &Disjunct<'a>,
        params: &[Param<'a>],
    ) -> Result<(Space, Vec<Conjunction>)> {
        let n_params = self.params.n_col() - 1;
        self.names.truncate(n_params);
        let mut later = Vec::new();
        let mut tuples = Vec::with_capacity(2);
        let mut first = 1 + n_params;
        for tuple in &disjunct.tuples {
            let tuple = self.bind_tuple(tuple, first, &mut later)?;
            first += tuple.len();
            tuples.push(tuple);
        }
        let mut tuples = tuples.into_iter();
        let space = match (tuples.next(), tuples.next()) {
            (Some(domain), Some(range)) => Space::map_of(&self.params, domain, range),
            (Some(tuple), None) => Space::set_of(&self.params, tuple),
            _ => self.params.clone(),
        };
        let mut list = vec![Conjunction::universe(space.clone())];
        for (k, param) in params.iter().enumerate() {
            if let Some(values) = &param.values {
                list = self.restrict(list, 1 + k, values)?;
            }
        }
        for (column, entry) in later {
            let (name, values) = match entry {
                Entry::Named(name, at, values) => (Some((name, at)), values.as_ref()),
                Entry::Values(values) => (None, Some(values)),
                Entry::Any => (None, None),
            };
            if let Some((name, at)) = name {
                let known = self.column(name, *at)?;
                if known != column {
                    for c in &mut list {
                        self.add_comparison(c, &Value::column(column), Op::Eq, &Value::column(known))?;
                    }
                }
            }
            if let Some(values) = values {
                list = self.restrict(list, column, values)?;
            }
        }
        let list = self.distribute(&disjunct.formula, true, list)?;
        for c in &list {
            self.pay_simplification(c)?;
        }
        Ok((space, list))
    }

    /// A column restricted to values, in every conjunction.
    fn restrict(&mut self, list: Vec<Conjunction>, column: usize, values: &Values<'a>) -> Result<Vec<Conjunction>> {
        match values {
            Values::One(value) => self.bound(list, column, Op::Eq, value),
            Values::From(low, high) => {
                let list = self.bound(list, column, Op::Ge, low)?;
                match high {
                    Some(high) => self.bound(list, column, Op::Le, high),
                    None => Ok(list),
                }
            }
        }
    }

    /// `column op expr` added to every conjunction.
    fn bound(&mut self, list: Vec<Conjunction>, column: usize, op: Op, expr: &Expr<'a>) -> Result<Vec<Conjunction>> {
        let mut result = Vec::with_capacity(list.len());
        for c in list {
            for (mut c, value) in self.cases(expr, c)? {
                self.add_comparison(&mut c, &Value::column(column), op, &value)?;
                result.push(c);
            }
        }
        self.prune(result)
    }

    /// A disjunct as a set.
    pub(super) fn set(&mut self, disjunct: &Disjunct<'a>, params: &[Param<'a>]) -> Result<Set> {
        if disjunct.tuples.len() > 1 {
            return self.error(disjunct.at, "a set, not a map");
        }
        let (space, list) = self.disjunct(disjunct, params)?;
        Set::from_conjunctions(space, list)
    }

    /// A disjunct as a map.
    pub(super) fn map(&mut self, disjunct: &Disjunct<'a>, params: &[Param<'a>]) -> Result<Map> {
        if disjunct.tuples.len() != 2 {
            return self.error(disjunct.at, "a map `A[...] -> B[...]`");
        }
        let (space, list) = self.disjunct(disjunct, params)?;
        Map::from_conjunctions(space, list)
    }
}

impl Set {
    /// Reads a set in isl notation; see [`crate::text`]. All tuples must be equal; `{ }` is the empty set of
    /// parameters.
    pub fn parse(text: &str, budget: &Budget) -> Result<Set> {
        let (mut evaluator, params) = Evaluator::open(text, budget)?;
        let mut result: Option<Set> = None;
        while let Some(disjunct) = evaluator.next()? {
            let set = evaluator.set(&disjunct, &params)?;
            result = Some(match result {
                Some(all) if !all.space().has_equal_tuples(set.space()) => {
                    return evaluator.error(disjunct.at, format!("the tuple of {}", all.space()));
                }
                Some(all) => all.union(&set)?,
                None => set,
            });
        }
        match result {
            Some(set) => set.without_redundancies_of_parts(budget),
            None => Ok(Set::empty(evaluator.params)),
        }
    }
}

impl Map {
    /// Reads a map in isl notation; see [`crate::text`]. All pairs of tuples must be equal.
    pub fn parse(text: &str, budget: &Budget) -> Result<Map> {
        let (mut evaluator, params) = Evaluator::open(text, budget)?;
        let mut result: Option<Map> = None;
        while let Some(disjunct) = evaluator.next()? {
            let map = evaluator.map(&disjunct, &params)?;
            result = Some(match result {
                Some(all) if !all.space().has_equal_tuples(map.space()) => {
                    return evaluator.error(disjunct.at, format!("the tuples of {}", all.space()));
                }
                Some(all) => all.union(&map)?,
                None => map,
            });
        }
        match result {
            Some(map) => map.without_redundancies_of_parts(budget),
            None => evaluator.error(evaluator.parser.next, "at least one pair of tuples before the end"),
        }
    }
}

impl UnionSet {
    /// Reads a union of sets in isl notation; see [`crate::text`].
    pub fn parse(text: &str, budget: &Budget) -> Result<UnionSet> {
        let (mut evaluator, params) = Evaluator::open(text, budget)?;
        let mut members = vec![Set::empty(evaluator.params.clone())];
        while let Some(disjunct) = evaluator.next()? {
            members.push(evaluator.set(&disjunct, &params)?);
        }
        UnionSet::from_members(members)?.map_members(|m| m.without_redundancies_of_parts(budget))
    }
}

impl UnionMap {
    /// Reads a union of maps in isl notation; see [`crate::text`].
    pub fn parse(text: &str, budget: &Budget) -> Result<UnionMap> {
        let (mut evaluator, params) = Evaluator::open(text, budget)?;
        let mut members = vec![];
        while let Some(disjunct) = evaluator.next()? {
            members.push(evaluator.map(&disjunct, &params)?);
        }
        let result = UnionMap::from_members(members)?.align_params(&evaluator.params);
        result.map_members(|m| m.without_redundancies_of_parts(budget))
    }
}

/// `FromStr` through `parse` with a budget of [`PARSE_BUDGET`] units.
macro_rules! from_str {
    ($($Type:ident),*) => {$(
        impl FromStr for $Type {
            type Err = Error;
            fn from_str(text: &str) -> Result<$Type> {
                $Type::parse(text, &Budget::new($crate::text::PARSE_BUDGET))
            }
        }
    )*};
}

pub(super) use from_str;

from_str!(Set, Map, UnionSet, UnionMap);
