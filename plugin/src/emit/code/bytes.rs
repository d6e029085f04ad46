//! Loops that are one operation on bytes.
//!
//! ```text
//! for k: B[p][k] = A[i][k]        =>      memcpy(B[p], A[i], 8 n)         a copy to a buffer
//! for j: C[i][j] = 0              =>      memset(C[i], 0, 8 n)
//! ```
//!
//! Such a loop would become vectors, with a second loop for what these leave. That runs as fast, but takes the compiler as long as the loops that
//! compute. (LLVM finds such loops itself, but before there is new code.)
//!
//! Invariants: the bytes are those that the loop would write, each once; where it runs, all its iterations do.

use super::Emitter;
use super::transposed::{goes_along, moving_argument};
use crate::emit::scopes::Placed;
use crate::formula::poly::Sym;
use crate::host::{Edit, EditError, IntOp, IntPredicate, TypeKind};
use crate::model::scop::{Access, Op, Operand, Pack, Statement, Storage};
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{Ast, For};

/// What a loop does to the bytes of a row.
#[derive(Clone, Copy)]
enum Row<'s> {
    Copied(&'s Pack),
    Zero(&'s Statement),
}

impl<'s> Emitter<'_, '_, 's> {
    /// Builds a loop that is one operation on bytes; false, and nothing is built, for others.
    pub(super) fn row_of_bytes(&mut self, node: &For) -> Edit<bool> {
        let Some(row) = self.row_of(node) else { return Ok(false) };
        let upper = node.upper.as_ref().ok_or_else(|| EditError::new("a loop without end"))?;
        let (lower, upper) = (self.expr(&node.lower)?, self.expr(upper)?);
        let is_there = self.scopes.compare(IntPredicate::Sle, lower, upper)?;
        self.fork(is_there, [Some(&node.body), None], &mut |emitter, body| {
            let Ast::User { args, .. } = body else { return Err(EditError::new("a row without elements")) };
            emitter.iters.insert(node.iter, lower);
            let args = args.iter().map(|arg| emitter.expr(arg)).collect::<Edit<Vec<_>>>()?;
            emitter.iters.remove(&node.iter);
            let one = emitter.scopes.constant(&Int::one())?;
            let last = emitter.scopes.modular(IntOp::Sub, upper, lower)?;
            let count = emitter.scopes.modular(IntOp::Add, last, one)?;
            match row {
                Row::Copied(pack) => {
                    let bytes = emitter.bytes(count, pack.to.array)?;
                    let from = emitter.memory_address(&pack.dims, &pack.from, &args)?;
                    let to = emitter.memory_address(&pack.dims, &pack.to, &args)?;
                    emitter.scopes.at_end();
                    let to = (to, emitter.unit_align(pack.to.array));
                    emitter.scopes.editor.copy_bytes(to, (from, pack.align), bytes.value)?;
                }
                Row::Zero(statement) => {
                    let access = written(statement).ok_or_else(|| EditError::new("a row that is not written"))?;
                    let bytes = emitter.bytes(count, access.array)?;
                    let to = emitter.memory_address(&statement.loops, access, &args)?;
                    let align = access.instruction.and_then(|store| store.memory_access()).map_or(1, |store| store.align);
                    emitter.scopes.at_end();
                    emitter.scopes.editor.zero_bytes((to, align), bytes.value)?;
                }
            }
            Ok(())
        })?;
        Ok(true)
    }

    fn bytes(&mut self, count: Placed, array: usize) -> Edit<Placed> {
        let unit = i64::try_from(self.scop.arrays[array].unit).map_err(|_| EditError::too_large())?;
        let unit = self.scopes.constant(&Int::from(unit))?;
        self.scopes.modular(IntOp::Mul, count, unit)
    }

    /// What a loop does, if it is one operation on bytes.
    fn row_of(&self, node: &For) -> Option<Row<'s>> {
        let Ast::User { stmt, args } = &*node.body else { return None };
        if self.kernel.is_some() || self.visitor.is_some() || !node.step.is_one() || node.test.is_some() {
            return None;
        }
        let runs_along = |access: &Access, dim: usize| {
            let unit = self.scop.arrays[access.array].unit;
            goes_along(&access.offset, dim, unit)
                && access.entries.iter().all(|entry| entry.symbols().all(|symbol| symbol != Sym::Iv(dim)))
        };
        if let Some(pack) = self.scop.packs.iter().find(|pack| *pack.name == **stmt) {
            let dim = pack.dims[moving_argument(&pack.dims, args, node.iter)?];
            return (runs_along(&pack.from, dim) && runs_along(&pack.to, dim)).then_some(Row::Copied(pack));
        }
        let statement = self.scop.statements.iter().find(|statement| statement.name.as_str() == &**stmt)?;
        let access = written(statement)?;
        let array = &self.scop.arrays[access.array];
        let is_plain = matches!(array.storage, Storage::Memory(_)) && access.count == 1;
        let dim = statement.loops[moving_argument(&statement.loops, args, node.iter)?];
        (is_plain && self.pragmas.of(node.iter).is_empty() && runs_along(access, dim)).then_some(Row::Zero(statement))
    }
}

/// What a statement writes that only makes an element zero.
fn written(statement: &Statement) -> Option<&Access> {
    let [Op::Write { access, value: Operand::Invariant(value) }] = &statement.body[..] else { return None };
    let is_number = value.ty().is_float() || matches!(value.ty().kind(), TypeKind::Int(_));
    (is_number && value.is_zero()).then(|| statement.accesses.get(*access))?
}
