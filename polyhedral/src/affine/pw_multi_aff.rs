//! [`PwMultiAff`]: piecewise functions to tuples; what they can do besides the operations of [`Piecewise`].

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{self, Map, Set};
use crate::space::{DimKind, Space, Tuple};

use super::{Aff, MultiAff, Piecewise, PwAff};

/// A piecewise quasi-affine function to tuples. Its space is a map space, or a set space for a function of only the
/// parameters.
///
/// Example: `{ S[i] -> A[(i), (0)] : i >= 0; S[i] -> A[(-i), (1)] : i < 0 }`.
pub type PwMultiAff = Piecewise<MultiAff>;

impl PwMultiAff {
    /// One function on the whole space.
    pub fn from_multi_aff(function: MultiAff) -> PwMultiAff {
        PwMultiAff::total(function)
    }

    /// Zero in every component on the whole space.
    pub fn zero(space: Space) -> PwMultiAff {
        PwMultiAff::total(MultiAff::zero(space))
    }

    /// The identity on a set space.
    pub fn identity(space: &Space) -> Result<PwMultiAff> {
        Ok(PwMultiAff::total(MultiAff::identity(space)?))
    }

    /// The function of no components (to the empty unnamed tuple) that is defined on a set.
    pub fn from_domain(set: &Set) -> Result<PwMultiAff> {
        let range = Tuple::anonymous(0);
        let arguments = set.space();
        let space = if arguments.is_params() {
            Space::set_of(arguments, range)
        } else {
            Space::map_of(arguments, arguments.range_tuple().clone(), range)
        };
        PwMultiAff::on(set, &MultiAff::zero(space))
    }

    /// The number of components.
    pub fn n_components(&self) -> usize {
        self.space().dim(DimKind::Out)
    }

    /// Component number `pos`, defined where the whole function is.
    pub fn component(&self, pos: usize) -> Result<PwAff> {
        relation::check_dims("take a component", self.space(), DimKind::Out, pos, 1)?;
        self.try_map(self.domain_space(), |function| Ok(function.affs()[pos].clone()))
    }

    /// The function with another component number `pos`, defined where both are.
    pub fn with_component(&self, pos: usize, value: &PwAff, budget: &Budget) -> Result<PwMultiAff> {
        relation::check_dims("replace a component", self.space(), DimKind::Out, pos, 1)?;
        if !self.domain_space().has_equal_tuples(value.space()) {
            return Err(relation::mismatch("replace a component", self.space(), value.space()));
        }
        self.pairwise(value, self.space(), budget, |function, aff| Ok(vec![(None, function.with_component(pos, aff)?)]))
    }

    /// The function without `n` components from `first` on.
    pub fn drop_components(&self, first: usize, n: usize) -> Result<PwMultiAff> {
        relation::check_dims("drop components", self.space(), DimKind::Out, first, n)?;
        let space = self.space().drop_dims(DimKind::Out, first, n);
        self.try_map(space, |function| function.drop_components(first, n))
    }

    /// The same function with another name of the tuple of the result; an empty string removes the name.
    pub fn with_range_tuple_name(&self, name: &str) -> Result<PwMultiAff> {
        self.with_space(&self.space().with_tuple_name(DimKind::Out, name))
    }

    /// The product of every component with an integer of its own. Error: not one factor per component.
    pub fn scale_components(&self, factors: &[Int]) -> Result<PwMultiAff> {
        self.try_map(self.space().clone(), |function| function.scale_components(factors))
    }

    /// The image of the points of the first function, given to the second: `x -> other(self(x))`.
    pub fn apply(&self, other: &PwMultiAff, budget: &Budget) -> Result<PwMultiAff> {
        other.pullback_pw(self, budget)
    }

    fn union_lexicographic(&self, other: &PwMultiAff, maximum: bool, budget: &Budget) -> Result<PwMultiAff> {
        self.union_of("compare", other, budget, |left, right| {
            left.pairwise(right, left.space(), budget, |a, b| {
                if a == b {
                    return Ok(vec![(None, a.clone())]);
                }
                let (first, second) = if maximum {
                    (a.lex_ge_set(b, budget)?, a.lex_lt_set(b, budget)?)
                } else {
                    (a.lex_le_set(b, budget)?, a.lex_gt_set(b, budget)?)
                };
                Ok(vec![(Some(first), a.clone()), (Some(second), b.clone())])
            })
        })
    }

    /// The lexicographically smaller value where both are defined, the value of one where only one is.
    pub fn union_lexmin(&self, other: &PwMultiAff, budget: &Budget) -> Result<PwMultiAff> {
        self.union_lexicographic(other, false, budget)
    }

    /// The lexicographically greater value where both are defined, the value of one where only one is.
    pub fn union_lexmax(&self, other: &PwMultiAff, budget: &Budget) -> Result<PwMultiAff> {
        self.union_lexicographic(other, true, budget)
    }

    /// The values at the point `[params | dims]`; nothing outside the domain or where one is not an integer.
    pub fn eval(&self, point: &[Int], budget: &Budget) -> Result<Option<Vec<Int>>> {
        let Some(values) = self.values(point, budget)? else { return Ok(None) };
        let integers = values.iter().map(|v| v.is_integer().then(|| v.numerator().clone()));
        Ok(integers.collect())
    }

    /// The graph as a relation. Points where a value is not an integer have no image. Error: a function of only
    /// parameters; see [`PwMultiAff::to_set`].
    pub fn to_map(&self, budget: &Budget) -> Result<Map> {
        if !self.space().is_map() {
            let (operation, expected) = ("form the graph", "the space of a function with arguments");
            return Err(Error::WrongShape { operation, space: self.space().clone(), expected });
        }
        let mut result = Map::empty(self.space().clone());
        for (set, function) in self.pieces() {
            let graph = Map::from_multi_aff(function)?;
            let graph = if set.is_plainly_universe() { graph } else { graph.intersect_domain(set, budget)? };
            result = result.union(&graph)?;
        }
        Ok(result)
    }

    /// The set of the values of a function of only the parameters: at most one point for each value of the parameters.
    pub fn to_set(&self, budget: &Budget) -> Result<Set> {
        if !self.space().is_set() {
            let (operation, expected) = ("form the set of values", "the space of a function of only parameters");
            return Err(Error::WrongShape { operation, space: self.space().clone(), expected });
        }
        let space = Space::map_of(self.space(), Tuple::anonymous(0), self.space().range_tuple().clone());
        self.as_function_of(&space)?.to_map(budget)?.range(budget)
    }

    /// A function of only the parameters as one in a map space with an empty tuple of arguments.
    fn as_function_of(&self, space: &Space) -> Result<PwMultiAff> {
        let arguments = space.domain();
        let mut result = PwMultiAff::empty(space.clone());
        for (set, function) in self.pieces() {
            let affs = function.affs().iter().map(|aff| with_columns(aff, &arguments)).collect::<Result<_>>()?;
            result.push(set.with_space(&arguments)?, MultiAff::new(space.clone(), affs)?);
        }
        Ok(result)
    }

    /// The single function on the whole space. Error: there are other pieces or conditions.
    pub fn to_multi_aff(&self) -> Result<MultiAff> {
        self.as_total().cloned().ok_or_else(|| Error::WrongShape {
            operation: "form a total function",
            space: self.space().clone(),
            expected: "the space of a function with one piece and no conditions",
        })
    }
}

fn with_columns(aff: &Aff, arguments: &Space) -> Result<Aff> {
    aff.with_space(arguments)
}
