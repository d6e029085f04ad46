//! Environment variables, read the way a library in someone else's program must read them.
//!
//! A program that runs with more rights than its user (setuid, file capabilities) must not load a library or write a file
//! that the user names. There every variable counts as unset.

#![expect(unsafe_code, reason = "a function of the C library")]

use std::ffi::{CStr, OsString, c_char};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

unsafe extern "C" {
    // In glibc since 2.17 and in musl.
    fn secure_getenv(name: *const c_char) -> *const c_char;
}

/// The value of a variable; `None` where it is unset, or where the program must not listen to its environment.
pub(crate) fn variable(name: &CStr) -> Option<OsString> {
    // SAFETY: `name` ends with a zero byte, and the function keeps no pointer to it.
    let value = unsafe { secure_getenv(name.as_ptr()) };
    if value.is_null() {
        return None;
    }
    // SAFETY: the function returned a string that ends with a zero byte. It is copied before anything else runs in this
    // thread; another thread that changes the environment at this moment breaks the rules of `setenv` itself.
    Some(OsString::from_vec(unsafe { CStr::from_ptr(value) }.to_bytes().to_vec()))
}

/// The folder for files that may be lost: `$XDG_CACHE_HOME/tessera` or `$HOME/.cache/tessera`, whether it exists or not.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(c"XDG_CACHE_HOME")
        .or_else(|| absolute(c"HOME").map(|home| home.join(".cache")))
        .map(|folder| folder.join("tessera"))
}
