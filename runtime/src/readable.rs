//! Whether memory can be read, without reading it: the kernel is asked to.
//!
//! A nest such as `if (x[i] > 0) y[i] = z[i]` may touch fewer elements of `z` than its loop has iterations, and what the program does not
//! touch may not be there: `z` may be null, or end in front of a page that nobody may read.
//!
//! The system call that changes a thread's mask of signals first copies the new mask from where it lies, and then looks at what is to be done
//! with it. With a word for that which it does not know it changes nothing, and answers `EFAULT` if it could not read the mask.

#![expect(unsafe_code, reason = "a system call")]

use std::ffi::{c_int, c_long};
use std::io;

use crate::driver::Shape;

/// Bytes of the smallest pages.
const PAGE: usize = 4096;

/// Bytes of the kernel's mask of signals.
const MASK_BYTES: usize = 8;

/// The error of an address that cannot be read.
const EFAULT: i32 = 14;

/// The error of a word that the system call does not know.
const EINVAL: i32 = 22;

/// The number of the system call `rt_sigprocmask`; nothing where it is not known.
const MASK_CALL: Option<c_long> = match () {
    () if cfg!(all(target_os = "linux", target_arch = "x86_64", target_pointer_width = "64")) => Some(14),
    () if cfg!(all(target_os = "linux", target_arch = "aarch64")) => Some(135),
    () => None,
};

unsafe extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
}

/// Whether all rows can be read now. Takes 0.1 us for a page. Not on systems where that cannot be asked.
pub(crate) fn is_readable(host: *const u8, shape: Shape) -> bool {
    (0..shape.rows).all(|row| {
        let start = host.addr() + row * shape.pitch;
        let end = start + shape.row_bytes;
        // The first byte, and the first one of every further page.
        let mut pages = (start / PAGE + 1..).map(|page| page * PAGE).take_while(|page| *page < end);
        shape.row_bytes == 0 || (is_word_readable(start) && pages.all(is_word_readable))
    })
}

/// Whether the word that holds the byte at an address, and so its page, can be read.
fn is_word_readable(address: usize) -> bool {
    let Some(number) = MASK_CALL else { return false };
    let word = address / MASK_BYTES * MASK_BYTES;
    // SAFETY: the call reads a mask at `word` itself, and fails if it cannot; it changes nothing, as no operation has the number -1.
    let answer = unsafe { syscall(number, -1 as c_int, word, std::ptr::null_mut::<u8>(), MASK_BYTES) };
    match io::Error::last_os_error().raw_os_error() {
        Some(EINVAL) => answer == -1,
        Some(EFAULT) => false,
        // A filter of system calls, for example.
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" {
        fn mmap(at: *mut u8, bytes: usize, rights: c_int, flags: c_int, file: c_int, offset: i64) -> *mut u8;
        fn mprotect(at: *mut u8, bytes: usize, rights: c_int) -> c_int;
        fn munmap(at: *mut u8, bytes: usize) -> c_int;
    }

    const READ: c_int = 1;
    /// `MAP_PRIVATE | MAP_ANONYMOUS`
    const FLAGS: c_int = 0x22;

    #[test]
    fn pages_without_rights_are_found() {
        // SAFETY: new memory, which nothing else uses.
        let pages = unsafe { mmap(std::ptr::null_mut(), 4 * PAGE, READ, FLAGS, -1, 0) };
        assert_ne!(pages.addr(), usize::MAX);
        let is_readable = |from: usize, bytes: usize| is_readable(pages.wrapping_add(from), Shape::row(bytes));
        assert!(is_readable(0, 4 * PAGE) && is_readable(0, 0) && is_readable(PAGE - 1, 1));
        // SAFETY: a part of it.
        assert_eq!(unsafe { mprotect(pages.add(2 * PAGE), PAGE, 0) }, 0);
        assert!(is_readable(0, 2 * PAGE) && is_readable(3 * PAGE, PAGE));
        assert!(!is_readable(0, 2 * PAGE + 1) && !is_readable(2 * PAGE + 17, 1) && !is_readable(0, 4 * PAGE));
        assert!(!is_readable(3 * PAGE - 1, 2));
        let rows = Shape::new(PAGE as u64, 2, 3 * PAGE as u64).unwrap();
        assert!(super::is_readable(pages, rows));
        assert!(!super::is_readable(pages, Shape::new(PAGE as u64, 2, 2 * PAGE as u64).unwrap()));
        assert!(!super::is_readable(std::ptr::null(), Shape::row(1)));
        // SAFETY: nothing refers to it any more.
        assert_eq!(unsafe { munmap(pages, 4 * PAGE) }, 0);
    }
}
