//! Powers of a relation with the number of steps as a coordinate, fixed powers, and lengths of paths.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Map, row};
use crate::space::{DimKind, Space, Tuple};

use super::{check_endomorphic, closure};

/// The relation with a counter in front of every point, to which a step adds one.
pub(super) fn count_steps(map: &Map) -> Result<Map> {
    let counted = map.insert_dims(DimKind::In, 0, 1)?.insert_dims(DimKind::Out, 0, 1)?;
    let space = counted.space();
    let mut step = row::zeros(space.n_col());
    step[0] = Int::one();
    step[space.offset(DimKind::In)] = Int::one();
    step[space.offset(DimKind::Out)] = Int::from(-1);
    Ok(counted.add_eq(&step))
}

/// The relation `{ [k] -> (x, y) }` of the paths of a relation with counters: a path starts with the counter at zero,
/// and where the counter ends is the number of steps.
pub(super) fn steps_first(paths: &Map, budget: &Budget) -> Result<Map> {
    let n = paths.space().dim(DimKind::In) - 1;
    let lengths = paths.fix(DimKind::In, 0, &Int::zero())?.project_out(DimKind::In, 0, 1, budget)?;
    lengths.move_dims(DimKind::In, 0, DimKind::Out, 0, 1)?.move_dims(DimKind::Out, 0, DimKind::In, 1, n)
}

impl Map {
    /// The positive powers: `{ [k] -> [x -> y] }` for all `k >= 1` and pairs `(x, y)` such that `k` steps lead from `x`
    /// to `y`; and whether the result is exact. If it is not, it contains more pairs. The domain and the range must
    /// have the same tuple. Cost as [`Map::transitive_closure`].
    pub fn power(&self, budget: &Budget) -> Result<(Map, bool)> {
        check_endomorphic(self)?;
        let tuple = self.space().range_tuple();
        let counted = count_steps(self)?;
        let point = Tuple::anonymous(1 + tuple.len());
        let space = Space::map_of(counted.space(), point.clone(), point);
        let (paths, exact) = closure(&counted.with_space(&space)?, 0, budget)?;
        let space = Space::map_of(self.space(), Tuple::new("", &["k"]), Tuple::nest(tuple, tuple));
        Ok((steps_first(&paths, budget)?.with_space(&space)?.coalesce(budget)?, exact))
    }

    /// The pairs that are related by exactly `exponent` steps; by that many steps back if it is negative; all pairs of
    /// a point with itself if it is zero. Exact; the composition of logarithmically many relations.
    pub fn fixed_power(&self, exponent: i64, budget: &Budget) -> Result<Map> {
        check_endomorphic(self)?;
        let mut square = if exponent < 0 { self.reverse() } else { self.clone() };
        let mut rest = exponent.unsigned_abs();
        let mut result: Option<Map> = None;
        while rest > 0 {
            if rest & 1 == 1 {
                result = Some(match result {
                    None => square.clone(),
                    Some(power) => power.apply_range(&square, budget)?.coalesce(budget)?,
                });
            }
            rest >>= 1;
            if rest > 0 {
                square = square.apply_range(&square, budget)?.coalesce(budget)?;
            }
        }
        match result {
            Some(power) => Ok(power),
            None => Map::identity(&self.space().domain()),
        }
    }

    /// For every point that a path leads to, the lengths of these paths: `{ y -> [k] }`; and whether the result is
    /// exact. If it is not, it contains more lengths. Cost as [`Map::transitive_closure`].
    pub fn reaching_path_lengths(&self, budget: &Budget) -> Result<(Map, bool)> {
        let (power, exact) = self.power(budget)?;
        let lengths = power.range_factor_range(budget)?.reverse();
        Ok((lengths.coalesce(budget)?, exact))
    }
}
