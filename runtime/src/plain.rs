//! Ordinary memory of the host for large results, before they replace the arrays.
//!
//! Memory that nobody has used yet costs more than copying: the system clears it a page at a time, 1.4 GB/s with pages of 4 KiB
//! (measured on the host of an NVIDIA H100, two copies included). So it is asked for in huge pages.

#![expect(unsafe_code, reason = "advice for memory")]

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

use crate::transfer::LARGE;

unsafe extern "C" {
    fn madvise(address: *mut c_void, bytes: usize, advice: c_int) -> c_int;
}

/// Ordinary memory, in huge pages where the system has them.
#[derive(Debug)]
pub(crate) struct Plain(Vec<MaybeUninit<u8>>);

impl Plain {
    /// Memory for this many bytes; `None` where there is none.
    pub(crate) fn new(bytes: usize) -> Option<Plain> {
        let mut memory: Vec<MaybeUninit<u8>> = Vec::new();
        memory.try_reserve_exact(bytes).ok()?;
        if bytes >= LARGE {
            let begin = memory.as_ptr().addr().next_multiple_of(PAGE);
            let end = (memory.as_ptr().addr() + bytes) & !(PAGE - 1);
            let begin = memory.as_ptr().with_addr(begin).cast_mut().cast();
            // SAFETY: whole pages of memory that this function owns; the advice changes nothing that is stored there. It
            // may be ignored.
            unsafe { madvise(begin, end - begin.addr(), ADVICE_HUGE_PAGES) };
        }
        Some(Plain(memory))
    }

    /// The first byte.
    pub(crate) fn address(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

/// The largest size of ordinary pages.
const PAGE: usize = 64 << 10;
const ADVICE_HUGE_PAGES: c_int = 14;
