//! Code that writes a text to standard error.

use super::edit::{Edit, EditError, Editor};
use super::ffi;
use super::handles::Value;
use super::journal::Undo;

impl Editor<'_> {
    /// Writes a text to standard error, by the function `write` of POSIX. An error where the program has something else of that name.
    pub fn write_text(&self, text: &str) -> Edit<()> {
        if self.position().is_none() {
            return Err(EditError::new("no position to build at"));
        }
        let function = self.function().raw();
        let mut existed = 0;
        // SAFETY: the function is live; the flag is written.
        let raw = unsafe { ffi::tessera_write_declaration(function, &raw mut existed) };
        let write = Value::from_raw(raw)
            .ok_or_else(|| EditError::new("the program has a `write` that is not that of the system"))?;
        if existed == 0 {
            self.session.log(Undo::CreatedGlobal(write));
        }
        // SAFETY: the function is live; the text is passed with its length.
        let raw = unsafe { ffi::tessera_create_text(function, text.as_ptr().cast(), text.len()) };
        let bytes = Value::from_raw(raw).ok_or_else(|| EditError::new("LLVM made no text"))?;
        self.session.log(Undo::CreatedGlobal(bytes));
        // SAFETY: the builder is positioned; the declaration is that of `write`, and the text has so many bytes.
        let call = unsafe { ffi::tessera_build_write(self.builder.as_mut_ptr(), write.raw(), bytes.raw(), text.len()) };
        self.created(call)?;
        Ok(())
    }
}
