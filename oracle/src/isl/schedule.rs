//! isl's scheduler: schedule constraints from YAML, options, and the schedule as YAML.

use std::ffi::{CStr, CString, c_char, c_int};
use std::time::{Duration, Instant};

use super::functions::{Give1, P, Read, Show};
use super::{Failure, Isl, Result};

unsafe extern "C" {
    fn free(ptr: *mut std::ffi::c_void);
}

/// Sets an option of a context.
type SetOption = unsafe extern "C" fn(P, c_int) -> c_int;

/// Schedule constraints of isl.
pub struct Constraints<'l> {
    isl: &'l Isl,
    ptr: P,
}

/// A schedule of isl.
pub struct Schedule<'l> {
    isl: &'l Isl,
    ptr: P,
}

impl Isl {
    /// Reads schedule constraints from YAML.
    pub fn read_constraints(&self, text: &str) -> Result<Constraints<'_>> {
        let text = CString::new(text).map_err(|_| Failure::Error("a text with a zero byte".into()))?;
        // SAFETY: isl declares this signature; context and text are valid during the call.
        let ptr = unsafe {
            self.function::<Read>("isl_schedule_constraints_read_from_str")?(self.ctx, text.as_ptr().cast::<c_char>())
        };
        if ptr.is_null() { Err(self.failure()) } else { Ok(Constraints { isl: self, ptr }) }
    }

    /// Sets an option of the scheduler by the name of isl's function `isl_options_set_schedule_NAME`.
    pub fn set_schedule_option(&self, function: &'static str, value: i32) -> Result<()> {
        // SAFETY: all functions of that family have this signature; the context is valid.
        if unsafe { self.function::<SetOption>(function)?(self.ctx, value) } < 0 { Err(self.failure()) } else { Ok(()) }
    }
}

impl<'l> Constraints<'l> {
    /// The schedule that isl computes, and how long that took.
    pub fn schedule(self) -> Result<(Schedule<'l>, Duration)> {
        let isl = self.isl;
        let ptr = self.ptr;
        std::mem::forget(self);
        // SAFETY: isl declares this signature; the function takes the constraints.
        let compute = unsafe { isl.function::<Give1>("isl_schedule_constraints_compute_schedule")? };
        let start = Instant::now();
        // SAFETY: as above.
        let ptr = unsafe { compute(ptr) };
        let time = start.elapsed();
        if ptr.is_null() { Err(isl.failure()) } else { Ok((Schedule { isl, ptr }, time)) }
    }
}

impl Drop for Constraints<'_> {
    fn drop(&mut self) {
        // SAFETY: isl declares this signature; the object is owned.
        if let Ok(release) = unsafe { self.isl.function::<Give1>("isl_schedule_constraints_free") } {
            // SAFETY: as above.
            unsafe { release(self.ptr) };
        }
    }
}

impl Schedule<'_> {
    /// The schedule as YAML.
    pub fn text(&self) -> Result<String> {
        // SAFETY: isl declares this signature; the object is valid; the text is freed below.
        unsafe {
            let text = self.isl.function::<Show>("isl_schedule_to_str")?(self.ptr);
            if text.is_null() {
                return Err(self.isl.failure());
            }
            let result = CStr::from_ptr(text).to_string_lossy().into_owned();
            free(text.cast());
            Ok(result)
        }
    }
}

impl Drop for Schedule<'_> {
    fn drop(&mut self) {
        // SAFETY: isl declares this signature; the object is owned.
        if let Ok(release) = unsafe { self.isl.function::<Give1>("isl_schedule_free") } {
            // SAFETY: as above.
            unsafe { release(self.ptr) };
        }
    }
}
