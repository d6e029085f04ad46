//! [`Expression`]: what one piece of a piecewise function is, an [`Aff`](super::Aff) or a
//! [`MultiAff`](super::MultiAff).
//!
//! The trait lets [`super::Piecewise`] and [`super::UnionPiecewise`] exist once for both. It is sealed.

use std::fmt;

use crate::arith::{Int, Rational};
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Row, Set};
use crate::space::{DimKind, Space};

use super::{Aff, MultiAff};

pub(crate) mod sealed {
    /// Only this crate implements [`super::Expression`].
    pub trait Sealed {}
}

/// A total quasi-affine function: one expression ([`Aff`]) or a tuple of them ([`MultiAff`]). Sealed.
///
/// The space of an `Aff` is the space of its arguments; that of a `MultiAff` also has the tuple of the result.
pub trait Expression: Clone + fmt::Debug + PartialEq + Eq + sealed::Sealed {
    /// The space of the arguments of the functions in a given space.
    fn argument_space(space: &Space) -> Space;

    /// The given function space with other arguments: a set space or a space of only parameters.
    fn with_argument_space(space: &Space, arguments: &Space) -> Space;

    /// The space of the function.
    fn space(&self) -> &Space;

    /// The same function with at least the parameters of `params`, those of `params` first.
    fn align_params(&self, params: &Space) -> Self;

    /// The same function in a space with the same number of parameters and dimensions. Error: another number.
    fn with_space(&self, space: &Space) -> Result<Self>;

    /// The sum of the values. Error: different tuples.
    fn add(&self, other: &Self) -> Result<Self>;

    /// The difference of the values. Error: different tuples.
    fn sub(&self, other: &Self) -> Result<Self>;

    /// The product of the values with a rational number.
    fn scale_rational(&self, factor: &Rational) -> Self;

    /// The greatest integers that are at most the values.
    fn floor(&self) -> Self;

    /// The composition `x -> self(function(x))`: the values of `function` are put in the place of the dimensions.
    fn pullback(&self, function: &MultiAff) -> Result<Self>;

    /// The points where the values differ. Error: different tuples.
    fn ne_set(&self, other: &Self) -> Result<Set>;

    /// A simpler function with the same values on `context`; see [`Aff::gist`].
    fn gist(&self, context: &Set, budget: &Budget) -> Result<Self>;

    /// Whether some dimension or parameter of the arguments takes part, also inside divisions.
    fn involves(&self, kind: DimKind, first: usize, n: usize) -> bool;

    /// Moves the columns of the arguments: column `c` of a row becomes column `map[c]`; `space` is the new space of the
    /// arguments.
    #[doc(hidden)]
    fn remap(&self, arguments: &Space, map: &[Option<usize>]) -> Self;

    /// The values at a point `[params | dims]`; nothing for a point of another length.
    fn values(&self, point: &[Int]) -> Option<Vec<Rational>>;
}

/// Moves the columns of one row; columns without a place must be zero.
pub(super) fn remap_row(row: &[Int], map: &[Option<usize>], n: usize) -> Row {
    let mut result = crate::relation::zeros(n);
    for (x, to) in row.iter().zip(map) {
        if let (false, Some(to)) = (x.is_zero(), to) {
            result[*to] = x.clone();
        }
    }
    result
}

impl sealed::Sealed for Aff {}
impl sealed::Sealed for MultiAff {}

impl Expression for Aff {
    fn argument_space(space: &Space) -> Space {
        space.clone()
    }

    fn with_argument_space(_space: &Space, arguments: &Space) -> Space {
        arguments.clone()
    }

    fn space(&self) -> &Space {
        Aff::space(self)
    }

    fn align_params(&self, params: &Space) -> Aff {
        Aff::align_params(self, params)
    }

    fn with_space(&self, space: &Space) -> Result<Aff> {
        Aff::with_space(self, space)
    }

    fn add(&self, other: &Aff) -> Result<Aff> {
        Aff::add(self, other)
    }

    fn sub(&self, other: &Aff) -> Result<Aff> {
        Aff::sub(self, other)
    }

    fn scale_rational(&self, factor: &Rational) -> Aff {
        Aff::scale_rational(self, factor)
    }

    fn floor(&self) -> Aff {
        Aff::floor(self)
    }

    fn pullback(&self, function: &MultiAff) -> Result<Aff> {
        Aff::pullback(self, function)
    }

    fn ne_set(&self, other: &Aff) -> Result<Set> {
        Aff::ne_set(self, other)
    }

    fn gist(&self, context: &Set, budget: &Budget) -> Result<Aff> {
        Aff::gist(self, context, budget)
    }

    fn involves(&self, kind: DimKind, first: usize, n: usize) -> bool {
        Aff::involves(self, kind, first, n)
    }

    fn remap(&self, arguments: &Space, map: &[Option<usize>]) -> Aff {
        self.remap_columns(arguments.clone(), map)
    }

    fn values(&self, point: &[Int]) -> Option<Vec<Rational>> {
        Some(vec![self.eval_rational(point)?])
    }
}

impl Expression for MultiAff {
    fn argument_space(space: &Space) -> Space {
        if space.is_map() { space.domain() } else { space.params_space() }
    }

    fn with_argument_space(space: &Space, arguments: &Space) -> Space {
        if arguments.is_params() {
            return space.range().with_params_of(arguments);
        }
        Space::map_of(arguments, arguments.range_tuple().clone(), space.range_tuple().clone())
    }

    fn space(&self) -> &Space {
        MultiAff::space(self)
    }

    fn align_params(&self, params: &Space) -> MultiAff {
        MultiAff::align_params(self, params)
    }

    fn with_space(&self, space: &Space) -> Result<MultiAff> {
        MultiAff::with_space(self, space)
    }

    fn add(&self, other: &MultiAff) -> Result<MultiAff> {
        MultiAff::add(self, other)
    }

    fn sub(&self, other: &MultiAff) -> Result<MultiAff> {
        MultiAff::sub(self, other)
    }

    fn scale_rational(&self, factor: &Rational) -> MultiAff {
        self.map_affs(|aff| aff.scale_rational(factor))
    }

    fn floor(&self) -> MultiAff {
        self.map_affs(Aff::floor)
    }

    fn pullback(&self, function: &MultiAff) -> Result<MultiAff> {
        MultiAff::pullback(self, function)
    }

    fn ne_set(&self, other: &MultiAff) -> Result<Set> {
        MultiAff::ne_set(self, other)
    }

    fn gist(&self, context: &Set, budget: &Budget) -> Result<MultiAff> {
        MultiAff::gist(self, context, budget)
    }

    fn involves(&self, kind: DimKind, first: usize, n: usize) -> bool {
        self.affs().iter().any(|aff| aff.involves(kind, first, n))
    }

    fn remap(&self, arguments: &Space, map: &[Option<usize>]) -> MultiAff {
        self.remap_columns(arguments, map)
    }

    fn values(&self, point: &[Int]) -> Option<Vec<Rational>> {
        self.affs().iter().map(|aff| aff.eval_rational(point)).collect()
    }
}
