//! Preimages of sets and relations under total functions: substitution into the constraints.
//!
//! The dimensions of one tuple are replaced by the components of a function. A component with a denominator gets a
//! division of its own with the condition that it is exact, so that only points with an integer image remain.

use crate::arith::{Int, Row, row};
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Conjunction, Div, Map, Relation, Set, mismatch};
use crate::space::{DimKind, Space};

use super::MultiAff;

impl Relation {
    /// The points that are in the relation after the dimensions of a kind are replaced by their image under a function.
    pub(crate) fn preimage(&self, kind: DimKind, function: &MultiAff, budget: &Budget) -> Result<Relation> {
        let arguments = function.domain_space();
        let fits = self.space().tuple(kind) == Some(function.space().range_tuple())
            && (arguments.is_set() || (self.space().is_set() && arguments.is_params()));
        if !fits {
            return Err(mismatch("form the preimage", self.space(), function.space()));
        }
        let all = self.space().align_params(function.space());
        let (relation, function) = (self.align_params(&all), function.align_params(&all));
        let space = if arguments.is_params() {
            relation.space().params_space()
        } else {
            relation.space().with_tuple(kind, arguments.range_tuple().clone())
        };
        let template = Template::new(&space, kind, &function);
        let mut result = Relation::empty(space);
        for part in relation.parts() {
            budget.spend(part.weight() + template.conjunction.weight())?;
            result.push(template.substituted(part, kind).simplify());
        }
        Ok(result)
    }
}

/// The new space with the divisions of the function, and the values of the replaced dimensions over these columns.
struct Template {
    conjunction: Conjunction,
    values: Vec<Row>,
}

impl Template {
    fn new(space: &Space, kind: DimKind, function: &MultiAff) -> Template {
        let mut c = Conjunction::universe(space.clone());
        let arguments = function.domain_space();
        let params = arguments.offset(DimKind::In);
        let first = space.offset(kind);
        let mut values = Vec::with_capacity(function.affs().len());
        for aff in function.affs() {
            let base = c.n_col();
            let mut map: Vec<usize> = (0..params).collect();
            map.extend((0..arguments.dim(DimKind::Out)).map(|k| first + k));
            map.extend((0..aff.divs().len()).map(|k| base + k));
            let known = arguments.n_col();
            for (k, div) in aff.divs().iter().enumerate() {
                c.add_div(row::remap(&div.row[..known + k], &map, base + k), div.den.clone());
            }
            let mut value = row::remap(aff.row(), &map, c.n_col());
            if !aff.denominator().is_one() {
                let numerator = value.clone();
                let column = c.add_div(value, aff.denominator().clone());
                let mut exact = numerator;
                exact.resize(c.n_col(), Int::zero());
                exact[column] -= aff.denominator();
                c.add_eq(exact);
                value = row::zeros(c.n_col());
                value[column] = Int::one();
            }
            values.push(value);
        }
        for value in &mut values {
            value.resize(c.n_col(), Int::zero());
        }
        Template { conjunction: c, values }
    }

    /// The constraints of a conjunction with the dimensions of a kind replaced.
    fn substituted(&self, part: &Conjunction, kind: DimKind) -> Conjunction {
        let mut result = self.conjunction.clone();
        let (old, new) = (part.space(), result.space().clone());
        let (first, n) = (old.offset(kind), old.dim(kind));
        let new_n = if new.is_params() { 0 } else { new.dim(kind) };
        let place = |c: usize| if c < first { c } else { c - n + new_n };
        let base = result.n_col();
        let total = base + part.n_local();
        let translate = |row: &Row| {
            let mut moved = row::zeros(total);
            for (c, x) in row.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
                if c >= first && c < first + n {
                    row::add_scaled(&mut moved, x, &self.values[c - first]);
                } else {
                    let to = if c < old.n_col() { place(c) } else { c - old.n_col() + base };
                    moved[to] += x;
                }
            }
            moved
        };
        let locals =
            (0..part.n_local()).map(|k| part.div(k).map(|d| Div { row: translate(&d.row), den: d.den.clone() }));
        result.extend(locals, part.eqs().iter().map(translate), part.ineqs().iter().map(translate));
        result
    }
}

impl Set {
    /// The points that a function maps into this set. Exact. A function of only the parameters gives a set of
    /// parameters.
    pub fn preimage(&self, function: &MultiAff, budget: &Budget) -> Result<Set> {
        Ok(Set(self.relation().preimage(DimKind::Out, function, budget)?))
    }

    /// The set in another space of arguments: column `c` becomes column `map[c]`; columns without a place must be
    /// unused.
    pub(crate) fn remap_unused(&self, space: &Space, map: &[Option<usize>]) -> Set {
        let parts = self.conjunctions().iter().map(|c| c.existentialize(space.clone(), map));
        Set(Relation::from_parts(space.clone(), parts))
    }
}

impl Map {
    /// The pairs `(x, y)` with `(function(x), y)` here. Exact.
    pub fn preimage_domain(&self, function: &MultiAff, budget: &Budget) -> Result<Map> {
        Ok(Map(self.relation().preimage(DimKind::In, function, budget)?))
    }

    /// The pairs `(x, y)` with `(x, function(y))` here. Exact.
    pub fn preimage_range(&self, function: &MultiAff, budget: &Budget) -> Result<Map> {
        Ok(Map(self.relation().preimage(DimKind::Out, function, budget)?))
    }
}
