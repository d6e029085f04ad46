//! The functions of `shim/rows.ll`, which the module gets when they are called first: see there for what they do.

use super::analyses::Analyses;
use super::edit::{Edit, EditError, Editor};
use super::ffi;
use super::handles::Value;
use super::journal::Undo;

/// What the text is made of, with the zero that it ends with.
const TEXT: &str = concat!(include_str!("../../shim/rows.ll"), "\0");

/// One of the functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFunction {
    /// Adds a range: place of the list, first address, family; whether it could.
    Add,
    /// Tells a table or row apart from those before: list with the families, place of the tables and rows, first address, family, which families are
    /// tables and which are rows; whether it overlaps none that it must not, and could be added.
    Near,
    /// Whether no two ranges of the list overlap that must not.
    AreApart,
}

impl RowFunction {
    fn name(self) -> &'static str {
        match self {
            Self::Add => "tessera.rows.add",
            Self::Near => "tessera.rows.near",
            Self::AreApart => "tessera.rows.apart",
        }
    }

    /// Whether the function has parameters of such types.
    fn takes(self, operands: &[Value]) -> bool {
        let is_word = |value: &Value| value.ty().int_bits() == Some(64);
        match (self, operands) {
            (Self::Add, [place, words @ ..]) => {
                place.ty().is_pointer() && words.len() == 2 && words.iter().all(is_word)
            }
            (Self::Near, [list, place, words @ ..]) => {
                [list, place].iter().all(|value| value.ty().is_pointer())
                    && words.len() == 4
                    && words.iter().all(is_word)
            }
            (Self::AreApart, [list]) => list.ty().is_pointer(),
            _ => false,
        }
    }
}

impl Analyses<'_> {
    /// Whether functions may be added to the module: not where a pass goes through a call graph.
    pub fn may_add_functions(&self) -> bool {
        // SAFETY: the context is live for `'a`.
        unsafe { ffi::tessera_may_add_functions(self.context()) != 0 }
    }
}

impl Editor<'_> {
    /// Calls a function of the text. The function that is edited may call `malloc` and `free` (`Analyses::heap`), and functions may be added.
    pub fn call_of_rows(&self, function: RowFunction, operands: &[Value]) -> Edit<Value> {
        self.require_open_block()?;
        if !function.takes(operands) {
            return Err(EditError::new("a call with other operands than the function has parameters"));
        }
        // What the text calls.
        self.declare_heap()?;
        let (name, mut existed) = (function.name(), 0);
        // SAFETY: the function is live; text and name are passed with their lengths, the text ends with a zero behind its own.
        let raw = unsafe {
            ffi::tessera_function_of_text(
                self.function().raw(),
                TEXT.as_ptr().cast(),
                TEXT.len() - 1,
                name.as_ptr().cast(),
                name.len(),
                &raw mut existed,
            )
        };
        let called = Value::from_raw(raw).ok_or_else(|| EditError::new("no function for lists of rows"))?;
        if existed == 0 {
            self.log(Undo::CreatedGlobal(called));
        }
        self.call_function(called, operands, c"")
    }
}
