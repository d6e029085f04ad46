//! Transitive closures and powers of relations, exact where that can be proved, otherwise supersets.
//!
//! The transitive closure `R+` of a relation is the union of its powers `R^k`, `k >= 1`. It is not a Presburger
//! relation in general, so every operation here returns a relation that contains it, and a flag. *The flag is true only
//! if the result is proved to be exact.*
//!
//! # Method
//!
//! 1. Coordinates that no pair changes become parameters.
//! 2. The conjunctions are sorted into *components*: two of them are in different components if all their steps can be
//!    brought into one order (`decompose`). The closures of the components are composed.
//! 3. For one component, a path of `k` steps adds up `k` differences: the multiples of the polyhedra of differences,
//!    with the domain in front and the range behind, contain all paths (`paths`).
//! 4. The result is exact if every path has a first step: see `exactness`.
//! 5. Otherwise other ways are tried: Floyd-Warshall on classes of points that only whole conjunctions lead between,
//!    the removal of one conjunction after the other, and plain iteration (`decompose`). Each gets a fixed share of
//!    work.
//!
//! Sources: S. Verdoolaege, A. Cohen, A. Beletska, *Transitive Closures of Affine Integer Tuple Relations and their
//! Overapproximations*, SAS 2011; W. Kelly, W. Pugh, E. Rosser, T. Shpeisman, *Transitive Closure of Infinite Graphs
//! and its Applications*, Int. J. of Parallel Programming 24(6), 1996.

mod decompose;
mod exactness;
mod paths;
mod power;
mod unions;

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::space::DimKind;

use super::{Comparison, Map, mismatch};

/// A relation that contains the closure, and whether it is known to be exact.
type Closure = (Map, bool);

/// The share of work that one attempt at a better result may take, in units.
const ATTEMPT: u64 = 1_000_000;

/// How deep the decompositions may nest.
const MAX_DEPTH: usize = 6;

/// Runs an attempt with a limited share of the budget; nothing if the share was not enough.
fn attempt<T>(budget: &Budget, f: impl FnOnce(&Budget) -> Result<T>) -> Result<Option<T>> {
    match budget.share(ATTEMPT.min(budget.remaining() / 4), f)? {
        Ok(value) => Ok(Some(value)),
        Err(Error::Exhausted(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The relation with fewer conjunctions, if these are found with little work.
fn coalesced(map: Map, budget: &Budget) -> Result<Map> {
    Ok(attempt(budget, |share| map.coalesce(share))?.unwrap_or(map))
}

impl Map {
    /// All pairs `(x, y)` such that some number of steps of the relation, at least one, leads from `x` to `y`; and
    /// whether the result is exact. If it is not, it contains more pairs.
    ///
    /// The domain and the range must have the same tuple. Cost: compositions and integer programming, exponential in
    /// the number of conjunctions in the worst case.
    ///
    /// ```
    /// use tessera_polyhedral::budget::Budget;
    /// use tessera_polyhedral::relation::Map;
    /// let budget = Budget::new(100_000_000);
    /// let step = Map::parse("[n] -> { [i] -> [i + 1] : 0 <= i < n }", &budget)?;
    /// let (closure, exact) = step.transitive_closure(&budget)?;
    /// assert!(exact);
    /// let expected = Map::parse("[n] -> { [i] -> [j] : 0 <= i < j <= n }", &budget)?;
    /// assert!(closure.is_equal(&expected, &budget)?);
    /// # Ok::<(), tessera_polyhedral::Error>(())
    /// ```
    pub fn transitive_closure(&self, budget: &Budget) -> Result<(Map, bool)> {
        check_endomorphic(self)?;
        let (map, exact) = closure(self, 0, budget)?;
        Ok((coalesced(map, budget)?.with_space(self.space())?, exact))
    }
}

/// Fails unless the domain and the range have one tuple.
fn check_endomorphic(map: &Map) -> Result<()> {
    if map.space().domain_tuple() != Some(map.space().range_tuple()) {
        return Err(mismatch("iterate", &map.space().domain(), &map.space().range()));
    }
    Ok(())
}

/// The closure of a relation between points of one tuple.
fn closure(map: &Map, depth: usize, budget: &Budget) -> Result<Closure> {
    let map = coalesced(map.clone(), budget)?;
    if map.apply_range(&map, budget)?.is_empty(budget)? {
        return Ok((map, true));
    }
    let mut constant = Vec::new();
    for d in 0..map.space().dim(DimKind::In) {
        if map.compare_dims(DimKind::In, d, Comparison::Ne, DimKind::Out, d)?.is_empty(budget)? {
            constant.push(d);
        }
    }
    if constant.is_empty() {
        return decompose::components(&map, depth, budget);
    }
    // The name cannot be written in a text, and it differs from those of outer calls by its number.
    let n_param = map.space().dim(DimKind::Param);
    let mut reduced = map.clone();
    for (k, &d) in constant.iter().rev().enumerate() {
        let name = format!("$coordinate{}", n_param + k);
        reduced = reduced.with_dim_name(DimKind::In, d, &name).project_out(DimKind::Out, d, 1, budget)?.move_dims(
            DimKind::Param,
            n_param + k,
            DimKind::In,
            d,
            1,
        )?;
    }
    let space = reduced.space().with_tuple_name(DimKind::In, "").with_tuple_name(DimKind::Out, "");
    let (mut result, exact) = decompose::components(&reduced.with_space(&space)?, depth, budget)?;
    result = result.align_params(&space);
    for (k, &d) in constant.iter().rev().enumerate().rev() {
        result = result
            .move_dims(DimKind::In, d, DimKind::Param, n_param + k, 1)?
            .insert_dims(DimKind::Out, d, 1)?
            .equate_dims(DimKind::In, d, DimKind::Out, d)?;
    }
    Ok((result.with_space(map.space())?, exact))
}
