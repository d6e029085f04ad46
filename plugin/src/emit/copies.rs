//! Where the copies of scalars live (`optimise::expand`): a few, as those of iterations that are jammed, in the function's frame, where
//! later passes find registers for them; others in a buffer of `malloc` that exists while the new code runs, as are copies of elements of
//! arrays (`optimise::placed`).
//!
//! ```text
//!                  sizes are not too large             (where they depend on parameters)
//! tessera.room     malloc and free have addresses      (where the program may be without them)
//! tessera.buffer   malloc's answer is not null
//! tessera.entry    new code; free                      tessera.original
//! ```
//!
//! Where it is for nothing but copies of elements that may be used in place (`Array::in_place`), the new code runs without it, too:
//!
//! ```text
//!                  the loops are long; malloc and free have addresses
//! tessera.buffer   memory = malloc
//! tessera.entry    is_copied = memory is not null; new code; free if it was
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
    /// Whether elements are copied that may be used in place, if there are some.
    pub(super) is_copied: Option<Value>,
    /// Whether there is none where these are not copied.
    is_optional: bool,
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
    /// Asks for the buffer from `block` on, behind which `entry` or `original` comes. Copies of elements that may be used in place have room where they
    /// are made.
    pub(super) fn get(
        guard_code: &GuardCode<'_, '_>,
        (job, is_copied): (&Job, Option<Value>),
        block: Block,
        entry: Block,
        original: Block,
    ) -> Edit<Buffer> {
        let (scop, arithmetic) = (&job.scop, &guard_code.arithmetic);
        let editor = arithmetic.editor;
        let heap = editor.analyses().heap().ok_or_else(|| EditError::new("copies without memory for them"))?;
        editor.at_end(block);
        let mut starts = vec![None; scop.arrays.len()];
        let mut end = arithmetic.constant(0)?;
        let mut sizes = Conditions::default();
        // What depends on parameters comes last, so that all else has plain addresses.
        let (of_parameters, constant): (Vec<usize>, Vec<usize>) = (0..scop.arrays.len())
            .filter(|array| in_buffer(scop, *array))
            .partition(|array| scop.arrays[*array].bytes.is_some());
        let depends = !of_parameters.is_empty();
        let (in_place, constant): (Vec<usize>, Vec<usize>) =
            constant.into_iter().partition(|array| scop.arrays[*array].in_place.is_some());
        for array in constant.into_iter().chain(in_place).chain(of_parameters) {
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
            let own = match is_copied.filter(|_| scop.arrays[array].in_place.is_some()) {
                Some(is_copied) => arithmetic.select(is_copied, own, arithmetic.constant(0)?)?,
                None => own,
            };
            end = arithmetic.add(end, own)?;
        }
        let all = arithmetic.add(end, arithmetic.constant(i128::from(LINE))?)?;
        let mut here = block;
        if depends {
            sizes.push(Subject::Room, guard_code.not_failed()?);
            let next = editor.create_block("room", Some(here))?;
            trace::branch(editor, job, &sizes, next, original)?;
            editor.at_end(next);
            here = next;
        }
        let has_heap = match heap {
            Heap::Linked => None,
            Heap::IfLinked => Some(editor.has_heap()?),
        };
        let is_needed = |array: usize| in_buffer(scop, array) && scop.arrays[array].in_place.is_none();
        let optional = is_copied.filter(|_| !(0..scop.arrays.len()).any(is_needed));
        let (memory, is_copied) = match optional {
            Some(is_copied) => {
                let holds = has_heap.map_or(Ok(is_copied), |has_heap| editor.both(is_copied, has_heap))?;
                let next = editor.create_block("buffer", Some(here))?;
                editor.cond_br(holds, next, entry)?;
                editor.at_end(next);
                let own = editor.allocate(all.value, "copies")?;
                editor.br(entry)?;
                let memory = editor.phi(entry, own.ty(), "copies")?;
                editor.add_incoming(memory, own, next)?;
                editor.add_incoming(memory, editor.null_pointer()?, here)?;
                editor.at_end(entry);
                (memory, Some(editor.is_not_null(memory)?))
            }
            None => {
                if let Some(has_heap) = has_heap {
                    let next = editor.create_block("buffer", Some(here))?;
                    branch(editor, job, has_heap, next, original)?;
                    editor.at_end(next);
                }
                let memory = editor.allocate(all.value, "copies")?;
                branch(editor, job, editor.is_not_null(memory)?, entry, original)?;
                editor.at_end(entry);
                (memory, is_copied)
            }
        };
        let first = editor.aligned(memory, LINE)?;
        let place = |start: Option<Value>| -> Edit<Option<Value>> {
            start.map(|start| editor.byte_offset(first, start, true)).transpose()
        };
        let places = starts.into_iter().map(place).collect::<Edit<_>>()?;
        Ok(Buffer { memory, places, is_copied, is_optional: optional.is_some() })
    }

    /// The first copy of an array.
    pub(super) fn place(&self, array: usize) -> Option<Value> {
        self.places.get(array).copied().flatten()
    }

    /// Gives the buffer back at the end of `block`, and goes on to `join`; from where it does is the result.
    pub(super) fn give_back(&self, editor: &Editor<'_>, block: Block, join: Block) -> Edit<Block> {
        let mut last = block;
        if let Some(is_copied) = self.is_copied.filter(|_| self.is_optional) {
            let (release, end) =
                (editor.create_block("release", Some(block))?, editor.create_block("end", Some(block))?);
            editor.at_end(block);
            editor.cond_br(is_copied, release, end)?;
            editor.at_end(release);
            editor.release(self.memory)?;
            editor.br(end)?;
            last = end;
            editor.at_end(end);
        } else {
            editor.at_end(block);
            editor.release(self.memory)?;
        }
        editor.br(join)?;
        Ok(last)
    }
}

fn branch(editor: &Editor<'_>, job: &Job, holds: Value, to: Block, original: Block) -> Edit<()> {
    let mut conditions = Conditions::default();
    conditions.push(Subject::Room, holds);
    trace::branch(editor, job, &conditions, to, original)?;
    Ok(())
}
