//! Places in the function's frame: scalars that are carried between statements, results that are computed inside of loops, what the guard
//! gathers of rows, and what the run-time library is told before a device is used.
//!
//! Invariant: all places of a function together take at most [`LIMIT`] bytes. Nests run one after the other, so that each takes its
//! places from those that the nests before it had.

use crate::emit::code::{live_out, places};
use crate::emit::row_checks::RowsPlan;
use crate::emit::row_ranges::{BITS, FLAGS, WORDS};
use crate::emit::{EditError, Job, row_list, session};
use crate::host::{Analyses, Edit, Editor, Type, Value};
use crate::model::scop::Storage;
use std::cell::{Cell, RefCell};

/// The most bytes of a function's frame that new code may take.
pub const LIMIT: u64 = 1 << 10;

/// One place.
#[derive(Clone, Debug)]
struct Slot {
    ty: Type,
    pointer: Value,
    /// The present nest uses it.
    is_taken: bool,
}

/// All places of a function.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    places: RefCell<Vec<Slot>>,
    remembers_rows: Cell<bool>,
}

impl Frame {
    /// Begins a nest: all places are free. Whether those that it needs fit, at least without what the guard remembers of rows where it can list them.
    pub(super) fn begin(&self, editor: &Editor<'_>, job: &Job) -> Edit<bool> {
        self.places.borrow_mut().iter_mut().for_each(|place| place.is_taken = false);
        self.remembers_rows.set(true);
        let needed = needed(editor, job)?;
        let remembered = remembered(editor, job)?;
        if self.fits(editor, needed.iter().chain(&remembered))? {
            return Ok(true);
        }
        self.remembers_rows.set(false);
        Ok(may_list_rows(editor, job) && self.fits(editor, needed.iter())?)
    }

    /// Whether there is room for what the guard of the present nest remembers of rows.
    pub(super) fn remembers_rows(&self) -> bool {
        self.remembers_rows.get()
    }

    /// Whether the places of earlier nests and those of these types, which take them as far as there are some, fit.
    fn fits<'t>(&self, editor: &Editor<'_>, needed: impl Iterator<Item = &'t Type>) -> Edit<bool> {
        let places = self.places.borrow();
        let mut types: Vec<Type> = places.iter().map(|place| place.ty).collect();
        let mut free = types.clone();
        for ty in needed {
            match free.iter().position(|other| other == ty) {
                Some(at) => {
                    free.swap_remove(at);
                }
                None => types.push(*ty),
            }
        }
        Ok(bytes(&editor.analyses(), &types).is_some_and(|bytes| bytes <= LIMIT))
    }

    /// A place for a value of the type, which holds nothing in particular.
    pub(super) fn place(&self, editor: &Editor<'_>, ty: Type, hint: &str) -> Edit<Value> {
        let mut places = self.places.borrow_mut();
        if let Some(place) = places.iter_mut().find(|place| !place.is_taken && place.ty == ty) {
            place.is_taken = true;
            return Ok(place.pointer);
        }
        let types: Vec<Type> = places.iter().map(|place| place.ty).chain([ty]).collect();
        if bytes(&editor.analyses(), &types).is_none_or(|bytes| bytes > LIMIT) {
            return Err(EditError::new("more places in the frame than were counted"));
        }
        let pointer = editor.alloca(ty, hint)?;
        places.push(Slot { ty, pointer, is_taken: true });
        Ok(pointer)
    }
}

/// The types of the values that a nest keeps in the frame.
fn needed(editor: &Editor<'_>, job: &Job) -> Edit<Vec<Type>> {
    let scop = &job.scop;
    let mut types = match &job.device {
        Some(device) => session::places(editor, device)?,
        None => Vec::new(),
    };
    let Some(unit) = &job.unit else { return Ok(types) };
    let in_frame = places::in_frame(scop, unit);
    for (index, array) in scop.arrays.iter().enumerate() {
        if let Storage::Scalar(_, ty) = array.storage
            && scop.is_used(index)
        {
            match in_frame[index] {
                Some(places) => {
                    let variables = usize::try_from(places.variables).unwrap_or(usize::MAX);
                    types.extend(std::iter::repeat_n(ty, variables));
                    types.extend(places.array.map(|n| editor.array_type(ty, n)).transpose()?);
                }
                None if array.copies == 1 => types.push(ty),
                None => {}
            }
        }
    }
    types.extend(live_out::nested(scop, unit).into_iter().map(Value::ty));
    if may_list_rows(editor, job) {
        types.push(editor.pointer_type()?);
    }
    Ok(types)
}

/// Whether the guard of a nest may list rows.
fn may_list_rows(editor: &Editor<'_>, job: &Job) -> bool {
    job.guard.rows.as_ref().is_some_and(|rows| row_list::is_possible(&editor.analyses(), rows))
}

/// The types of what the guard of a nest remembers of rows.
fn remembered(editor: &Editor<'_>, job: &Job) -> Edit<Vec<Type>> {
    if job.unit.is_none() {
        return Ok(Vec::new());
    }
    let gathered = job.guard.rows.as_ref().map_or(0, RowsPlan::gathered);
    let (word, flag) = (editor.int_type(BITS)?, editor.int_type(1)?);
    Ok(std::iter::repeat_n(word, gathered * WORDS).chain(std::iter::repeat_n(flag, gathered * FLAGS)).collect())
}

/// The bytes of a frame with values of these types; `None` if one has no fixed size.
fn bytes(analyses: &Analyses<'_>, types: &[Type]) -> Option<u64> {
    types.iter().try_fold(0u64, |sum, ty| sum.checked_add(analyses.alloc_size(*ty)?.max(analyses.abi_align(*ty)?)))
}
