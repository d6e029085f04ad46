//! [`PwAff`]: a piecewise quasi-affine function.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{self, Map, Set};
use crate::space::{DimKind, Space, Tuple};

use super::{Aff, MultiAff};

/// A partial function given by disjoint pieces, each a set with a quasi-affine expression. An immutable value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PwAff {
    space: Space,
    pieces: Vec<(Set, Aff)>,
}

impl PwAff {
    /// The function that is nowhere defined.
    pub fn empty(space: Space) -> PwAff {
        PwAff { space, pieces: Vec::new() }
    }

    /// One expression on the whole space.
    pub fn from_aff(aff: Aff) -> PwAff {
        PwAff { space: aff.space().clone(), pieces: vec![(Set::universe(aff.space().clone()), aff)] }
    }

    /// One expression on a set.
    pub fn on(set: &Set, aff: &Aff) -> Result<PwAff> {
        if !set.space().has_equal_tuples(aff.space()) {
            return Err(relation::mismatch("restrict a function", aff.space(), set.space()));
        }
        let space = aff.space().align_params(set.space());
        let mut result = PwAff::empty(space.clone());
        result.push(set.align_params(&space), aff.align_params(&space));
        Ok(result)
    }

    pub(crate) fn push(&mut self, set: Set, aff: Aff) {
        if !set.is_plainly_empty() {
            self.pieces.push((set, aff));
        }
    }

    /// The space of the arguments.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The pieces. Their sets are disjoint.
    pub fn pieces(&self) -> &[(Set, Aff)] {
        &self.pieces
    }

    /// The points where the function is defined.
    pub fn domain(&self) -> Result<Set> {
        self.pieces.iter().try_fold(Set::empty(self.space.clone()), |all, (set, _)| all.union(set))
    }

    /// The function on the points of `set`.
    pub fn intersect_domain(&self, set: &Set, budget: &Budget) -> Result<PwAff> {
        let space = self.space.align_params(set.space());
        let mut result = PwAff::empty(space.clone());
        for (piece, aff) in &self.pieces {
            let both = piece.align_params(&space).intersect(set, budget)?;
            if !both.is_empty(budget)? {
                result.push(both, aff.align_params(&space));
            }
        }
        Ok(result)
    }

    /// The function of `self` where it is defined, of `other` elsewhere.
    pub fn or_else(&self, other: &PwAff, budget: &Budget) -> Result<PwAff> {
        let space = self.space.align_params(&other.space);
        let mut result = PwAff::empty(space.clone());
        for (set, aff) in &self.pieces {
            result.push(set.align_params(&space), aff.align_params(&space));
        }
        let defined = self.domain()?;
        for (set, aff) in &other.pieces {
            let rest = set.align_params(&space).subtract(&defined, budget)?;
            if !rest.is_empty(budget)? {
                result.push(rest, aff.align_params(&space));
            }
        }
        Ok(result)
    }

    fn pairwise(
        &self,
        other: &PwAff,
        budget: &Budget,
        f: impl Fn(&Aff, &Aff) -> Result<Vec<(Option<Set>, Aff)>>,
    ) -> Result<PwAff> {
        let space = self.space.align_params(&other.space);
        let mut result = PwAff::empty(space.clone());
        for (set_a, a) in &self.pieces {
            for (set_b, b) in &other.pieces {
                let both = set_a.intersect(set_b, budget)?;
                for (condition, aff) in f(a, b)? {
                    let set = match condition {
                        Some(condition) => both.intersect(&condition, budget)?,
                        None => both.clone(),
                    };
                    if !set.is_empty(budget)? {
                        result.push(set.align_params(&space), aff.align_params(&space));
                    }
                }
            }
        }
        Ok(result)
    }

    /// The sum, where both are defined.
    pub fn add(&self, other: &PwAff, budget: &Budget) -> Result<PwAff> {
        self.pairwise(other, budget, |a, b| Ok(vec![(None, a.add(b)?)]))
    }

    /// The difference, where both are defined.
    pub fn sub(&self, other: &PwAff, budget: &Budget) -> Result<PwAff> {
        self.pairwise(other, budget, |a, b| Ok(vec![(None, a.sub(b)?)]))
    }

    /// The smaller value, where both are defined.
    pub fn min(&self, other: &PwAff, budget: &Budget) -> Result<PwAff> {
        self.pairwise(other, budget, |a, b| Ok(vec![(Some(a.le_set(b)?), a.clone()), (Some(a.gt_set(b)?), b.clone())]))
    }

    /// The greater value, where both are defined.
    pub fn max(&self, other: &PwAff, budget: &Budget) -> Result<PwAff> {
        self.pairwise(other, budget, |a, b| Ok(vec![(Some(a.ge_set(b)?), a.clone()), (Some(a.lt_set(b)?), b.clone())]))
    }

    /// Applies a function to every piece.
    pub fn map_affs(&self, f: impl Fn(&Aff) -> Aff) -> PwAff {
        let pieces = self.pieces.iter().map(|(set, aff)| (set.clone(), f(aff))).collect();
        PwAff { space: self.space.clone(), pieces }
    }

    /// The negation.
    pub fn neg(&self) -> PwAff {
        self.map_affs(Aff::neg)
    }

    /// The product with an integer.
    pub fn scale(&self, factor: &Int) -> PwAff {
        self.map_affs(|aff| aff.scale(factor))
    }

    /// `floor(self / divisor)`. Panics if `divisor` is not positive.
    pub fn floor_div(&self, divisor: &Int) -> PwAff {
        self.map_affs(|aff| aff.floor_div(divisor))
    }

    /// The points where both are defined and `f` of the expressions holds, `f` giving a set.
    fn compare(&self, other: &PwAff, budget: &Budget, f: impl Fn(&Aff, &Aff) -> Result<Set>) -> Result<Set> {
        let mut result = Set::empty(self.space.align_params(&other.space));
        for (set_a, a) in &self.pieces {
            for (set_b, b) in &other.pieces {
                let both = set_a.intersect(set_b, budget)?.intersect(&f(a, b)?, budget)?;
                result = result.union(&both)?;
            }
        }
        Ok(result)
    }

    /// The points where both are defined and equal.
    pub fn eq_set(&self, other: &PwAff, budget: &Budget) -> Result<Set> {
        self.compare(other, budget, Aff::eq_set)
    }

    /// The points where both are defined and different.
    pub fn ne_set(&self, other: &PwAff, budget: &Budget) -> Result<Set> {
        self.compare(other, budget, Aff::ne_set)
    }

    /// The points where both are defined and `self <= other`.
    pub fn le_set(&self, other: &PwAff, budget: &Budget) -> Result<Set> {
        self.compare(other, budget, Aff::le_set)
    }

    /// The points where both are defined and `self < other`.
    pub fn lt_set(&self, other: &PwAff, budget: &Budget) -> Result<Set> {
        self.compare(other, budget, Aff::lt_set)
    }

    /// The value at the point `[params | dims]`; nothing outside the domain or where it is not an integer.
    pub fn eval(&self, point: &[Int], budget: &Budget) -> Result<Option<Int>> {
        for (set, aff) in &self.pieces {
            if set.contains(point, budget)? {
                return Ok(aff.eval(point));
            }
        }
        Ok(None)
    }

    /// The graph as a relation to one unnamed dimension.
    pub fn to_map(&self, budget: &Budget) -> Result<Map> {
        let domain = Space::set_of(&self.space, self.space.range_tuple().clone());
        let space = Space::map_of(&self.space, domain.range_tuple().clone(), Tuple::anonymous(1));
        let mut result = Map::empty(space.clone());
        for (set, aff) in &self.pieces {
            let aff = aff.with_space(&domain)?;
            let graph = Map::from_multi_aff(&MultiAff::new(space.clone(), vec![aff])?)?;
            let set = set.with_space(&domain)?;
            result = result.union(&graph.intersect_domain(&set, budget)?)?;
        }
        debug_assert_eq!(result.space().dim(DimKind::Out), 1);
        Ok(result)
    }
}
