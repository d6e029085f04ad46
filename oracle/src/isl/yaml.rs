//! isl's composite objects in YAML: read from a file and written back.

use std::ffi::{CStr, CString, c_char, c_void};

use super::functions::{Give1, P, Read, Show};
use super::{Failure, Isl, Result};

unsafe extern "C" {
    fn free(ptr: *mut c_void);
    fn fmemopen(buffer: *mut c_void, size: usize, mode: *const c_char) -> *mut c_void;
    fn fclose(stream: *mut c_void) -> i32;
}

/// Which object a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Composite {
    /// `isl_schedule_constraints`.
    Constraints,
    /// `isl_union_access_info`.
    Accesses,
    /// `isl_schedule`.
    Tree,
}

impl Isl {
    /// What isl reads from a file, as isl writes it.
    pub fn reread(&self, kind: Composite, text: &str) -> Result<String> {
        let (read, show, release) = match kind {
            Composite::Constraints => (
                "isl_schedule_constraints_read_from_file",
                "isl_schedule_constraints_to_str",
                "isl_schedule_constraints_free",
            ),
            Composite::Accesses => {
                ("isl_union_access_info_read_from_file", "isl_union_access_info_to_str", "isl_union_access_info_free")
            }
            Composite::Tree => ("isl_schedule_read_from_file", "isl_schedule_to_str", "isl_schedule_free"),
        };
        let failure = || Failure::Error("no stream".into());
        let text = CString::new(text).map_err(|_| failure())?;
        // SAFETY: isl declares these functions with these signatures: reading takes a stream, which stays open, and
        // gives an object; writing keeps the object and gives a text that is freed here. The buffer outlives the stream
        // and is only read.
        unsafe {
            let (read, show, release) =
                (self.function::<Read>(read)?, self.function::<Show>(show)?, self.function::<Give1>(release)?);
            let stream = fmemopen(text.as_ptr().cast_mut().cast(), text.as_bytes().len().max(1), c"r".as_ptr());
            if stream.is_null() {
                return Err(failure());
            }
            let object: P = read(self.ctx, stream.cast::<c_char>());
            fclose(stream);
            if object.is_null() {
                return Err(self.failure());
            }
            let shown = show(object);
            release(object);
            if shown.is_null() {
                return Err(self.failure());
            }
            let result = CStr::from_ptr(shown).to_string_lossy().into_owned();
            free(shown.cast());
            Ok(result)
        }
    }
}
