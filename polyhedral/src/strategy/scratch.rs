//! Which arrays are scratch memory of one iteration, so that several iterations of a nest can run together?
//!
//! In `A[r][q][..] *= C`, row by row, one row of scratch memory is used again and again:
//!
//! ```text
//! for r: for q:                                  for r: for blocks Q of 16 rows:
//!   for p:                                         for q in Q: for p: row_private[q][p] = 0
//!     row[p] = 0                                   for q in Q, s, p:  row_private[q][p] += A[r][q][s] * C[s][p]
//!     for s: row[p] += A[r][q][s] * C[s][p]   =>   for q in Q: for p: A[r][q][p] = row_private[q][p]
//!   for p: A[r][q][p] = row[p]                     for p: row[p] = row_private[the last q][p]
//! ```
//!
//! What the iterations of `q` share is only where `row` is. With a row for each iteration of a block the three parts are nests for
//! themselves, and the one in the middle is a product of matrices. (Measured, doubles, AVX-512, 140 x 150 x 160: 25 GFLOP/s as products of a vector
//! and a matrix, 49 so.)
//!
//! An array is scratch if its elements do not move with the loop, the first statement of the body that touches it only writes it, and all that
//! iterations of the loop wait for is in such arrays. A nest is taken if one of its parts gets a register tile then. Nothing here decides whether that
//! is legal: the draft is checked.
//!
//! P. Tu and D. Padua, "Automatic Array Privatization", LCPC 1993.

use std::cell::OnceCell;

use crate::affine::{Aff, MultiAff};
use crate::budget::Budget;
use crate::count::UnionPwQPolynomial;
use crate::flow::AccessKind;
use crate::relation::Map;
use crate::scop::{Access, Dependence, Dependences, Scop, Storage};
use crate::space::{DimKind, Space, Tuple};
use crate::transform::Value;

use super::Failure;
use super::program::{Part, statements_of, wrap};
use super::search::Search;
use super::tiles::requested_size;

/// The least loops inside the one whose iterations are to run together, around a statement: with fewer there is no register tile.
const DEEP: usize = 2;

impl Search<'_, '_> {
    /// Gives the scratch memory of the innermost of `loops`, which are around all of `body`, a place for each iteration of a block, if some part of the
    /// body gains by that.
    pub(super) fn with_scratch(
        &mut self,
        loops: &[usize],
        body: &[Part],
        around: &[usize],
        above: usize,
    ) -> Result<(), Failure> {
        let Some((&index, outer)) = loops.split_last() else { return Ok(()) };
        let statements = statements_of(body);
        let depth = around.len() + loops.len();
        let is_deep = |s: &usize| self.program.around[*s].len() >= depth + DEEP;
        if self.region.is_part() || body.len() < 2 || !statements.iter().any(is_deep) {
            return Ok(());
        }
        let around = [around, outer].concat();
        let arrays = self.scratch(&statements, index);
        if arrays.is_empty() {
            return Ok(());
        }
        let Some(dependences) = self.without_scratch(&arrays, &statements, &around, index)? else { return Ok(()) };
        let (draft, before, used) = (self.draft.clone(), self.applied.len(), self.used);
        let (first, band) = (statements[0], above + outer.len());
        let size = requested_size(&self.options.tiles, 0).unwrap_or(self.options.strategy.scratch);
        self.step("tile", (first, band), [("sizes", Value::list([size]))])?;
        for array in &arrays {
            let name = Value::Name(self.scop.arrays[*array].name.clone());
            if !self.takes("privatise", (first, band + 1), [("array", name), ("sizes", Value::list([size]))])? {
                self.draft = draft;
                return Ok(());
            }
        }
        self.separate(first, band + 1, 1, &vec![1; body.len()])?;
        let scop = self.with_own_scratch(&arrays, &statements, index)?;
        let region = self.region.part(self.scop.statements.len(), &[], Some((index, size)));
        let mut inside = Search {
            scop: &scop,
            dependences: &dependences,
            region,
            is_careful: false,
            live_ranges: OnceCell::new(),
            ..self.clone()
        };
        for part in body.iter().filter(|part| matches!(part, Part::Loop { .. })) {
            inside.nest(&wrap(&[index], std::slice::from_ref(part)), &around, band + 1, true)?;
        }
        let gains = inside.has_register_tile(before) || (self.options.unprofitable && inside.applied.len() > before);
        self.take(inside);
        if !gains || !self.may_stay()? {
            (self.draft, self.used) = (draft, used);
            self.applied.truncate(before);
            return Ok(());
        }
        self.applied[before..].iter_mut().for_each(|nest| nest.privatised.clone_from(&arrays));
        Ok(())
    }

    /// The arrays that are scratch memory of one iteration of a loop around `statements`, as far as subscripts say.
    fn scratch(&self, statements: &[usize], index: usize) -> Vec<usize> {
        let is_scratch = |array: &usize| {
            if self.scop.arrays[*array].storage != Storage::Memory {
                return false;
            }
            let mut accesses = statements.iter().flat_map(|s| self.accesses_to(*s, *array).map(move |a| (*s, a)));
            let (mut is_first, mut is_read) = (true, false);
            let stays = accesses.all(|(s, access)| {
                let only_writes = || self.accesses_to(s, *array).all(|access| access.kind == AccessKind::MustWrite);
                let begins = !std::mem::take(&mut is_first) || only_writes();
                is_read |= access.kind == AccessKind::Read;
                let dim = self.program.dim(s, index);
                let moves = |rows: Vec<Aff>, dim: usize| rows.iter().any(|row| row.involves(DimKind::Out, dim, 1));
                begins && dim.zip(access.subscripts()).is_some_and(|(dim, rows)| !moves(rows, dim))
            });
            stays && is_read
        };
        (0..self.scop.arrays.len()).filter(is_scratch).collect()
    }

    fn accesses_to(&self, statement: usize, array: usize) -> impl Iterator<Item = &Access> {
        let accesses = self.scop.statements[statement].accesses.iter();
        accesses.filter(move |access| self.scop.array_of(access) == Some(array))
    }

    /// The dependences among `statements` where every iteration of a loop has its own scratch memory; nothing if iterations depend on each other all the
    /// same, when the loops `around` stand still.
    fn without_scratch(
        &self,
        arrays: &[usize],
        statements: &[usize],
        around: &[usize],
        index: usize,
    ) -> Result<Option<Dependences>, Failure> {
        let mut merged = Vec::new();
        for pair in &self.dependences.pairs {
            let own = &pair.dependence;
            if !statements.contains(&own.source) || !statements.contains(&own.sink) {
                continue;
            }
            let (Some(a), Some(b)) = (self.program.dim(own.source, index), self.program.dim(own.sink, index)) else {
                return Ok(None);
            };
            let map = match arrays.contains(&pair.array) {
                true => own.map.equate(a, b)?,
                false => {
                    let across = self.fixed(own, &own.map, around)?.order_lt(a, b)?;
                    if !across.is_empty(self.budget)? {
                        return Ok(None);
                    }
                    own.map.clone()
                }
            };
            if !map.is_empty(self.budget)? {
                merged.push(Dependence { map, ..*own });
            }
        }
        Ok(Some(Dependences { merged, pairs: Vec::new() }))
    }

    /// The same SCoP with one more dimension of some arrays, in front, where some statements touch the one that their iteration of a loop has: what
    /// decisions are made with.
    fn with_own_scratch(&self, arrays: &[usize], statements: &[usize], index: usize) -> Result<Scop, Failure> {
        let mut new = self.scop.clone();
        for array in arrays {
            // Nobody asks how far apart they are.
            let unknown = UnionPwQPolynomial::empty(&self.scop.context.space().params_space());
            new.arrays[*array].sizes.insert(0, unknown);
        }
        for s in statements {
            let Some(dim) = self.program.dim(*s, index) else { continue };
            for access in &mut new.statements[*s].accesses {
                if self.scop.array_of(access).is_some_and(|array| arrays.contains(&array)) {
                    access.relation = with_iteration(&access.relation, dim, self.budget)?;
                }
            }
        }
        Ok(new)
    }
}

/// `S[i..] -> A[e..]` as `S[i..] -> A[i_dim, e..]`.
pub(super) fn with_iteration(relation: &Map, dim: usize, budget: &Budget) -> Result<Map, Failure> {
    let space = relation.space();
    let (domain, one) = (space.domain(), Space::set_of(&space.params_space(), Tuple::anonymous(1)));
    let counter = MultiAff::new(Space::map(&domain, &one), vec![Aff::var(domain, dim)?])?.to_map()?;
    let map = counter.flat_range_product(&relation.with_anonymous_range()?, budget)?;
    let tuple = Tuple::anonymous(map.space().dim(DimKind::Out));
    let tuple = match space.range_tuple().name() {
        Some(name) => tuple.with_name(name),
        None => tuple,
    };
    Ok(map.with_space(&map.space().with_tuple(DimKind::Out, tuple))?)
}
