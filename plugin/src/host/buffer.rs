//! Drives shim functions that fill a buffer: tries a small one first and asks again with the exact size when it was too small.

use std::ffi::c_char;

/// The items that `fill(buffer, capacity)` reports; `fill` returns how many there are and writes at most `capacity`.
pub(super) fn items<T: Copy>(empty: T, mut fill: impl FnMut(*mut T, usize) -> usize) -> Vec<T> {
    let mut buffer = vec![empty; 16];
    loop {
        let count = fill(buffer.as_mut_ptr(), buffer.len());
        if count <= buffer.len() {
            buffer.truncate(count);
            return buffer;
        }
        buffer.resize(count, empty);
    }
}

/// The text that `fill(buffer, capacity)` reports; bytes that are not UTF-8 are replaced.
pub(super) fn text(mut fill: impl FnMut(*mut c_char, usize) -> usize) -> String {
    let bytes = items(0u8, |buffer, capacity| fill(buffer.cast(), capacity));
    String::from_utf8_lossy(&bytes).into_owned()
}
