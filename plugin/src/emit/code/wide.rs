//! Innermost loops that run in vectors wider than those that the compiler prefers.
//!
//! On some processors with AVX-512 compilers take vectors of 256 bits, which suits loops that wait for memory. Where iterations of outer
//! loops run side by side (a register tile), the innermost loop computes much with the little that it loads, and vectors of 512 bits pay:
//! products of 200 x 200 doubles ran 1.6 times faster on an Intel Emerald Rapids.
//!
//! The loop is split: as many iterations as fill wide vectors, and what is left as if there were none. The compiler alone does what is left
//! one by one (28 iterations in vectors of 8 leave 4, in vectors of 4 none: 0.8 of the speed).
//!
//! ```text
//! for j in 0 .. n             done = 0
//!   body             =>       if it pays: done = n & -8
//!                             for j in 0 .. done { body }            width 8
//!                             for j in done .. n { body }            width 4, then one by one
//! ```
//!
//! The second loop must not look as if it had fewer than 8 iterations: of such loops the compiler makes vectors with masks only, from
//! which what the next iteration of the outer loop loads cannot be forwarded. What is done is a choice, of which scalar evolution knows little.
//!
//! It pays if one wide vector is filled. It does not pay in long rows that begin in the middle of a cache line: every wide vector is in two
//! lines then, and vectors of half the width are not (products of 512 x 512 doubles: 0.88 of the speed). Nor does it pay with elements of 32
//! bits: more of them are left, and one by one they cost more than is gained (24 floats: 0.86 of the speed; 128 floats: 1.6 times faster).
//!
//! The wide loop tells the vectoriser its width. It and the loops around it (which stay when it is unrolled) have the property
//! `tessera.wide`, from which `shim/outline.cpp` knows which functions need wide registers.

use super::lanes::{collect, is_scattered_along};
use super::{Emitter, Iterations, contains_loop};
use crate::emit::hints::iterators_of;
use crate::emit::scopes::Placed;
use crate::formula::poly::Sym;
use crate::host::{Edit, IntOp, IntPredicate};
use crate::model::scop::{Op, Operand, Statement, Storage};
use std::collections::{HashMap, HashSet};
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{Expr, For};
use tessera_polyhedral::flow::AccessKind;

/// How many copies of a statement must run side by side: with fewer, the body waits for what it loads.
const LEAST_COPIES: usize = 8;

/// The narrowest elements, in bytes.
const LEAST_BYTES: i128 = 8;

/// So many wide vectors are a long row: what a nest with such rows works on does not stay in the first cache.
const LONG: i128 = 16;

/// A loop in wide vectors.
pub(super) struct Wide<'n> {
    /// How many iterations make a vector: a power of two.
    lanes: i32,
    /// The first and the last instance of a statement in the body, with their arguments.
    ends: [(&'n str, &'n [Expr]); 2],
}

impl Emitter<'_, '_, '_> {
    /// How a loop runs in wide vectors; `None` if it does not.
    pub(super) fn wide<'n>(&self, node: &'n For) -> Option<Wide<'n>> {
        let bits = self.job.wide.filter(|_| self.job.hints && self.piece.is_some() && self.visitor.is_none())?;
        let is_free = node.coincident && node.step.is_one() && self.pragmas.of(node.iter).is_empty();
        if !is_free || contains_loop(&node.body) {
            return None;
        }
        let mut instances = Vec::new();
        collect(&node.body, &mut instances);
        let (mut bytes, mut copies) = (0, HashMap::<&str, usize>::new());
        for (name, args) in &instances {
            let statement = self.scop.statement(name)?;
            *copies.entry(name).or_default() += 1;
            let moves = |index: usize| {
                statement.dim(index).and_then(|position| args.get(position)).is_some_and(|arg| mentions(arg, node))
            };
            if is_scattered_along(self.scop, statement, moves) || repeats_much(statement, moves) {
                return None;
            }
            let elements = statement.accesses.iter().map(|access| (access.count, &self.scop.arrays[access.array]));
            let in_memory = elements.filter(|(_, array)| !matches!(array.storage, Storage::Scalar(..)));
            bytes = in_memory.map(|(count, array)| count * array.unit).fold(bytes, i128::max);
        }
        let lanes = i128::from(bits) / 8 / bytes.max(1);
        let is_tile = copies.values().any(|copies| *copies >= LEAST_COPIES);
        let ends = [*instances.first()?, *instances.last()?];
        let pays = is_tile && bytes >= LEAST_BYTES && lanes > 1 && lanes.count_ones() == 1;
        let lanes = i32::try_from(lanes).ok().filter(|_| pays)?;
        Some(Wide { lanes, ends })
    }

    /// Builds a loop as one in wide vectors and one for what is left.
    pub(super) fn wide_loop(&mut self, node: &For, all: &Iterations, wide: &Wide<'_>) -> Edit<()> {
        let long = LONG * i128::from(wide.lanes);
        let (one, lanes) = (self.word(1)?, self.word(wide.lanes.into())?);
        let distance = self.scopes.modular(IntOp::Sub, all.last, all.first)?;
        let count = self.scopes.modular(IntOp::Add, distance, one)?;
        if let Some(count) = count.value.constant_int().filter(|count| *count < long) {
            return self.wide_loop_of(node, all, count, wide);
        }
        let vectors = self.scopes.floor_div(count, &Int::from(i64::from(wide.lanes)))?;
        let whole = self.scopes.modular(IntOp::Mul, vectors, lanes)?;
        // From how many iterations on it pays.
        let mut least = lanes;
        if let Some(is_between) = self.is_between_lines(node, all, wide)? {
            let (long, never) = (self.word(long)?, self.word((1 << (self.scopes.word - 1)) - 1)?);
            let is_long = self.scopes.compare(IntPredicate::Sle, long, count)?;
            let is_bad = self.scopes.modular(IntOp::And, is_between, is_long)?;
            least = self.scopes.select(is_bad, never, least)?;
        }
        let pays = self.scopes.compare(IntPredicate::Sle, least, count)?;
        let none = self.word(0)?;
        let done = self.scopes.select(pays, whole, none)?;
        let (behind, last) = self.cut(all, done)?;
        // Said like this, the compiler sees that no iteration of the first loop is left.
        let not_empty = self.scopes.compare(IntPredicate::Sle, lanes, done)?;
        self.iterate(node, &Iterations { last, not_empty, lanes: Some(wide.lanes), ..*all })?;
        let not_empty = self.scopes.compare(IntPredicate::Sle, behind, all.last)?;
        self.iterate(node, &Iterations { first: behind, not_empty, ..*all })
    }

    /// The same for a small known number of iterations: what is left is one vector of half the width, if it fills one, and the rest.
    fn wide_loop_of(&mut self, node: &For, all: &Iterations, count: i128, wide: &Wide<'_>) -> Edit<()> {
        let lanes = i128::from(wide.lanes);
        let left = count % lanes;
        if count < lanes {
            return self.iterate(node, all);
        }
        let half = left - left % (lanes / 2);
        let mut first = all.first;
        for (number, lanes) in [(count - left, Some(wide.lanes)), (half, None), (left - half, None)] {
            if number > 0 {
                let (number, one) = (self.word(number)?, self.word(1)?);
                let next = self.scopes.int(IntOp::Add, first, number)?;
                let last = self.scopes.int(IntOp::Sub, next, one)?;
                let not_empty = self.scopes.compare(IntPredicate::Sle, first, last)?;
                self.iterate(node, &Iterations { first, last, not_empty, lanes, ..*all })?;
                first = next;
            }
        }
        Ok(())
    }

    /// Whether the rows that the first and the last instance of the body write begin in the middle of a cache line, so that wide vectors
    /// lie in two lines and vectors of half the width in one; `None` if that is not known before the loop.
    fn is_between_lines(&mut self, node: &For, all: &Iterations, wide: &Wide<'_>) -> Edit<Option<Placed>> {
        let (line, middle) = (self.word(64 - 1)?, self.word(32)?);
        let mut distance: Option<Placed> = None;
        for (name, args) in wide.ends {
            let scop = self.scop;
            let Some(statement) = scop.statement(name) else {
                return Ok(None);
            };
            let is_stored = |storage| matches!(storage, Storage::Memory(_));
            let stores = statement.accesses.iter().filter(|access| access.kind != AccessKind::Read);
            let Some(access) = stores.into_iter().find(|access| is_stored(scop.arrays[access.array].storage)) else {
                return Ok(None);
            };
            self.iters.insert(node.iter, all.lower);
            let args = args.iter().map(|arg| self.expr(arg)).collect::<Edit<Vec<_>>>()?;
            self.iters.remove(&node.iter);
            let pointer = self.address(statement, access, &args)?;
            let address = self.scopes.editor.ptrtoint(pointer, self.scopes.word)?;
            let address = Placed { value: address, scope: self.scopes.depth() };
            let from_middle = self.scopes.modular(IntOp::Xor, address, middle)?;
            distance = Some(match distance {
                Some(other) => self.scopes.modular(IntOp::Or, other, from_middle)?,
                None => from_middle,
            });
        }
        let Some(distance) = distance else { return Ok(None) };
        let (in_line, zero) = (self.scopes.modular(IntOp::And, distance, line)?, self.word(0)?);
        self.scopes.compare(IntPredicate::Eq, in_line, zero).map(Some)
    }

    /// The first iteration behind so many of a loop's, and the last one of these.
    pub(super) fn cut(&mut self, all: &Iterations, done: Placed) -> Edit<(Placed, Placed)> {
        let behind = self.scopes.modular(IntOp::Add, all.first, done)?;
        let last = self.scopes.modular(IntOp::Sub, behind, self.word(1)?)?;
        // They are among all values, or in front of them.
        let range = self.scopes.range(all.first).zip(self.scopes.range(all.last));
        let range = range.map(|((low, high), (_, last))| (low, high.max(last + 1)));
        self.scopes.set_range(behind.value, range);
        self.scopes.set_range(last.value, range.map(|(low, high)| (low - 1, high - 1)));
        Ok((behind, last))
    }

    pub(super) fn word(&self, value: i128) -> Edit<Placed> {
        Ok(Placed { value: self.scopes.editor.const_word(value)?, scope: 0 })
    }
}

/// Whether what stays the same in a loop is computed first, and then more than a product and a sum in one operation: every part of the
/// loop computes that again (`C += (alpha A) B` without such operations, 31 columns: 0.7 of the speed).
fn repeats_much(statement: &Statement, moves: impl Fn(usize) -> bool) -> bool {
    let is_moved = |symbol: Sym| matches!(symbol, Sym::Iv(index) if moves(index));
    let (mut moved, mut computed, mut is_repeated) = (HashSet::new(), 0, false);
    for op in &statement.body {
        match op {
            Op::Read { access, result } if statement.accesses[*access].offset.symbols().any(is_moved) => {
                moved.insert(*result);
            }
            Op::Compute { instruction, operands } => {
                computed += 1;
                let is_of = |operand: &Operand| match operand {
                    Operand::Result(value) => moved.contains(value),
                    Operand::Affine(poly, _) => poly.symbols().any(is_moved),
                    Operand::Invariant(_) => false,
                };
                if operands.iter().any(is_of) {
                    moved.insert(*instruction);
                } else {
                    is_repeated = true;
                }
            }
            _ => {}
        }
    }
    is_repeated && computed > 2
}

/// Whether an argument of a statement changes with a loop.
fn mentions(arg: &Expr, node: &For) -> bool {
    let mut iterators = Vec::new();
    iterators_of(arg, &mut iterators);
    iterators.contains(&node.iter)
}
