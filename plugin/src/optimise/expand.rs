//! Scalars with a private copy for each iteration of a tile.
//!
//! In `s = 0; for k: s += A[i][k] * B[k][j]; C[i][j] = alpha * s + beta * C[i][j]` the scalar has no element to live in: the
//! old value of `C[i][j]` is needed at the end. As one cell it keeps the loop over `k` innermost. With one copy for each
//! point of a tile of `i` and `j` the three parts become loops of their own inside that tile, and the middle one can run
//! over `k` outside and `j` inside.
//!
//! The expansion is part of the model: statements get the tile's numbers as further dimensions, and the copy that an
//! instance uses is the subscript `[i - 8 ti][j - 256 tj]`. So the copies that different tiles share are dependences like all
//! others, and the check of the final schedule covers them.
//!
//! A scalar may have copies if its lives do not cross iterations of the loops around it: before every read there is a write
//! in the same iteration. (Scalar expansion: Padua and Wolfe, "Advanced Compiler Optimizations for Supercomputers", 1986.)

use super::cost::{Tiles, decide};
use super::nest::perfect_chain;
use super::{Wishes, tiles};
use crate::detect::condition::{Constraint, Dnf};
use crate::detect::reasons::Reason;
use crate::host::TypeKind;
use crate::model::instance::Instance;
use crate::model::poly::{Poly, Sym};
use crate::model::scop::{AccessKind, Order, Scop, Statement, Storage, statements_of};
use crate::model::sets::{Frame, library_error};
use crate::model::time::before;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::space::DimKind;

/// Numbers of copies along the two innermost of the loops around the parts: 16 KiB of doubles, which stay in a cache. The second
/// choice is for nests whose outer loop carries dependences.
const SHAPES: [[i64; 2]; 2] = [[8, 256], [1, 1024]];
/// The most bytes that the copies of one nest may take. They are in a buffer of `malloc` (`emit::copies`), never in the frame.
const MOST_BYTES: i128 = 32 << 10;

/// A nest whose scalars were given copies.
#[derive(Clone, Debug)]
pub struct Strip {
    /// The loops around all parts of the nest, from the outermost of the nest to the innermost.
    pub chain: Vec<usize>,
    /// Those of them that are tiled, in the order in which they should run inside the tile.
    pub tail: Vec<usize>,
    /// For each of them the loop over its tiles: a dimension that the program does not have.
    pub tiles: Vec<usize>,
    /// The sizes of these tiles.
    pub sizes: Vec<i64>,
}

/// The shapes to try, one after the other.
pub fn shapes(wishes: &Wishes) -> Vec<[i64; 2]> {
    let wish = |position| tiles::wished(&wishes.tiles, position);
    match (wish(0), wish(1)) {
        (Some(outer), Some(inner)) => vec![[outer, inner]],
        _ => SHAPES.to_vec(),
    }
}

/// The nests that gain from copies of scalars.
pub fn find(scop: &Scop, wishes: &Wishes, budget: &Budget) -> Result<Vec<Found>, Reason> {
    let mut search = Search { scop, wishes, budget, found: Vec::new() };
    search.walk(&scop.order, &[])?;
    Ok(search.found)
}

/// The model with copies of scalars in these nests, so many along the two innermost loops; nothing if there is no nest in
/// which they have room.
pub fn expand(scop: &Scop, found: &[Found], shape: [i64; 2]) -> Result<Option<(Scop, Vec<Strip>)>, Reason> {
    let mut expanded = scop.clone();
    let mut strips = Vec::new();
    for nest in found {
        strips.extend(apply(&mut expanded, nest, shape, scop.next_loop() + 2 * strips.len())?);
    }
    Ok((!strips.is_empty()).then_some((expanded, strips)))
}

/// A nest that gains.
#[derive(Debug)]
pub struct Found {
    chain: Vec<usize>,
    tail: Vec<usize>,
    cells: Vec<usize>,
    statements: Vec<usize>,
}

struct Search<'s> {
    scop: &'s Scop,
    wishes: &'s Wishes,
    budget: &'s Budget,
    found: Vec<Found>,
}

impl Search<'_> {
    fn walk(&mut self, nodes: &[Order], around: &[usize]) -> Result<(), Reason> {
        for node in nodes {
            let Order::Loop { .. } = node else { continue };
            let (chain, body) = perfect_chain(node);
            match self.candidate(&chain, body, around)? {
                Some(found) => self.found.push(found),
                None => self.walk(body, &[around, &chain].concat())?,
            }
        }
        Ok(())
    }

    /// A nest with parts before or behind an inner loop, whose scalars all live inside one iteration around the parts, and
    /// in which one of the loops around should be innermost.
    fn candidate(&self, chain: &[usize], body: &[Order], around: &[usize]) -> Result<Option<Found>, Reason> {
        if body.len() < 2 {
            return Ok(None);
        }
        let statements = statements_of(body);
        let cells = self.cells(&statements);
        if cells.is_empty() {
            return Ok(None);
        }
        let mut tail: Option<Vec<usize>> = None;
        for node in body {
            let Order::Loop { .. } = node else { continue };
            let (inner, leaves) = perfect_chain(node);
            if leaves.iter().any(|leaf| matches!(leaf, Order::Loop { .. })) {
                return Ok(None);
            }
            let outer = &chain[chain.len().saturating_sub(2)..];
            let loops = [outer, &inner].concat();
            // The copies let the iterations of the outer loops be independent; the inner loops are where the scalar is.
            let carries: Vec<bool> = loops.iter().map(|l| inner.contains(l)).collect();
            let decision = decide(self.scop, &statements_of(leaves), &loops, &carries, Tiles::Strips);
            let Some(&best) = decision.order.last() else { continue };
            let gains = decision.profitable && best < outer.len();
            let last = if gains { best } else { outer.len() - 1 };
            if (gains || self.wishes.unprofitable) && tail.is_none() {
                let mut order: Vec<usize> = outer.iter().copied().filter(|l| *l != outer[last]).collect();
                order.push(outer[last]);
                tail = Some(order);
            }
        }
        let Some(tail) = tail else { return Ok(None) };
        let common = [around, chain].concat();
        for cell in &cells {
            if !self.lives_inside(*cell, &statements, &common)? {
                return Ok(None);
            }
        }
        Ok(Some(Found { chain: chain.to_vec(), tail, cells, statements }))
    }

    /// The scalars that some statements touch.
    fn cells(&self, statements: &[usize]) -> Vec<usize> {
        let is_touched = |array: usize| {
            statements.iter().any(|s| self.scop.statements[*s].accesses.iter().any(|access| access.array == array))
        };
        let arrays = 0..self.scop.arrays.len();
        arrays.filter(|a| matches!(self.scop.arrays[*a].storage, Storage::Scalar(..)) && is_touched(*a)).collect()
    }

    /// Only `statements` touch the cell, and before every read there is a write with the same values of the `common` loops.
    fn lives_inside(&self, cell: usize, statements: &[usize], common: &[usize]) -> Result<bool, Reason> {
        let users = |kind: AccessKind| {
            let uses = move |s: &Statement| s.accesses.iter().any(|access| access.array == cell && access.kind == kind);
            (0..self.scop.statements.len()).filter(move |s| uses(&self.scop.statements[*s]))
        };
        let writers = users(AccessKind::Write).chain(users(AccessKind::MayWrite));
        let mut all = users(AccessKind::Read).chain(writers);
        if !all.all(|s| statements.contains(&s) && self.scop.statements[s].loops.starts_with(common)) {
            return Ok(false);
        }
        let params = self.scop.context.space().params_space();
        for reader in users(AccessKind::Read) {
            let read = Instance { statement: &self.scop.statements[reader], shared: common, tag: 1 };
            let shared: Vec<Sym> = common.iter().map(|l| Sym::Iv(*l)).chain(read.dims()).collect();
            let frame = Frame::new(&params, "", shared.clone());
            let mut covered = Set::empty(frame.space().clone());
            for writer in users(AccessKind::Write) {
                let write = Instance { statement: &self.scop.statements[writer], shared: common, tag: 2 };
                let own = write.dims();
                let n = own.len();
                let both = Frame::new(&params, "", shared.iter().copied().chain(own).collect());
                let mut set = both.set(&before(&write.time(), &read.time())?)?;
                set = set.intersect(&both.set(&write.condition()?)?, self.budget).map_err(library_error)?;
                let set = set.project_out(DimKind::Out, shared.len(), n, self.budget).map_err(library_error)?;
                covered = covered.union(&set).map_err(library_error)?;
            }
            let reads = frame.set(&read.condition()?)?;
            let reads = reads.intersect_params(&self.scop.context, self.budget).map_err(library_error)?;
            if !reads.is_subset(&covered, self.budget).map_err(library_error)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Changes the model: dimensions for the tiles, and subscripts for the copies. The new loops are numbered from `first`.
/// Nothing, and no change, if the copies would take too much room.
fn apply(scop: &mut Scop, found: &Found, shape: [i64; 2], first: usize) -> Result<Option<Strip>, Reason> {
    let line = [shape[0].checked_mul(shape[1]).ok_or(Reason::TooLarge)?];
    let sizes: &[i64] = if found.tail.len() == 1 { &line } else { &shape };
    let copies = sizes.iter().try_fold(1i64, |product, size| product.checked_mul(*size)).ok_or(Reason::TooLarge)?;
    let bytes: i128 = found.cells.iter().map(|cell| scop.arrays[*cell].unit * i128::from(copies)).sum();
    let plain = found.cells.iter().all(|cell| match scop.arrays[*cell].storage {
        Storage::Scalar(_, ty) => {
            !matches!(ty.kind(), TypeKind::Vector | TypeKind::Array | TypeKind::Struct | TypeKind::Other)
        }
        Storage::Memory(_) | Storage::Rows(_) => false,
    });
    if bytes > MOST_BYTES || !plain {
        return Ok(None);
    }
    let tiles: Vec<usize> = (first..first + sizes.len()).collect();
    // i - size * tile, for each tiled loop.
    let mut inside = Vec::new();
    for ((index, tile), size) in found.tail.iter().zip(&tiles).zip(sizes) {
        let start = Poly::symbol(Sym::Iv(*tile)).scale(i128::from(*size));
        let place = start.and_then(|start| Poly::symbol(Sym::Iv(*index)).sub(&start));
        inside.push(place.ok_or(Reason::TooLarge)?);
    }
    let mut in_tile = Dnf::always();
    for (place, size) in inside.iter().zip(sizes) {
        let last = Poly::constant(i128::from(size - 1)).and_then(|last| last.sub(place)).ok_or(Reason::TooLarge)?;
        in_tile = in_tile.and(&Dnf::constraint(Constraint::NonNegative(place.clone())))?;
        in_tile = in_tile.and(&Dnf::constraint(Constraint::NonNegative(last)))?;
    }
    let params = scop.context.space().params_space();
    for s in &found.statements {
        let statement = &mut scop.statements[*s];
        let depth = statement.loops.len();
        statement.loops.extend(&tiles);
        statement.condition = statement.condition.and(&in_tile)?;
        let frame = Frame::of_loops(&params, &statement.name, &statement.loops);
        let mut domain = statement.domain.insert_dims(DimKind::Out, depth, tiles.len()).map_err(library_error)?;
        for constraint in in_tile.disjuncts().iter().flatten() {
            domain = domain.add_ineq(&frame.row(constraint.poly())?);
        }
        statement.domain = domain;
        for access in statement.accesses.iter_mut().filter(|access| found.cells.contains(&access.array)) {
            let unit = scop.arrays[access.array].unit;
            let mut position = Poly::zero();
            for (place, size) in inside.iter().zip(sizes) {
                position = position.scale(i128::from(*size)).and_then(|p| p.add(place)).ok_or(Reason::TooLarge)?;
            }
            access.offset = position.scale(unit).ok_or(Reason::TooLarge)?;
            access.subscripts = inside.clone();
        }
    }
    for cell in &found.cells {
        scop.arrays[*cell].copies = copies.unsigned_abs();
    }
    Ok(Some(Strip { chain: found.chain.clone(), tail: found.tail.clone(), tiles, sizes: sizes.to_vec() }))
}
