//! When and how is a nest tiled across its outer loop? See the pass `time_tile`.
//!
//! For each skew, the least distances of rows along dependences are integer programs, and shifts that make up for negative ones are
//! longest paths over the statements. All in all the loops `(t, row + skew t + shift)` are a permutable band; the whole draft is checked.

use crate::affine::Aff;
use crate::arith::Int;
use crate::flow::AccessKind;
use crate::lp::IntOptimum;
use crate::scop::Dependence;
use crate::space::DimKind;
use crate::transform::Value;

use super::program::{Part, is_innermost, statements_of};
use super::search::Search;
use super::{Failure, Transformation, tiles};

/// The order of the tiles along one dimension of the data.
struct Skewed {
    skew: i64,
    /// One per statement.
    shifts: Vec<i64>,
}

impl Search<'_, '_> {
    /// Tiles the loop `index` around `body`, inside the loops `around` and so many bands, unless that would be illegal or not pay.
    pub(super) fn time_tiled(
        &mut self,
        index: usize,
        body: &[Part],
        around: &[usize],
        above: usize,
    ) -> Result<(), Failure> {
        let statements = {
            let mut statements = statements_of(body);
            statements.sort_unstable();
            statements
        };
        let Some(rows) = self.rows(index, &statements, around) else { return Ok(()) };
        let depth = around.len();
        let along = self.row_loops(&statements, depth);
        if !self.options.unprofitable && !self.streams(index, body, depth, along)? {
            return Ok(());
        }
        let mut dimensions = Vec::new();
        let inside = self.between(&statements, around)?;
        for dimension in &rows {
            match self.skewed(dimension, index, &statements, &inside)? {
                Some(skewed) => dimensions.push(skewed),
                None => break,
            }
        }
        if dimensions.is_empty() {
            return Ok(());
        }
        let sizes = tiles::time_sizes(along, dimensions.len(), &self.options.tiles, &self.options.strategy);
        let skews: Vec<i64> = dimensions.iter().map(|skewed| skewed.skew).collect();
        let shifts = dimensions.iter().map(|skewed| Value::list(skewed.shifts.iter().copied()));
        let arguments = [
            ("sizes", Value::list(sizes.iter().copied())),
            ("skews", Value::list(skews.iter().copied())),
            ("shifts", Value::List(shifts.collect())),
        ];
        self.step("time_tile", (statements[0], above), arguments)?;
        let deepest = statements.iter().map(|s| &self.program.around[*s]).max_by_key(|loops| loops.len());
        let loops: Vec<usize> = deepest.into_iter().flatten().skip(depth).take(sizes.len()).copied().collect();
        let order = (0..loops.len()).collect();
        self.applied.push(Transformation {
            order,
            loops,
            statements,
            tiles: sizes,
            skews,
            ..Transformation::default()
        });
        Ok(())
    }

    /// Per dimension that can be tiled, the row of each statement.
    fn rows(&self, index: usize, statements: &[usize], around: &[usize]) -> Option<Vec<Vec<Aff>>> {
        let written: Vec<Vec<Aff>> =
            statements.iter().map(|s| self.scop.row(&self.scop.statements[*s])).collect::<Option<_>>()?;
        let dims = written.iter().map(Vec::len).min()?;
        // The last dimension stays whole, so that inner loops are long.
        let count = dims.saturating_sub(1).max(1).min(dims);
        let rows: Vec<Vec<Aff>> =
            (0..count).map(|d| written.iter().map(|subscripts| subscripts[d].clone()).collect()).collect();
        // Rows that only the outer loop moves to are no data to come back to.
        let moves = |s: usize, row: &Aff| {
            let loops = self.program.around[s].iter().filter(|l| **l != index && !around.contains(l));
            loops.filter_map(|l| self.program.dim(s, *l)).any(|dim| row.involves(DimKind::Out, dim, 1))
        };
        let spread = rows.iter().all(|dimension| statements.iter().zip(dimension).any(|(s, row)| moves(*s, row)));
        (count > 0 && spread).then_some(rows)
    }

    /// The greatest number of loops inside the outer one around a statement.
    fn row_loops(&self, statements: &[usize], depth: usize) -> usize {
        let inside = |s: &usize| self.program.around[*s].len().saturating_sub(depth + 1);
        statements.iter().map(inside).max().unwrap_or(0)
    }

    /// Whether memory is what the nest waits for: the iterations of innermost loops run over neighbouring elements and need not
    /// wait for each other, and the outer loop comes back to all that is written.
    fn streams(&self, index: usize, body: &[Part], depth: usize, along: usize) -> Result<bool, Failure> {
        if along == 0 {
            return Ok(false);
        }
        for s in statements_of(body) {
            let around = &self.program.around[s];
            // What is in fewer loops matters less.
            let Some(inner) = around.get(depth + along) else { continue };
            let Some(outer) = self.program.dim(s, index) else { return Ok(false) };
            let inside: Vec<usize> = around[depth + 1..].iter().filter_map(|l| self.program.dim(s, *l)).collect();
            for access in &self.scop.statements[s].accesses {
                let Some(subscripts) = access.subscripts() else { return Ok(false) };
                let moves = |dim: &&usize| subscripts.iter().any(|row| row.involves(DimKind::Out, **dim, 1));
                let spread = inside.iter().filter(moves).count();
                let array = self.scop.memory_of(access);
                // As much new data in every iteration of the outer loop as old data that it comes back to.
                let fetched = array.is_some()
                    && spread == inside.len()
                    && subscripts.iter().any(|row| goes_on(row, outer, &inside, self.options.strategy.skew));
                if fetched {
                    return Ok(false);
                }
                if access.kind == AccessKind::MustWrite && !subscripts.iter().all(|row| comes_back(row, outer)) {
                    return Ok(false);
                }
                let dense = array.map_or(0, |array| i128::from(array.unit) * access.count().unwrap_or(1));
                if self.program.stride(self.scop, s, access, *inner).is_none_or(|bytes| bytes > dense) {
                    return Ok(false);
                }
            }
        }
        self.innermost_are_free(body)
    }

    fn innermost_are_free(&self, parts: &[Part]) -> Result<bool, Failure> {
        for part in parts {
            let Part::Loop { index, body } = part else { continue };
            let free = match is_innermost(body) {
                true => !self.waits(&statements_of(body), *index)?,
                false => self.innermost_are_free(body)?,
            };
            if !free {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The least skew, with shifts, for which no dependence `inside` the nest leads to an earlier tile.
    fn skewed(
        &self,
        rows: &[Aff],
        index: usize,
        statements: &[usize],
        inside: &[Dependence],
    ) -> Result<Option<Skewed>, Failure> {
        let position = |s: usize| statements.iter().position(|other| *other == s);
        'skews: for skew in 0..=self.options.strategy.skew {
            let mut distances = Vec::new();
            for dependence in inside {
                let ends = (position(dependence.source), position(dependence.sink));
                let (Some(source), Some(sink)) = ends else { continue };
                let space = dependence.map.space();
                let mut row = vec![Int::zero(); space.n_col()];
                let ends = [(source, DimKind::In, -1i64), (sink, DimKind::Out, 1)];
                for (end, kind, sign) in ends {
                    let aff = self.skewed_row(statements[end], &rows[end], index, skew)?.align_params(space);
                    if !aff.space().has_equal_params(space) {
                        return Ok(None);
                    }
                    let fixed = space.offset(DimKind::In);
                    let sign = Int::from(sign);
                    for (column, entry) in aff.row().iter().enumerate() {
                        let target = if column < fixed { column } else { space.offset(kind) + column - fixed };
                        row[target] = &row[target] + &(&sign * entry);
                    }
                }
                let pairs = dependence.map.wrap();
                let aff = Aff::from_row(pairs.space().clone(), row, Int::one());
                match pairs.min_aff(&aff, self.budget)? {
                    IntOptimum::Bounded(least) => match least.to_i64() {
                        Some(least) if least.unsigned_abs() < 1 << 20 => distances.push((source, sink, least)),
                        _ => continue 'skews,
                    },
                    IntOptimum::Empty => {}
                    _ => continue 'skews,
                }
            }
            if let Some(shifts) = shifts(statements.len(), &distances) {
                return Ok(Some(Skewed { skew, shifts }));
            }
        }
        Ok(None)
    }

    /// `row + skew t` of a statement.
    fn skewed_row(&self, statement: usize, row: &Aff, index: usize, skew: i64) -> Result<Aff, Failure> {
        let Some(dim) = self.program.dim(statement, index) else { return Ok(row.clone()) };
        Ok(row.add(&Aff::var(row.space().clone(), dim)?.scale(&Int::from(skew)))?)
    }
}

/// Whether other iterations of the outer loop come to the same subscripts: it does not occur, or (where an inner loop starts
/// at its counter) together with that of an inner loop.
fn comes_back(subscript: &Aff, outer: usize) -> bool {
    let moved = subscript.coefficient(DimKind::Out, outer);
    let mut others = (0..subscript.space().dim(DimKind::Out)).filter(|dim| *dim != outer);
    moved.is_zero() || others.any(|dim| subscript.coefficient(DimKind::Out, dim) == moved)
}

/// Whether other iterations of the outer loop go to other data: inner loops do not come back to the subscripts of one of them. `most` is
/// the greatest skew.
fn goes_on(subscript: &Aff, outer: usize, inside: &[usize], most: i64) -> bool {
    let moved = subscript.coefficient(DimKind::Out, outer).abs();
    let widest = inside.iter().map(|dim| subscript.coefficient(DimKind::Out, *dim).abs()).max();
    moved > &Int::from(most) * &widest.unwrap_or_else(Int::zero)
}

/// Shifts with `shift[sink] - shift[source] >= -distance` for every edge, all at least zero; nothing if a cycle forbids it.
fn shifts(statements: usize, edges: &[(usize, usize, i64)]) -> Option<Vec<i64>> {
    let mut shifts = vec![0i64; statements];
    for _ in 0..=statements {
        let mut changed = false;
        for (source, sink, distance) in edges {
            let needed = shifts[*source] - distance;
            if shifts[*sink] < needed {
                shifts[*sink] = needed;
                changed = true;
            }
        }
        if !changed {
            return Some(shifts);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::shifts;

    #[test]
    fn shifts_are_longest_paths() {
        assert_eq!(shifts(3, &[(0, 1, -1), (1, 2, -2), (0, 2, 0)]), Some(vec![0, 1, 3]));
        assert_eq!(shifts(2, &[(0, 1, -1), (1, 0, 1)]), Some(vec![0, 1]));
    }

    #[test]
    fn cycles_without_distance_have_no_shifts() {
        // Each would have to come after the other.
        assert_eq!(shifts(2, &[(0, 1, -1), (1, 0, 0)]), None);
        assert_eq!(shifts(1, &[(0, 0, -1)]), None);
    }
}
