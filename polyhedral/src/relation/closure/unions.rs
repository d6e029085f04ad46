//! Closures and powers of relations over many spaces: Floyd-Warshall with the tuples as nodes.

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Map, UnionMap};
use crate::space::{Space, Tuple};

use super::decompose::floyd_warshall;
use super::power::{count_steps, steps_first};

impl UnionMap {
    /// The relations between all pairs of tuples that occur, in the order of the tuples.
    fn grid(&self) -> (Vec<Tuple>, Vec<Vec<Map>>) {
        let mut tuples: Vec<Tuple> = Vec::new();
        for map in self.members() {
            tuples.extend(map.space().domain_tuple().cloned());
            tuples.push(map.space().range_tuple().clone());
        }
        tuples.sort();
        tuples.dedup();
        let space = |a: &Tuple, b: &Tuple| Space::map_of(self.params_space(), a.clone(), b.clone());
        let grid = tuples.iter().map(|a| tuples.iter().map(|b| self.extract(&space(a, b))).collect()).collect();
        (tuples, grid)
    }

    /// All pairs of points such that some number of steps, at least one, leads from the first to the second, through
    /// any spaces; and whether the result is exact. If it is not, it contains more pairs. See
    /// [`Map::transitive_closure`].
    pub fn transitive_closure(&self, budget: &Budget) -> Result<(UnionMap, bool)> {
        let (_, mut grid) = self.grid();
        let exact = floyd_warshall(&mut grid, 0, budget)?;
        let result = UnionMap::from_members(grid.into_iter().flatten())?;
        Ok((result.align_params(self.params_space()), exact))
    }

    /// The positive powers: `{ [k] -> [x -> y] }` for all `k >= 1` and pairs that `k` steps relate, through any spaces;
    /// and whether the result is exact. If it is not, it contains more pairs. See [`Map::power`].
    pub fn power(&self, budget: &Budget) -> Result<(UnionMap, bool)> {
        let counted = |set: &Tuple| Tuple::nest(&Tuple::anonymous(1), set);
        let (tuples, mut grid) = self.grid();
        for (a, row) in tuples.iter().zip(&mut grid) {
            for (b, cell) in tuples.iter().zip(row) {
                let space = Space::map_of(self.params_space(), counted(a), counted(b));
                *cell = count_steps(cell)?.with_space(&space)?;
            }
        }
        let exact = floyd_warshall(&mut grid, 0, budget)?;
        let mut result = UnionMap::empty(self.params_space());
        for (a, row) in tuples.iter().zip(&grid) {
            for (b, cell) in tuples.iter().zip(row) {
                if !cell.is_plainly_empty() {
                    let space = Space::map_of(self.params_space(), Tuple::new("", &["k"]), Tuple::nest(a, b));
                    let power = steps_first(cell, budget)?;
                    result = result.add(&power.align_params(self.params_space()).with_space(&space)?)?;
                }
            }
        }
        Ok((result, exact))
    }

    /// The pairs that are related by exactly `exponent` steps, through any spaces; by that many steps back if it is
    /// negative; all pairs of a point with itself, in the spaces that occur, if it is zero. Exact.
    pub fn fixed_power(&self, exponent: i64, budget: &Budget) -> Result<UnionMap> {
        if exponent == 0 {
            let spaces = self.domain(budget)?.union(&self.range(budget)?)?;
            return spaces.universe().identity();
        }
        let mut square = if exponent < 0 { self.reverse()? } else { self.clone() };
        let mut rest = exponent.unsigned_abs();
        let mut result: Option<UnionMap> = None;
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
        Ok(result.unwrap_or_else(|| self.clone()))
    }

    /// For every point that a path leads to, the lengths of these paths: `{ y -> [k] }`; and whether the result is
    /// exact. See [`Map::reaching_path_lengths`].
    pub fn reaching_path_lengths(&self, budget: &Budget) -> Result<(UnionMap, bool)> {
        let (power, exact) = self.power(budget)?;
        Ok((power.range_factor_range(budget)?.reverse()?.coalesce(budget)?, exact))
    }
}
