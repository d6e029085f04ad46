//! Which triangular nests are cut into blocks of rows?
//!
//! In the product with a triangular matrix, in place, row `i` is computed from rows behind it, which must not have been written yet; a solution
//! with many right-hand sides is computed from the rows in front of it. So the loops cannot be distributed, and rows run one after the other.
//! But of a block of rows, only what its rows have to do with each other must keep that order. All else reads rows that the block does
//! not write, and is a product of rectangular matrices:
//!
//! ```text
//! for i:                                       for blocks I of 32 rows:
//!   for j:                                       for i in I: for j:
//!     S: B[i][j] *= A[i][i]                        S: B[i][j] *= A[i][i]
//!     for k > i:                         =>        for k > i in I: T: B[i][j] += A[i][k] * B[k][j]
//!       T: B[i][j] += A[i][k] * B[k][j]          for i in I, k behind I, j: T: B[i][j] += A[i][k] * B[k][j]
//! ```
//!
//! In a right-looking factorisation, `for k: for i > k: { S: A[i][k] /= A[k][k]; for j > k: T: A[i][j] -= A[i][k] * A[k][j] }`, two bounds move with
//! the outermost loop: what lies between blocks has both `i` and `j` behind the block of `k`.
//!
//! A nest is cut if one statement (`T`) is in more loops than any other, the bounds of its loops that move with the loop of the blocks do so by
//! the same distance and on the same side, and without these bounds they would get a register tile. The loop of the blocks is the outermost one, or
//! one that can be made that. What is read of an array that the nest writes elsewhere is copied: all else would be loaded again behind every
//! store. (Measured, doubles, AVX-512: the product above with 1000 rows of 1100 17 GFLOP/s before, 24 in blocks, 42 with copies; right-looking LU
//! of 1000 rows 13 before and 41.) The order of every sum stays. Nothing here decides whether that is legal: the draft is checked.
//!
//! J. Dongarra, J. Du Croz, S. Hammarling, I. Duff, "A Set of Level 3 Basic Linear Algebra Subprograms", TOMS 1990; J. Dongarra, I. Duff,
//! D. Sorensen, H. van der Vorst, "Solving Linear Systems on Vector and Shared Memory Computers", 1991 (blocked factorisations).

use crate::arith::{Int, Row};
use crate::flow::AccessKind;
use crate::relation::Set;
use crate::scop::{OperationKind, Storage};
use crate::space::DimKind;
use crate::transform::{Need, Value};

use super::packing::Packing;
use super::program::{Part, is_innermost, perfect_chain, statements_of, wrap};
use super::region::hull;
use super::search::Search;
use super::{Failure, Tactic, tiles::requested_size};

/// On which side of a block of rows the rows lie that it is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    InFront,
    Behind,
}

/// A triangle of instances.
struct Triangle {
    statement: usize,
    /// The loops around it, that of the blocks first.
    loops: Vec<usize>,
    /// The dimensions with a bound that moves with that loop, which is `outer`.
    moving: Vec<usize>,
    outer: usize,
    side: Side,
    /// Its domain without these bounds.
    hull: Set,
}

impl Search<'_, '_> {
    /// Cuts a nest into blocks of iterations of one of its outermost loops, if the products between blocks gain.
    pub(super) fn cut_into_blocks(&mut self, part: &Part, around: &[usize], above: usize) -> Result<(), Failure> {
        // Parts of parts are small enough.
        if self.region.is_deep() {
            return Ok(());
        }
        let before = self.applied.len();
        if let Some(triangle) = self.triangle(part)? {
            self.cut_triangle(part, &triangle, around, above)?;
        }
        if self.applied.len() == before && !self.region.is_part() {
            self.cut_front(part, around, above)?;
        }
        if self.applied.len() == before && !self.region.is_part() {
            self.cut_steps(part, around, above)?;
        }
        Ok(())
    }

    /// How many iterations a block has.
    pub(super) fn block_size(&self) -> i64 {
        requested_size(&self.options.tiles, 0).unwrap_or(self.options.strategy.block)
    }

    fn cut_triangle(
        &mut self,
        part: &Part,
        triangle: &Triangle,
        around: &[usize],
        above: usize,
    ) -> Result<(), Failure> {
        let Triangle { statement, ref loops, side, .. } = *triangle;
        let (chain, body) = perfect_chain(part);
        let size = self.block_size();
        let boxed = self.program.with_domains([(statement, triangle.hull.clone())]);
        let product = Search { program: &boxed, ..self.clone() };
        let Some(packing) = product.product_between(statement, loops, around)? else { return Ok(()) };
        // A nest that can be permuted as a whole gains by copies of rows that it writes elsewhere, or not at all. In a part of a nest nothing
        // writes these; but where rows begin with one of a block of columns, there may be whole tiles behind the block only.
        if is_innermost(body) {
            let gains = match self.region.is_part() {
                true => {
                    self.region.rows_of(loops[0]).is_some() && !self.is_tiled_whole(part, statement, around, above)?
                }
                false => packing.is_some_and(|packing| packing.has_written(self.scop, statement)),
            };
            if !gains {
                return Ok(());
            }
        }
        let (draft, before, used) = (self.draft.clone(), self.applied.len(), self.used);
        let n = chain.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|d| chain[*d] != loops[0]);
        if !order.is_sorted() {
            let relevant = self.between(&statements_of(body), around)?;
            if !self.is_permutable(&relevant, &chain)? {
                return Ok(());
            }
            self.permute(statement, above, n, &order)?;
            self.split(statement, above, n)?;
        }
        let chain: Vec<usize> = order.iter().map(|d| chain[*d]).collect();
        self.step("tile", (statement, above), [("sizes", Value::list([size]))])?;
        let first = self.first(triangle, size, &statements_of(body));
        // Without copies that is a question of order, which is soon answered. In a part, the check of the whole answers it.
        let is_checked = !self.region.is_part() || self.is_careful;
        if !self.split_off(&[statement], above + 1, first)? || (is_checked && !self.is_in_order()?) {
            self.draft = draft;
            return Ok(());
        }
        // What comes last in the order goes first here: new copies of it count from there on.
        let n_all = self.scop.statements.len();
        let (in_rest, in_product): (&[usize], &[usize]) = match side {
            Side::Behind => (&[], &[statement]),
            Side::InFront => (&[statement], &[]),
        };
        let mut gains = true;
        for is_rest in [side == Side::InFront, side == Side::Behind] {
            if is_rest {
                let region = self.region.part(n_all, in_rest, None).permuted(!order.is_sorted());
                let mut rest = Search { region, ..self.clone() };
                let inside = [wrap(&chain, body)];
                let Part::Loop { index, body } = &inside[0] else { continue };
                rest.sequence(body, &[around, &[*index]].concat(), above + 2)?;
                self.take(rest);
                continue;
            }
            let region = self.region.part(n_all, in_product, Some((loops[0], size)));
            let mut product = Search { program: &boxed, region, ..self.clone() };
            let known = product.applied.len();
            product.product(statement, loops, around, above + 1)?;
            gains = product.has_register_tile(known) || (self.options.unprofitable && product.applied.len() > known);
            if !gains {
                break;
            }
            self.take(product);
        }
        if !gains || !self.may_stay()? {
            (self.draft, self.used) = (draft, used);
            self.applied.truncate(before);
            return Ok(());
        }
        // Of a triangle between blocks half is there. With little more than one block that is hardly anything.
        if loops.iter().all(|index| boxed.is_rectangular(statement, *index)) {
            // Of a factorisation with less than one block there is nothing between blocks. (Half of an LU of 48 rows: 0.6 of the speed.) Where the
            // rows of a matrix are behind pointers, a compiler compares two of them before the innermost loop and vectorises that; in one
            // piece of memory it compares the whole matrix with itself. (LU of 40 rows: 0.65 of the speed behind pointers and
            // 1.9 in one piece, of 74 rows 0.95, of 84 rows 1.15.)
            let size = size.unsigned_abs();
            let blocks = if self.is_behind_pointers(statement) { 2 * size + size / 2 } else { size };
            return match self.region.is_part() || triangle.moving.len() < 2 {
                true => Ok(()),
                false => self.needs(Need::at_least(loops[0], blocks)),
            };
        }
        let size = size.unsigned_abs();
        // What does not move with the innermost loop is computed again in each block; of divisions that is a long time. (Right-looking LDL^T with `f = A[i][k] /
        // A[k][k]` for each row: 0.7 of the speed with 64 rows, 1.0 with 100.)
        let least = match self.divides(statement) {
            true => 4 * size,
            false => size + size / 4,
        };
        self.needs(Need::at_least(loops[0], least))
    }

    /// Whether a statement writes to rows behind pointers.
    fn is_behind_pointers(&self, statement: usize) -> bool {
        let accesses = self.scop.statements[statement].accesses.iter();
        let mut written =
            accesses.filter(|access| access.kind != AccessKind::Read).filter_map(|a| self.scop.array_of(a));
        written.any(|array| matches!(self.scop.arrays[array].storage, Storage::Rows(_)))
    }

    fn divides(&self, statement: usize) -> bool {
        let slow = [OperationKind::Divide, OperationKind::Remainder, OperationKind::SquareRoot];
        self.scop.statements[statement].operations.iter().any(|operation| slow.contains(&operation.kind))
    }

    /// Whether a perfect nest of one statement in a part of a nest gets a register tile as it is.
    fn is_tiled_whole(&self, part: &Part, statement: usize, around: &[usize], above: usize) -> Result<bool, Failure> {
        let (mut whole, known) = (self.clone(), self.applied.len());
        whole.product(statement, &perfect_chain(part).0, around, above)?;
        Ok(whole.has_register_tile(known))
    }

    /// Runs some instances first. False if some of these statements is not on both sides then: the draft is of no use.
    pub(super) fn split_off(&mut self, statements: &[usize], band: usize, first: String) -> Result<bool, Failure> {
        let places = |search: &Self| -> Vec<usize> {
            let names = statements.iter().map(|statement| &search.scop.statements[*statement].name);
            names.map(|name| search.draft.places_of(name)).collect()
        };
        let before = places(self);
        let is_split = self.takes("split_index_set", (statements[0], band), [("first", Value::Text(first))])?;
        // In blocks of one row there is nothing left of a triangle.
        Ok(is_split && places(self).iter().zip(before).all(|(now, before)| *now == before + 1))
    }

    /// How a nest of one statement between blocks gains, if it does and may run in any order: with which copies, or without.
    fn product_between(
        &self,
        statement: usize,
        loops: &[usize],
        around: &[usize],
    ) -> Result<Option<Option<Packing>>, Failure> {
        let relevant = self.between(&[statement], around)?;
        let carries = self.carries(&relevant, loops)?;
        let packing = self.packing_between(statement, loops, &carries);
        let gains = packing.is_some() || self.decision(loops, &[statement], &carries).profitable;
        Ok((gains && self.is_permutable(&relevant, loops)?).then_some(packing))
    }

    /// Which arrays are copied in a nest between blocks, with the fewest copies. `carries` says which loops' iterations depend on each other.
    fn packing_between(&self, statement: usize, loops: &[usize], carries: &[bool]) -> Option<Packing> {
        let own = (self.scop, self.program);
        let allowed = [Tactic::Pack, Tactic::Permute, Tactic::Tile].into_iter().all(|one| self.options.allow(one));
        if !allowed || loops.len() < 3 || self.scop.statements[statement].branches {
            return None;
        }
        let candidates =
            (0..loops.len()).rev().filter_map(|d| Packing::between_blocks(own, statement, loops, carries, d));
        // Copies of what stays in the innermost loop alone pay where all else is copied already. (Solves from the right, AVX2, 1000 x 1000: 0.7 of the speed.)
        candidates.filter(|one| one.moves_inside() || self.region.has_saved_rows()).min_by_key(Packing::n_copies)
    }

    /// A nest of one statement between blocks, with copies of what is not read along lines or written elsewhere where there is some; whether it has a new order.
    pub(super) fn product(
        &mut self,
        statement: usize,
        loops: &[usize],
        around: &[usize],
        above: usize,
    ) -> Result<bool, Failure> {
        let before = self.applied.len();
        let Some(packing) = self.product_between(statement, loops, around)? else { return Ok(false) };
        if let Some(packing) = packing
            && self.packed(packing, (loops, &[statement]), above, (true, None))?
        {
            return Ok(true);
        }
        self.perfect(loops, &[Part::Statement(statement)], around, above, true)?;
        Ok(self.applied.len() > before)
    }

    /// The triangle of a nest, if it is one with all its loops around the statement that is in more loops than any other.
    fn triangle(&self, part: &Part) -> Result<Option<Triangle>, Failure> {
        let Some((statement, loops)) = deepest(part) else { return Ok(None) };
        let program = self.program;
        let domain = &program.domains[statement];
        let ([conjunction], 3..) = (domain.conjunctions(), loops.len()) else { return Ok(None) };
        let first = domain.space().offset(DimKind::Out);
        let n_chain = perfect_chain(part).0.len().min(loops.len() - 1);
        for position in 0..n_chain {
            let Some(outer) = program.dim(statement, loops[position]) else { return Ok(None) };
            let inner: Vec<usize> = loops[position + 1..].iter().filter_map(|l| program.dim(statement, *l)).collect();
            let moves = |row: &&Row, dim: usize| !row[first + outer].is_zero() && !row[first + dim].is_zero();
            let (mut moving, mut sides) = (Vec::new(), Vec::new());
            for row in conjunction.ineqs() {
                let mut own = inner.iter().copied().filter(|dim| moves(&row, *dim));
                let (Some(dim), None) = (own.next(), own.next()) else { continue };
                // `dim >= outer + distance` or `dim <= outer - distance`, where the distance is at most one.
                sides.push(match (row[first + dim].is_positive(), row[first + outer].is_positive()) {
                    (true, false) => Side::Behind,
                    (false, true) => Side::InFront,
                    _ => return Ok(None),
                });
                let is_unit = |dim: usize| row[first + dim].abs() == Int::one();
                let alone = (1..row.len())
                    .all(|column| [first + outer, first + dim].contains(&column) || row[column].is_zero());
                if moving.contains(&dim) || !is_unit(outer) || !is_unit(dim) || !alone || row[0] < Int::from(-1) {
                    return Ok(None);
                }
                moving.push(dim);
            }
            let Some(&side) = sides.first() else { continue };
            if sides.iter().any(|other| *other != side) {
                return Ok(None);
            }
            let pairs: Vec<(usize, usize)> = moving.iter().map(|dim| (outer, *dim)).collect();
            let hull = hull(domain, &pairs, self.budget)?;
            let mut loops = loops;
            loops[..=position].rotate_right(1);
            return Ok(Some(Triangle { statement, loops, moving, outer, side, hull }));
        }
        Ok(None)
    }

    /// What comes first in a block of so many rows, in isl notation: what lies in front of it, or all but what lies behind it.
    fn first(&self, triangle: &Triangle, size: i64, statements: &[usize]) -> String {
        let Triangle { statement, ref moving, outer, side, .. } = *triangle;
        let start = format!("{size}*floor(i{outer}/{size})");
        let own = self.instance(statement);
        let all = |bound: String, word: &str| {
            let each: Vec<String> = moving.iter().map(|dim| format!("i{dim} < {bound}")).collect();
            each.join(word)
        };
        match side {
            Side::InFront => format!("{{ {own} : {} }}", all(start, " and ")),
            Side::Behind => {
                let others = statements.iter().filter(|s| **s != statement).map(|s| format!("{}; ", self.instance(*s)));
                format!("{{ {}{own} : {} }}", others.collect::<String>(), all(format!("{start} + {size}"), " or "))
            }
        }
    }
}

/// The only statement that is in more loops than any other of a part, and these.
fn deepest(part: &Part) -> Option<(usize, Vec<usize>)> {
    fn collect(part: &Part, around: &[usize], found: &mut Vec<(usize, Vec<usize>)>) {
        match part {
            Part::Statement(statement) => found.push((*statement, around.to_vec())),
            Part::Loop { index, body } => {
                let around = [around, &[*index]].concat();
                body.iter().for_each(|inner| collect(inner, &around, found));
            }
        }
    }
    let mut found = Vec::new();
    collect(part, &[], &mut found);
    found.sort_by_key(|(_, loops)| std::cmp::Reverse(loops.len()));
    let is_alone = found.get(1).is_none_or(|(_, loops)| loops.len() < found[0].1.len());
    is_alone.then(|| found.swap_remove(0))
}
