//! `errno` of the program, which loops do not set: a nest on the device must not either, whatever the library calls.

#![expect(unsafe_code, reason = "a variable of the C library")]

use std::ffi::c_int;

unsafe extern "C" {
    // In glibc and in musl.
    fn __errno_location() -> *mut c_int;
}

/// The value of this thread, which it has again when this is dropped.
#[derive(Debug)]
pub(crate) struct Errno(c_int);

impl Errno {
    /// Keeps the value that there is.
    pub(crate) fn keep() -> Errno {
        // SAFETY: the function gives this thread's own variable, which is always there.
        Errno(unsafe { __errno_location().read() })
    }
}

impl Drop for Errno {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { __errno_location().write(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_meanwhile_is_forgotten() {
        let before = std::io::Error::last_os_error().raw_os_error();
        let kept = Errno::keep();
        assert!(std::fs::File::open("/nowhere/at/all").is_err());
        drop(kept);
        assert_eq!(std::io::Error::last_os_error().raw_os_error(), before);
    }
}
