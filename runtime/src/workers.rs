//! A few threads for one piece of work, which end with it.
//!
//! The library keeps no threads: a fork, an exit and the unloading of the library find none. Those of this module are gone when
//! [`with_workers`] returns. Signals that are sent to the program are not delivered to them, as a handler may rely on the thread
//! that it runs in; those that a thread causes itself are.

#![expect(unsafe_code, reason = "functions of the C library")]

use std::ffi::c_int;
use std::thread;

/// Runs `work` in this thread and in as many others as there are, up to `workers` in all, and waits for all of them. Where
/// a thread cannot be started there are fewer.
pub(crate) fn with_workers(workers: usize, work: &(dyn Fn() + Sync)) {
    thread::scope(|scope| {
        let signals = Signals::block();
        let others: Vec<_> = (1..workers)
            .map_while(|_| thread::Builder::new().stack_size(1 << 20).spawn_scoped(scope, work).ok())
            .collect();
        drop(signals);
        work();
        for other in others {
            // Not left to the scope: it does not wait until the thread is gone, and the library may be unloaded next.
            if let Err(panic) = other.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

/// `sigset_t` of Linux, and enough for other systems.
type SignalSet = [u64; 16];

unsafe extern "C" {
    fn pthread_sigmask(how: c_int, set: *const SignalSet, old: *mut SignalSet) -> c_int;
    fn sigfillset(set: *mut SignalSet) -> c_int;
    fn sigdelset(set: *mut SignalSet, signal: c_int) -> c_int;
}

/// The word for `pthread_sigmask` to replace the set.
const SET_MASK: c_int = 2;

/// What a thread does to itself: an access that is not allowed, an instruction that is none. A program may handle those of
/// its arrays.
const OWN_SIGNALS: [c_int; 5] = [4, 5, 7, 8, 11];

/// Blocks the signals that others send to this thread, so that threads that it starts have them blocked, until it is dropped.
struct Signals(Option<SignalSet>);

impl Signals {
    fn block() -> Signals {
        let (mut others, mut old) = ([0; 16], [0; 16]);
        // SAFETY: both sets have room for `sigset_t`, which is 128 bytes on Linux.
        let answer = unsafe {
            sigfillset(&mut others);
            for signal in OWN_SIGNALS {
                sigdelset(&mut others, signal);
            }
            pthread_sigmask(SET_MASK, &others, &mut old)
        };
        Signals((answer == 0).then_some(old))
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        if let Some(old) = &self.0 {
            // SAFETY: the set was filled by the same function.
            unsafe { pthread_sigmask(SET_MASK, old, std::ptr::null_mut()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::with_workers;

    #[test]
    fn workers_are_at_most_as_many_as_asked_for_and_end() {
        for workers in [0, 1, 4] {
            let runs = AtomicUsize::new(0);
            with_workers(workers, &|| {
                runs.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(runs.into_inner(), workers.max(1));
        }
    }
}
