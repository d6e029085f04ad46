//! New code in the old order: what the compiler can do only behind the guard.
//!
//! - *Elements in registers.* In `for j: q[i] += a[i][j] * p[j]` the element `q[i]` is loaded and stored in every iteration if a store to
//!   it might hit `a` or `p`: an addition waits for the store before it, some twelve cycles instead of four.
//! - *Vectors.* In `for (x = 0; x < s->n; x++) s->p[x] = 255 - s->p[x]` a store to a byte might change `s->n` or `s->p`, so both are loaded
//!   anew in every iteration, and no vectoriser knows the number of iterations or the address. Neither does one vectorise a loop for
//!   which it would have to check more than [`LLVM_CHECKS`] assumptions about sums that do not wrap around.
//!
//! The guard knows better. Both pay where nothing better does, the second one only where new code can be vectorised: its iterations are
//! independent, run over neighbouring elements, and do what vectors can do.

use super::loops::Numbering;
use super::transformation::{OldOrder, Transformation};
use crate::detect::scev::ParamSource;
use crate::formula::poly::Sym;
use crate::host::Value;
use crate::model::protected::leaves;
use crate::model::scop::{Access, Op, Order, Scop, Storage, statements_of};
use crate::model::sets::library_error;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::scop::{Dependences, ElementKind, OperationKind, Scop as Data};
use tessera_polyhedral::strategy::is_free;

use super::Result;
use tessera_polyhedral::flow::AccessKind;
use tessera_polyhedral::transform::Need;

/// How many assumptions about an innermost loop LLVM's vectoriser checks at most (`-vectorize-scev-check-threshold`).
const LLVM_CHECKS: usize = 16;

/// How often a loop must run at least for its vectors to pay.
const LONG_FOR_VECTORS: u64 = 32;

/// The innermost loops that gain from new code in the old order, and how often they must run for that.
pub(super) fn gains(
    scop: &Scop,
    data: &Data,
    dependences: &Dependences,
    numbering: &Numbering,
    budget: &Budget,
) -> Result<(Vec<Transformation>, Vec<Need>)> {
    let mut search = Search { scop, data, dependences, numbering, budget, found: Vec::new(), needs: Vec::new() };
    search.walk(&scop.order)?;
    Ok((search.found, search.needs))
}

struct Search<'s> {
    scop: &'s Scop,
    data: &'s Data,
    dependences: &'s Dependences,
    numbering: &'s Numbering,
    budget: &'s Budget,
    found: Vec<Transformation>,
    needs: Vec<Need>,
}

impl Search<'_> {
    fn walk(&mut self, nodes: &[Order]) -> Result<()> {
        for node in nodes {
            let Order::Loop { index, body } = node else { continue };
            if !body.iter().all(|inner| matches!(inner, Order::Statement(_))) {
                self.walk(body)?;
                continue;
            }
            let statements = statements_of(body);
            if has_element(self.scop, *index, &statements) {
                let gain = Some(OldOrder::Registers);
                self.found.push(Transformation { old_order: gain, ..Transformation::unchanged(node) });
            } else if self.becomes_vectors(*index, &statements)? {
                let gain = Some(OldOrder::Vectors);
                self.found.push(Transformation { old_order: gain, ..Transformation::unchanged(node) });
                self.needs.push(Need::at_least(*index, LONG_FOR_VECTORS));
            }
        }
        Ok(())
    }

    /// Whether an innermost loop is one that the compiler can vectorise in new code, and only there.
    fn becomes_vectors(&self, index: usize, statements: &[usize]) -> Result<bool> {
        let resists = self.is_clobbered(index, statements) || self.assumptions(index) > LLVM_CHECKS;
        if !resists || !statements.iter().all(|s| self.suits_vectors(*s, index)) {
            return Ok(false);
        }
        let Some(number) = self.numbering.of_library(index) else { return Ok(false) };
        is_free(self.data, self.dependences, number, self.budget).map_err(library_error)
    }

    /// Whether the loop loads in every iteration a bound, or the start of an array that it accesses, because one of its stores might
    /// change it.
    fn is_clobbered(&self, index: usize, statements: &[usize]) -> bool {
        let scop = self.scop;
        let accesses = || statements.iter().flat_map(|s| &scop.statements[*s].accesses);
        let is_written = |array: usize| accesses().any(|a| a.array == array && a.kind != AccessKind::Read);
        let is_inside = |value: &Value| {
            let block = value.parent().and_then(|block| scop.region.block_index(block));
            block.is_some_and(|block| scop.region.blocks[block].loops.contains(&index))
        };
        let loads = scop.invariants.iter().filter(|load| load.members.iter().any(is_inside));
        let mut changeable = loads.filter(|load| {
            let mut bytes = scop.protected.iter().filter(|bytes| {
                bytes.base == load.base && bytes.low <= load.offset && load.offset + load.bytes <= bytes.end
            });
            bytes.any(|bytes| bytes.arrays.iter().any(|array| is_written(*array)))
        });
        changeable.any(|load| {
            let is_it = |value: Value| value == load.value || load.members.contains(&value);
            let starts = accesses().filter_map(|access| scop.arrays[access.array].storage.pointer());
            let bounds = scop.params.iter().flat_map(|param| match param.source {
                ParamSource::Value(value) => vec![value],
                ParamSource::Expression(scev) => {
                    let mut values = Vec::new();
                    leaves(scev, &mut values);
                    values
                }
            });
            starts.chain(bounds).any(is_it)
        })
    }

    /// How many assumptions the guard checks about values inside the loop.
    fn assumptions(&self, index: usize) -> usize {
        self.scop.checks.iter().filter(|check| check.loops.contains(&index)).count()
    }

    /// Whether vectors can do what a statement does: elements side by side or the same in all iterations, no branches, and nothing
    /// that is done one by one.
    fn suits_vectors(&self, statement: usize, index: usize) -> bool {
        let (scop, own) = (self.scop, &self.scop.statements[statement]);
        let Some(dim) = own.dim(index) else { return false };
        let side_by_side = own.accesses.iter().zip(&self.data.statements[statement].accesses).all(|(access, data)| {
            let unit = scop.arrays[access.array].unit * access.count;
            match self.data.stride(data, dim) {
                Some(0) => access.kind == AccessKind::Read,
                Some(bytes) => bytes == unit,
                None => false,
            }
        });
        let one_by_one = self.data.statements[statement].operations.iter().any(|operation| match operation.kind {
            OperationKind::Call(_) | OperationKind::Other(_) | OperationKind::Remainder => true,
            OperationKind::Divide => operation.element.kind == ElementKind::Integer,
            _ => false,
        });
        let leaves = own.body.iter().any(|op| matches!(op, Op::LiveOut { .. }));
        own.is_straight() && side_by_side && !one_by_one && !leaves
    }
}

/// Whether the loop reads and stores one element in all its iterations, where the program did so, while it touches something that
/// might overlap it.
fn has_element(scop: &Scop, index: usize, statements: &[usize]) -> bool {
    let statements = || statements.iter().map(|s| &scop.statements[*s]);
    let accesses = || statements().flat_map(|statement| &statement.accesses);
    let stays = |access: &Access| access.offset.symbols().all(|symbol| symbol != Sym::Iv(index));
    let is_alone =
        |own: &Access| accesses().filter(|other| other.array == own.array).all(|other| other.offset == own.offset);
    let is_read = |own: &Access| accesses().any(|other| other.kind == AccessKind::Read && other.array == own.array);
    let is_disturbed = |own: &Access| {
        let other = |pair: &(usize, usize)| match *pair {
            (a, b) if a == own.array => Some(b),
            (a, b) if b == own.array => Some(a),
            _ => None,
        };
        scop.may_overlap.iter().filter_map(other).any(|array| accesses().any(|access| access.array == array))
    };
    let candidates =
        statements().flat_map(|statement| statement.accesses.iter().map(move |access| (statement, access)));
    let is_memory = |access: &Access| matches!(scop.arrays[access.array].storage, Storage::Memory(_));
    candidates
        .filter(|(_, access)| is_memory(access))
        .filter(|(statement, access)| access.kind == AccessKind::MustWrite && scop.is_in_place(statement, access))
        .any(|(_, access)| stays(access) && is_alone(access) && is_read(access) && is_disturbed(access))
}
