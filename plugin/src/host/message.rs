//! Code that writes a text to standard error.
//!
//! Where the C library has `fwrite` and `stderr` these are used: no program may define them, while `write` is a name that it may have
//! for something of its own, also in another file.

use super::edit::{Edit, EditError, Editor};
use super::ffi;
use super::handles::Value;
use super::journal::Undo;
use std::ptr;

impl Editor<'_> {
    /// Whether [`Editor::write_text`] finds what it calls: the module has nothing else of that name.
    pub fn can_write_text(&self) -> bool {
        // SAFETY: the function is live.
        unsafe { ffi::tessera_has_text_output(self.function().raw()) != 0 }
    }

    /// Writes a text to standard error. An error where the program has something else of the name of the function for that.
    pub fn write_text(&self, text: &str) -> Edit<()> {
        if self.position().is_none() {
            return Err(EditError::new("no position to build at"));
        }
        if !self.can_write_text() {
            return Err(EditError::new("the program has an `fwrite` or `write` that is not that of the system"));
        }
        let function = self.function().raw();
        let mut created = [ptr::null_mut(), ptr::null_mut()];
        let mut stream = ptr::null_mut();
        // SAFETY: the function is live; there is room for two globals and one; the names were looked at.
        let raw = unsafe { ffi::tessera_text_output(function, &raw mut stream, created.as_mut_ptr()) };
        for global in created.into_iter().filter_map(Value::from_raw) {
            self.log(Undo::CreatedGlobal(global));
        }
        let write = Value::from_raw(raw).ok_or_else(|| EditError::new("LLVM declared no function"))?;
        // SAFETY: the function is live; the text is passed with its length.
        let raw = unsafe { ffi::tessera_create_text(function, text.as_ptr().cast(), text.len()) };
        let bytes = Value::from_raw(raw).ok_or_else(|| EditError::new("LLVM made no text"))?;
        self.log(Undo::CreatedGlobal(bytes));
        let stream = match Value::from_raw(stream) {
            Some(stream) => self.load(stream.ty(), stream, 1)?.raw(),
            None => ptr::null_mut(),
        };
        // SAFETY: the builder is positioned; the declaration is that of the function, and the text has so many bytes.
        let call = unsafe {
            ffi::tessera_build_write(self.builder.as_mut_ptr(), write.raw(), bytes.raw(), text.len(), stream)
        };
        self.created(call)?;
        Ok(())
    }
}
