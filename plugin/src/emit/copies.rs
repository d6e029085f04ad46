//! Where the copies of scalars live (`optimise::expand`): a few, as those of iterations that are jammed, in the function's frame, where
//! later passes find registers for them; others in a buffer of `malloc` that exists while the new code runs, as are copies of elements of
//! arrays (`optimise::placed`).
//!
//! ```text
//! tessera.heap     malloc and free have addresses      (where the program may be without them)
//! tessera.room     sizes are not too large             (where they depend on parameters)
//! tessera.buffer   malloc's answer is not null
//! tessera.entry    new code; free                      tessera.original
//! ```
//!
//! Invariants: the new code has one end, which gives the buffer back, and nothing in it unwinds or ends the program. The copies of
//! each scalar begin at a multiple of a cache line, and are a unit apart, which is a multiple of the type's alignment.

use super::conditions::{Conditions, Subject};
use super::guard_code::GuardCode;
use super::{Job, trace};
use crate::host::{Block, Edit, EditError, Editor, Heap, Value};
use crate::model::scop::{Scop, Storage};

/// The copies of a scalar begin at a multiple of that.
const LINE: u64 = 64;

/// The buffer of a nest.
#[derive(Debug)]
pub(super) struct Buffer {
    /// What `malloc` gave.
    memory: Value,
    /// The first copy of each array of the model that has copies.
    places: Vec<Option<Value>>,
}

/// The most bytes of the copies of a scalar in the frame.
const FEW: u64 = 128;

/// How many copies an array of the model has in the frame; nothing if they are in the buffer, or there are none.
pub(super) fn in_frame(scop: &Scop, array: usize) -> Option<u64> {
    let is_scalar = matches!(scop.arrays[array].storage, Storage::Scalar(..));
    let copies = Some(scop.arrays[array].copies).filter(|_| is_scalar && has_copies(scop, array))?;
    let unit = u64::try_from(scop.arrays[array].unit).ok()?;
    unit.checked_mul(copies).is_some_and(|bytes| bytes <= FEW).then_some(copies)
}

/// Whether the copies of an array are in the buffer.
fn in_buffer(scop: &Scop, array: usize) -> bool {
    has_copies(scop, array) && in_frame(scop, array).is_none()
}

/// The bytes of the copies of an array: a multiple of a line.
fn bytes(scop: &Scop, array: usize) -> Option<u64> {
    let unit = u64::try_from(scop.arrays[array].unit).ok()?;
    unit.checked_mul(scop.arrays[array].copies)?.checked_next_multiple_of(LINE)
}

/// Whether a nest needs a buffer.
pub(super) fn are_needed(scop: &Scop) -> bool {
    (0..scop.arrays.len()).any(|array| in_buffer(scop, array))
}

fn has_copies(scop: &Scop, array: usize) -> bool {
    let has_some = match scop.arrays[array].storage {
        Storage::Scalar(..) => scop.arrays[array].copies > 1,
        Storage::Buffer(_) => true,
        Storage::Memory(_) | Storage::Rows(_) => false,
    };
    has_some && scop.is_used(array)
}

impl Buffer {
    /// Asks for the buffer from `block` on, behind which `entry` or `original` comes.
    pub(super) fn get(
        guard_code: &GuardCode<'_, '_>,
        job: &Job,
        block: Block,
        entry: Block,
        original: Block,
    ) -> Edit<Buffer> {
        let (scop, arithmetic) = (&job.scop, &guard_code.arithmetic);
        let editor = arithmetic.editor;
        let heap = editor.analyses().heap().ok_or_else(|| EditError::new("copies without memory for them"))?;
        editor.at_end(block);
        if heap == Heap::IfLinked {
            let next = editor.create_block("buffer", Some(block))?;
            branch(editor, job, editor.has_heap()?, next, original)?;
            editor.at_end(next);
        }
        let mut starts = vec![None; scop.arrays.len()];
        let mut end = arithmetic.constant(0)?;
        let mut sizes = Conditions::default();
        // What depends on parameters comes last, so that all else has plain addresses.
        let (of_parameters, constant): (Vec<usize>, Vec<usize>) = (0..scop.arrays.len())
            .filter(|array| in_buffer(scop, *array))
            .partition(|array| scop.arrays[*array].bytes.is_some());
        let depends = !of_parameters.is_empty();
        for array in constant.into_iter().chain(of_parameters) {
            starts[array] = Some(end.value);
            let most = bytes(scop, array).map(i128::from).ok_or_else(|| EditError::new("copies of that size"))?;
            let own = match &scop.arrays[array].bytes {
                None => arithmetic.constant(most)?,
                Some(bytes) => {
                    let bytes = guard_code.poly(bytes)?;
                    sizes.push(Subject::Room, arithmetic.within(bytes, 0, most)?);
                    let line = i64::try_from(LINE).map_err(|_| EditError::too_large())?;
                    let above = arithmetic.add(bytes, arithmetic.constant(i128::from(LINE) - 1)?)?;
                    let lines = arithmetic.floor_div(above, line)?;
                    arithmetic.mul(lines, arithmetic.constant(i128::from(LINE))?)?
                }
            };
            end = arithmetic.add(end, own)?;
        }
        let all = arithmetic.add(end, arithmetic.constant(i128::from(LINE))?)?;
        if depends {
            sizes.push(Subject::Room, guard_code.not_failed()?);
            let next = editor.create_block("room", Some(block))?;
            trace::branch(editor, job, &sizes, next, original)?;
            editor.at_end(next);
        }
        let memory = editor.allocate(all.value, "copies")?;
        branch(editor, job, editor.is_not_null(memory)?, entry, original)?;
        editor.at_end(entry);
        let first = editor.aligned(memory, LINE)?;
        let place = |start: Option<Value>| -> Edit<Option<Value>> {
            start.map(|start| editor.byte_offset(first, start, true)).transpose()
        };
        Ok(Buffer { memory, places: starts.into_iter().map(place).collect::<Edit<_>>()? })
    }

    /// The first copy of an array.
    pub(super) fn place(&self, array: usize) -> Option<Value> {
        self.places.get(array).copied().flatten()
    }

    /// Gives the buffer back at the editor's position.
    pub(super) fn give_back(&self, editor: &Editor<'_>) -> Edit<()> {
        editor.release(self.memory)
    }
}

fn branch(editor: &Editor<'_>, job: &Job, holds: Value, to: Block, original: Block) -> Edit<()> {
    let mut conditions = Conditions::default();
    conditions.push(Subject::Room, holds);
    trace::branch(editor, job, &conditions, to, original)?;
    Ok(())
}
