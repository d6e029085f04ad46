//! Products of functions, their factors, and changes of the tuple of the result: for [`MultiAff`], [`PwMultiAff`] and
//! [`UnionPwMultiAff`].

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation;
use crate::space::{DimKind, Space, Tuple};

use super::{Aff, MultiAff, PwMultiAff, UnionPwMultiAff};

/// The two factors of the tuple of the result.
pub(super) fn range_factors(space: &Space) -> Result<(Tuple, Tuple)> {
    space.range_tuple().factors().ok_or_else(|| Error::WrongShape {
        operation: "take a factor",
        space: space.clone(),
        expected: "the space of a function to a nested tuple",
    })
}

/// The space with another tuple of the result.
pub(super) fn with_range(space: &Space, tuple: Tuple) -> Space {
    space.with_tuple(DimKind::Out, tuple)
}

/// The check that two functions have the same arguments.
fn same_arguments(operation: &'static str, left: &Space, right: &Space) -> Result<()> {
    if left.is_map() == right.is_map() && left.domain_tuple() == right.domain_tuple() {
        return Ok(());
    }
    Err(relation::mismatch(operation, left, right))
}

/// The tuple after the dimensions of another are inserted before `pos`: flat and unnamed.
pub(super) fn spliced(space: &Space, pos: usize, inserted: &Tuple) -> Result<Tuple> {
    let tuple = space.range_tuple();
    if pos > tuple.len() {
        return Err(relation::out_of_range("insert components", space, DimKind::Out, pos));
    }
    let head = tuple.drop_dims(pos, tuple.len() - pos);
    let tail = tuple.drop_dims(0, pos);
    Ok(head.concat(inserted).concat(&tail))
}

/// The space `[A -> C] -> [B -> D]` of two map spaces.
fn product_space(left: &Space, right: &Space) -> Result<Space> {
    let (Some(a), Some(c)) = (left.domain_tuple(), right.domain_tuple()) else {
        return Err(relation::mismatch("form the product", left, right));
    };
    let (b, d) = (left.range_tuple(), right.range_tuple());
    Ok(Space::map_of(&left.align_params(right), Tuple::nest(a, c), Tuple::nest(b, d)))
}

impl MultiAff {
    fn joined(&self, other: &MultiAff, pos: usize, tuple: Tuple) -> Result<MultiAff> {
        same_arguments("form the range product", self.space(), other.space())?;
        let space = with_range(&self.space().align_params(other.space()), tuple);
        let (head, tail) = self.affs().split_at(pos);
        let affs: Vec<Aff> = head.iter().chain(other.affs()).chain(tail).cloned().collect();
        MultiAff::new(space, affs)
    }

    /// `x -> [self(x) -> other(x)]`. Error: different arguments.
    pub fn range_product(&self, other: &MultiAff) -> Result<MultiAff> {
        let tuple = Tuple::nest(self.space().range_tuple(), other.space().range_tuple());
        self.joined(other, self.affs().len(), tuple)
    }

    /// The components of both as one unnamed flat tuple. Error: different arguments.
    pub fn flat_range_product(&self, other: &MultiAff) -> Result<MultiAff> {
        let tuple = self.space().range_tuple().concat(other.space().range_tuple());
        self.joined(other, self.affs().len(), tuple)
    }

    /// The components of `other` inserted before component `pos`, as one unnamed flat tuple. Errors: different
    /// arguments, no such position.
    pub fn splice(&self, pos: usize, other: &MultiAff) -> Result<MultiAff> {
        let tuple = spliced(self.space(), pos, other.space().range_tuple())?;
        self.joined(other, pos, tuple)
    }

    /// `[x -> y] -> [self(x) -> other(y)]`. Error: a function of only parameters.
    pub fn product(&self, other: &MultiAff) -> Result<MultiAff> {
        let space = product_space(self.space(), other.space())?;
        let arguments = space.domain();
        let place = |function: &MultiAff, offset: usize| {
            let function = function.align_params(&space);
            let own = function.domain_space();
            let params = own.offset(DimKind::Out);
            let map: Vec<Option<usize>> =
                (0..own.n_col()).map(|c| Some(if c < params { c } else { c + offset })).collect();
            function.remap_columns(&arguments, &map)
        };
        let (left, right) = (place(self, 0), place(other, self.domain_space().dim(DimKind::Out)));
        MultiAff::new(space, left.affs().iter().chain(right.affs()).cloned().collect())
    }

    /// The first factor of a function to `[B -> C]`. Error: the tuple of the result is not nested.
    pub fn range_factor_domain(&self) -> Result<MultiAff> {
        let (first, _) = range_factors(self.space())?;
        let affs = self.affs()[..first.len()].to_vec();
        MultiAff::new(with_range(self.space(), first), affs)
    }

    /// The second factor of a function to `[B -> C]`. Error: the tuple of the result is not nested.
    pub fn range_factor_range(&self) -> Result<MultiAff> {
        let (first, second) = range_factors(self.space())?;
        let affs = self.affs()[first.len()..].to_vec();
        MultiAff::new(with_range(self.space(), second), affs)
    }

    /// The same components as one unnamed flat tuple.
    pub fn flatten_range(&self) -> Result<MultiAff> {
        self.with_space(&with_range(self.space(), self.space().range_tuple().flattened()))
    }
}

impl PwMultiAff {
    /// `x -> [self(x) -> other(x)]`, where both are defined. Error: different arguments.
    pub fn range_product(&self, other: &PwMultiAff, budget: &Budget) -> Result<PwMultiAff> {
        let tuple = Tuple::nest(self.space().range_tuple(), other.space().range_tuple());
        self.joined(other, tuple, budget, MultiAff::range_product)
    }

    /// The components of both as one unnamed flat tuple, where both are defined. Error: different arguments.
    pub fn flat_range_product(&self, other: &PwMultiAff, budget: &Budget) -> Result<PwMultiAff> {
        let tuple = self.space().range_tuple().concat(other.space().range_tuple());
        self.joined(other, tuple, budget, MultiAff::flat_range_product)
    }

    /// The components of `other` inserted before component `pos`, as one unnamed flat tuple, where both are defined.
    pub fn splice(&self, pos: usize, other: &PwMultiAff, budget: &Budget) -> Result<PwMultiAff> {
        let tuple = spliced(self.space(), pos, other.space().range_tuple())?;
        self.joined(other, tuple, budget, |a, b| a.splice(pos, b))
    }

    fn joined(
        &self,
        other: &PwMultiAff,
        tuple: Tuple,
        budget: &Budget,
        f: impl Fn(&MultiAff, &MultiAff) -> Result<MultiAff>,
    ) -> Result<PwMultiAff> {
        same_arguments("form the range product", self.space(), other.space())?;
        let space = with_range(self.space(), tuple);
        self.pairwise(other, &space, budget, |a, b| Ok(vec![(None, f(a, b)?)]))
    }

    /// `[x -> y] -> [self(x) -> other(y)]`, where both are defined. Error: a function of only parameters.
    pub fn product(&self, other: &PwMultiAff, budget: &Budget) -> Result<PwMultiAff> {
        let space = product_space(self.space(), other.space())?;
        self.with_aligned(other, |left, right| {
            let mut result = PwMultiAff::empty(space.with_params_of(left.space()));
            for (set_a, a) in left.pieces() {
                for (set_b, b) in right.pieces() {
                    result.push(set_a.product(set_b, budget)?, a.product(b)?);
                }
            }
            Ok(result)
        })
    }

    /// The first factor of a function to `[B -> C]`. Error: the tuple of the result is not nested.
    pub fn range_factor_domain(&self) -> Result<PwMultiAff> {
        let (first, _) = range_factors(self.space())?;
        self.try_map(with_range(self.space(), first), MultiAff::range_factor_domain)
    }

    /// The second factor of a function to `[B -> C]`. Error: the tuple of the result is not nested.
    pub fn range_factor_range(&self) -> Result<PwMultiAff> {
        let (_, second) = range_factors(self.space())?;
        self.try_map(with_range(self.space(), second), MultiAff::range_factor_range)
    }

    /// The same components as one unnamed flat tuple.
    pub fn flatten_range(&self) -> Result<PwMultiAff> {
        self.with_space(&with_range(self.space(), self.space().range_tuple().flattened()))
    }
}

impl UnionPwMultiAff {
    /// `x -> [self(x) -> other(x)]`, where both are defined.
    pub fn range_product(&self, other: &UnionPwMultiAff, budget: &Budget) -> Result<UnionPwMultiAff> {
        self.joined(other, |a, b| a.range_product(b, budget))
    }

    /// The components of both as one unnamed flat tuple, where both are defined.
    pub fn flat_range_product(&self, other: &UnionPwMultiAff, budget: &Budget) -> Result<UnionPwMultiAff> {
        self.joined(other, |a, b| a.flat_range_product(b, budget))
    }

    fn joined(
        &self,
        other: &UnionPwMultiAff,
        f: impl Fn(&PwMultiAff, &PwMultiAff) -> Result<PwMultiAff>,
    ) -> Result<UnionPwMultiAff> {
        self.pairs(other, |a, b| {
            let fits = same_arguments("form the range product", a.space(), b.space()).is_ok();
            if fits { Ok(Some(f(a, b)?)) } else { Ok(None) }
        })
    }

    /// The first factors of the functions to nested tuples; the others are left out.
    pub fn range_factor_domain(&self) -> Result<UnionPwMultiAff> {
        self.filtered(|m| m.space().range_tuple().is_nested())?.map_members(PwMultiAff::range_factor_domain)
    }

    /// The second factors of the functions to nested tuples; the others are left out.
    pub fn range_factor_range(&self) -> Result<UnionPwMultiAff> {
        self.filtered(|m| m.space().range_tuple().is_nested())?.map_members(PwMultiAff::range_factor_range)
    }
}
