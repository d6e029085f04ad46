//! Elements that are copied, or used in place where copies do not pay.
//!
//! ```text
//! for tiles:                                     is_copied = n >= 150
//!   for k, j: P[k][j] = B[64 tk + k][..]         base, s, t = is_copied ? (P, 2112, 0) : (B, 8 n, 8 n)
//!   for i, k, j: C[i][j] += A[i][k] * P..   =>   for tiles:
//!                                                  if is_copied: for k, j: P[k][j] = B[64 tk + k][..]
//!                                                  for i, k, j: C[i][j] += A[i][k] * *(base + s k + 8 j + t 64 tk + ..)
//! ```
//!
//! A second version of the loops for small sizes would be as much text again. Here it is one address for both: what differs in it are numbers that are
//! chosen once, in front of the nest.
//!
//! Invariant: nothing writes the array (the library's `pack` has seen to that), so that its elements are what the copies would be.

use super::Emitter;
use crate::emit::scopes::Placed;
use crate::host::{Edit, EditError, Value};
use crate::model::scop::Storage;
use tessera_polyhedral::ast::Ast;

impl Emitter<'_, '_, '_> {
    /// Chooses the numbers that addresses of copies or of elements in place have.
    pub(super) fn choose(&mut self, is_copied: Option<Value>) -> Edit<()> {
        let Some(is_copied) = is_copied else { return Ok(()) };
        let (scop, editor, word) = (self.scop, self.scopes.editor, self.scopes.word);
        for chosen in &scop.chosen {
            let copied = self.poly(&chosen.copied, &[], &[], word)?;
            let in_place = self.poly(&chosen.in_place, &[], &[], word)?;
            self.scopes.at_end();
            let value = editor.select(is_copied, copied.value, in_place.value)?;
            self.params.push(Placed { value, scope: 0 });
        }
        self.is_copied = Some(Placed { value: is_copied, scope: 0 });
        Ok(())
    }

    /// The base of copies, or that of their array.
    pub(super) fn either_base(&mut self, copies: Value, array: usize) -> Edit<Value> {
        let is_copied = self.is_copied.ok_or_else(|| EditError::new("elements in place without a choice"))?;
        let Storage::Memory(pointer) = self.scop.arrays[array].storage else {
            return Err(EditError::new("elements in place of an array without base"));
        };
        self.scopes.at_end();
        self.scopes.editor.select(is_copied.value, copies, self.outside(pointer))
    }

    /// Builds the copies of an array whose elements may be used in place where they pay; false, and nothing is built, for other code.
    pub(super) fn copies_perhaps(&mut self, ast: &Ast) -> Edit<bool> {
        let Some(is_copied) = self.is_copied.filter(|_| self.only_copies(ast)) else { return Ok(false) };
        self.is_copied = None;
        self.fork(is_copied, [Some(ast), None], &mut |emitter, copies| emitter.node(copies))?;
        self.is_copied = Some(is_copied);
        Ok(true)
    }

    /// Whether code is nothing but copies of elements that may be used in place.
    fn only_copies(&self, ast: &Ast) -> bool {
        match ast {
            Ast::User { stmt, .. } => {
                let mut packs = self.scop.packs.iter().filter(|pack| *pack.name == **stmt);
                packs.any(|pack| self.scop.arrays[pack.to.array].in_place.is_some())
            }
            other => {
                let mut parts = other.children().peekable();
                parts.peek().is_some() && parts.all(|part| self.only_copies(part))
            }
        }
    }
}
