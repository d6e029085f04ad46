//! Time tiling: several iterations of an outer loop over the same rows of data while they are in the cache.
//!
//! ```text
//! for t:                                  for tiles of t, tiles of (row + skew t + shift):
//!   for i: for j: b[i][j] = f(a[..])        for t in the tile:
//!   for i: for j: a[i][j] = f(b[..])          for i with 2 t + i in the tile: for j: b[i][j] = f(a[..])
//!                                             for i with 2 t + i + 1 in the tile: for j: a[i][j] = f(b[..])
//! ```
//!
//! The *row* of a statement is the subscript, or the first subscripts, of the element it writes. Inside a tile everything
//! runs in the order of the program, so inner loops stay what they were. Tiles may run one after the other if no
//! dependence leads to a smaller `row + skew t + shift`: for each skew, the least distances of rows along dependences
//! are integer programs, and shifts that make up for negative ones are longest paths over the statements. All in all the
//! loops `(t, row + skew t + shift)` are a permutable band; the caller checks the whole schedule once more.
//!
//! (Time skewing: Wonnacott, "Achieving Scalable Locality with Time Skewing", 2002; Song and Li, PLDI 1999.)

use super::applied::Applied;
use super::nest::{Result, Search, is_innermost};
use super::tiles;
use crate::model::poly::{Poly, Sym};
use crate::model::scop::{Access, AccessKind, Order, statements_of};
use crate::model::sets::{Frame, library_error};
use crate::optimise::cost::stride;
use tessera_polyhedral::affine::Aff;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::lp::IntOptimum;
use tessera_polyhedral::schedule::{Band, Member, Node};
use tessera_polyhedral::scop::Dependence;
use tessera_polyhedral::space::DimKind;

/// The greatest skew that is tried: the distance that data travels in one iteration of the outer loop.
const MAX_SKEW: i64 = 6;

/// The order of the tiles along one dimension of the data.
struct Skewed {
    skew: i64,
    /// One per statement.
    shifts: Vec<i64>,
}

impl Search<'_> {
    /// The tree of the loop `index` around `body`, with `depth` loops outside of it; nothing where tiles would be illegal or
    /// not pay.
    pub(super) fn time_tiled(&mut self, index: usize, body: &[Order], depth: usize) -> Result<Option<Node>> {
        let statements = statements_of(body);
        let Some(rows) = self.rows(index, &statements, depth) else { return Ok(None) };
        if !self.wishes.unprofitable && !self.streams(index, body, depth)? {
            return Ok(None);
        }
        let mut dimensions = Vec::new();
        let inside = self.between(&statements, depth)?;
        for dimension in &rows {
            match self.skewed(dimension, &statements, &inside, depth)? {
                Some(skewed) => dimensions.push((dimension, skewed)),
                None => break,
            }
        }
        if dimensions.is_empty() {
            return Ok(None);
        }
        let along = self.row_loops(&statements, depth);
        let sizes = tiles::time_sizes(along, dimensions.len(), &self.wishes.tiles);
        let mut members = vec![self.member(&statements, index, Some(sizes[0]))?];
        for ((dimension, skewed), size) in dimensions.iter().zip(&sizes[1..]) {
            members.push(self.skewed_member(&statements, depth, dimension, skewed, *size)?);
        }
        let nest = [Order::Loop { index, body: body.to_vec() }];
        let inner = self.in_place(&nest)?;
        let deepest = statements.iter().map(|s| &self.scop.statements[*s].loops).max_by_key(|loops| loops.len());
        let loops: Vec<usize> = deepest.into_iter().flatten().skip(depth).take(sizes.len()).copied().collect();
        let order = (0..loops.len()).collect();
        self.applied.push(Applied {
            order,
            loops,
            statements,
            tiles: sizes,
            skews: dimensions.iter().map(|(_, skewed)| skewed.skew).collect(),
            ..Applied::default()
        });
        Ok(Some(Node::band(Band::new(members).with_permutable(true), inner)))
    }

    /// Per dimension that can be tiled, the row of each statement.
    fn rows(&self, index: usize, statements: &[usize], depth: usize) -> Option<Vec<Vec<Poly>>> {
        let outside = &self.scop.statements[*statements.first()?].loops[..depth];
        let mut written = Vec::new();
        for s in statements {
            let statement = &self.scop.statements[*s];
            let in_memory = |a: &&Access| a.kind == AccessKind::Write && self.scop.is_memory(a.array);
            let write = statement.accesses.iter().find(in_memory)?;
            written.push(&write.subscripts);
        }
        let dims = written.iter().map(|subscripts| subscripts.len()).min()?;
        // The last dimension stays whole, so that inner loops are long.
        let count = dims.saturating_sub(1).max(1).min(dims);
        let rows: Vec<Vec<Poly>> =
            (0..count).map(|d| written.iter().map(|subscripts| subscripts[d].clone()).collect()).collect();
        // Rows that only the outer loop moves to are no data to come back to.
        let inner = |symbol: Sym| matches!(symbol, Sym::Iv(l) if l != index && !outside.contains(&l));
        let spread = rows.iter().all(|dimension| dimension.iter().any(|row| row.symbols().any(inner)));
        (count > 0 && spread).then_some(rows)
    }

    /// The greatest number of loops inside the outer one around a statement.
    fn row_loops(&self, statements: &[usize], depth: usize) -> usize {
        let inside = |s: &usize| self.scop.statements[*s].loops.len().saturating_sub(depth + 1);
        statements.iter().map(inside).max().unwrap_or(0)
    }

    /// Whether memory is what the nest waits for: the iterations of innermost loops run over neighbouring elements and need not
    /// wait for each other, and the outer loop comes back to all that is written.
    fn streams(&self, index: usize, body: &[Order], depth: usize) -> Result<bool> {
        let statements = statements_of(body);
        let along = self.row_loops(&statements, depth);
        if along == 0 {
            return Ok(false);
        }
        for s in &statements {
            let statement = &self.scop.statements[*s];
            // What is in fewer loops matters less.
            let Some(inner) = statement.loops.get(depth + along) else { continue };
            let inside = &statement.loops[depth + 1..];
            let spread = |access: &Access| {
                let moves = |l: &&usize| access.subscripts.iter().any(|s| s.symbols().any(|s| s == Sym::Iv(**l)));
                inside.iter().filter(moves).count()
            };
            for access in &statement.accesses {
                // As much new data in every iteration of the outer loop as old data that it comes back to.
                let fetched = self.scop.is_memory(access.array)
                    && spread(access) == inside.len()
                    && access.subscripts.iter().any(|row| goes_on(row, index, inside));
                if fetched {
                    return Ok(false);
                }
                if access.kind == AccessKind::Write && !access.subscripts.iter().all(|row| comes_back(row, index)) {
                    return Ok(false);
                }
                let dense = self.scop.arrays[access.array].unit * access.count;
                if stride(access, self.scop, *inner).is_none_or(|bytes| bytes > dense) {
                    return Ok(false);
                }
            }
        }
        self.innermost_are_free(body)
    }

    fn innermost_are_free(&self, nodes: &[Order]) -> Result<bool> {
        for node in nodes {
            let Order::Loop { index, body } = node else { continue };
            let innermost = is_innermost(body);
            let free = match innermost {
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
        rows: &[Poly],
        statements: &[usize],
        inside: &[Dependence],
        depth: usize,
    ) -> Result<Option<Skewed>> {
        let position = |s: usize| statements.iter().position(|other| *other == s);
        'skews: for skew in 0..=MAX_SKEW {
            let mut distances = Vec::new();
            for dependence in inside {
                let ends = (position(dependence.source), position(dependence.sink));
                let (Some(source), Some(sink)) = ends else { continue };
                let space = dependence.map.space();
                let mut row = vec![Int::zero(); space.n_col()];
                let ends = [(source, DimKind::In, -1i64), (sink, DimKind::Out, 1)];
                for (end, kind, sign) in ends {
                    let aff = self.row_aff(statements[end], &rows[end], depth, skew, 0)?;
                    let fixed = space.offset(DimKind::In);
                    let sign = Int::from(sign);
                    for (column, entry) in aff.iter().enumerate() {
                        let target = if column < fixed { column } else { space.offset(kind) + column - fixed };
                        row[target] = &row[target] + &(&sign * entry);
                    }
                }
                let pairs = dependence.map.wrap();
                let aff = Aff::from_row(pairs.space().clone(), row, Int::one());
                match pairs.min_aff(&aff, self.budget).map_err(library_error)? {
                    IntOptimum::Bounded(least) => match least.to_i64() {
                        Some(least) if least.abs() < 1 << 20 => distances.push((source, sink, least)),
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

    /// `row + skew t + shift` as a row over the statement's loops.
    fn row_aff(&self, statement: usize, row: &Poly, depth: usize, skew: i64, shift: i64) -> Result<Vec<Int>> {
        let params = self.scop.context.space().params_space();
        let statement = &self.scop.statements[statement];
        let frame = Frame::of_loops(&params, &statement.name, &statement.loops);
        let mut entries = frame.row(row)?;
        let time = entries.len() - statement.loops.len() + depth;
        entries[time] = &entries[time] + &Int::from(skew);
        entries[0] = &entries[0] + &Int::from(shift);
        Ok(entries)
    }

    fn skewed_member(
        &self,
        statements: &[usize],
        depth: usize,
        rows: &[Poly],
        skewed: &Skewed,
        size: i64,
    ) -> Result<Member> {
        let mut affs = Vec::new();
        for ((s, row), shift) in statements.iter().zip(rows).zip(&skewed.shifts) {
            let row = self.row_aff(*s, row, depth, skewed.skew, *shift)?;
            let space = self.data.statements[*s].domain.space().clone();
            affs.push(Aff::from_row(space, row, Int::one()).floor_div(&Int::from(size)));
        }
        Member::new(affs).map_err(library_error)
    }
}

/// Whether other iterations of the outer loop come to the same subscripts: it does not occur, or (where an inner loop starts
/// at its counter) together with that of an inner loop.
fn comes_back(subscript: &Poly, outer: usize) -> bool {
    let moved = subscript.coefficient(Sym::Iv(outer));
    let made_up = |symbol: Sym| matches!(symbol, Sym::Iv(l) if l != outer) && subscript.coefficient(symbol) == moved;
    moved == 0 || subscript.symbols().any(made_up)
}

/// Whether other iterations of the outer loop go to other data: inner loops do not come back to the subscripts of one of them.
fn goes_on(subscript: &Poly, outer: usize, inside: &[usize]) -> bool {
    let moved = subscript.coefficient(Sym::Iv(outer)).abs();
    let widest = inside.iter().map(|l| subscript.coefficient(Sym::Iv(*l)).abs()).max().unwrap_or(0);
    moved > i128::from(MAX_SKEW) * widest
}

/// Shifts with `shift[sink] - shift[source] >= -distance` for every edge, all at least zero; nothing if a cycle forbids it.
pub fn shifts(statements: usize, edges: &[(usize, usize, i64)]) -> Option<Vec<i64>> {
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
