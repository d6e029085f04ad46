//! The C interface between generated code and this library; `include/tessera_rt.h` says the same in C, and a test compares
//! the two.
//!
//! | function | meaning |
//! | --- | --- |
//! | [`tessera_rt_begin`] | asks for a session; null: run the host path |
//! | [`tessera_rt_array`], [`tessera_rt_rectangle`] | brings memory of the host to the device, and answers its address there |
//! | [`tessera_rt_launch`] | runs a kernel over the arrays |
//! | [`tessera_rt_end`] | brings results back; 0: nothing on the host was changed, run the host path |
//! | [`tessera_rt_host_done`] | the host path has run, where its time is of interest |
//!
//! An array's device address is an ordinary kernel parameter: code may subtract the distance from the array's origin to the
//! first byte that it handed over, and pass the result on, so that kernels index as the host does. After an error addresses
//! are 0 and launches do nothing, so code need not look at any answer but the last.
//!
//! # Versions
//!
//! A nest begins with the [`ABI_VERSION`] of the compiler that made it. A library that does not have that interface says so
//! once on the standard error, answers null, and reads nothing else of the nest. Code should refer to the functions weakly
//! (`extern_weak`) and run the host path where `tessera_rt_begin` is null: then it also starts where the library is
//! missing, and with one that is older than this interface.

#![expect(unsafe_code, reason = "the boundary to C")]

use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::driver::Shape;
use crate::errno::Errno;
use crate::nest::Description;
use crate::owner::OWNER;
use crate::reason::Reason;
use crate::session;

/// The version of the C interface between generated code and this library.
///
/// It changes whenever the meaning or the signature of an exported function changes. Version 1 had
/// [`tessera_rt_abi_version`] only, version 2 no [`TESSERA_RT_CHANGED`] and no array that was given twice, version 3 no
/// [`TESSERA_RT_UNCERTAIN`].
pub const ABI_VERSION: u32 = 4;

/// The oldest interface that this library still has.
pub const OLDEST_ABI_VERSION: u32 = 2;

/// Kernels read what the host has in the array.
pub const TESSERA_RT_IN: u32 = 1;
/// What kernels wrote is wanted on the host. Without [`TESSERA_RT_OVERWRITTEN`] the array is also copied in, as what
/// kernels do not write must stay as it was.
pub const TESSERA_RT_OUT: u32 = 2;
/// Kernels write every byte before they read it: with [`TESSERA_RT_OUT`] and without [`TESSERA_RT_IN`], nothing is copied in.
pub const TESSERA_RT_OVERWRITTEN: u32 = 4;
/// With [`TESSERA_RT_IN`] and [`TESSERA_RT_OUT`], and an error without one of them: on the host only bytes are stored that
/// kernels changed. Elements that no kernel writes are never stored to, so other threads of the program may write them
/// meanwhile. Costs a second copy of the array on the host, and one comparison.
pub const TESSERA_RT_CHANGED: u32 = 8;
/// The host path may not touch all of the array, so that parts of it may not be memory of the program: it is read only after a
/// look whether it can be, and the session fails where it cannot.
pub const TESSERA_RT_UNCERTAIN: u32 = 16;

/// A nest that was compiled for the device: `tessera_rt_nest` in C. Constant data of the program.
#[repr(C)]
#[derive(Debug)]
pub struct Nest {
    /// [`ABI_VERSION`] of the compiler that made it. This field is at this place in every version.
    pub abi: u32,
    /// How many kernels there are.
    pub kernel_count: u32,
    /// What traces call the nest, such as `gemm.c:12`; ends with a zero byte.
    pub name: *const c_char,
    /// The PTX text of all kernels. Nests may share one text; it is loaded once.
    pub ptx: *const c_char,
    /// The length of the text, without a zero byte at its end.
    pub ptx_bytes: u64,
    /// The names of the kernels in the text, each ending with a zero byte.
    pub kernels: *const *const c_char,
}

/// What the compiler expects of this execution of a nest: `tessera_rt_estimate` in C.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Arithmetic operations of all kernels together.
    pub operations: f64,
    /// How many of them are on double precision.
    pub doubles: f64,
    /// Bytes that kernels move between the device's memory and its processors.
    pub traffic: f64,
    /// Bytes that are copied to the device.
    pub bytes_in: f64,
    /// Bytes that are copied back.
    pub bytes_out: f64,
    /// How many kernels will be launched.
    pub launches: f64,
    /// How many arrays will be copied, each way counted.
    pub arrays: f64,
    /// Threads of a launch, on average; 0 where the compiler does not know.
    pub threads: f64,
    /// Seconds that the host path takes; 0 where the compiler does not know.
    pub host_seconds: f64,
    /// 0 when the estimate is made. Where the host path is to run and its time is of interest, [`tessera_rt_begin`] writes
    /// the time here.
    pub begun: u64,
}

/// A session: `tessera_rt_session` in C, where its contents are unknown.
/// Used by one thread at a time.
#[derive(Debug)]
pub struct Session {
    inner: session::Session,
}

impl Session {
    /// Runs what an exported function does within the session. After a panic the session has failed, and the default is
    /// returned, which says so.
    fn guarded<T: Default>(&mut self, run: impl FnOnce(&mut session::Session) -> T) -> T {
        let _errno = Errno::keep();
        let inner = &mut self.inner;
        catch_unwind(AssertUnwindSafe(|| run(inner))).unwrap_or_else(|_| {
            self.inner.fail(Reason::Panic);
            T::default()
        })
    }
}

/// Returns [`ABI_VERSION`] of the library that was loaded.
#[unsafe(no_mangle)]
pub extern "C" fn tessera_rt_abi_version() -> u32 {
    ABI_VERSION
}

/// Begins a session for a nest; null where the host path is to run.
/// With a null estimate the device is taken only where the user forces it.
///
/// # Safety
///
/// `nest` is null or points to a nest whose pointers hold what they promise, as long as the call lasts. `estimate` is null
/// or points to an estimate, which the call may change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tessera_rt_begin(nest: *const Nest, estimate: *mut Estimate) -> *mut Session {
    if nest.is_null() {
        return std::ptr::null_mut();
    }
    if OWNER.is_off_quietly() {
        return std::ptr::null_mut();
    }
    guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller promises that a nest that is not null can be read; `abi` is its first field in every version.
        let version = unsafe { (&raw const (*nest).abi).read() };
        if !(OLDEST_ABI_VERSION..=ABI_VERSION).contains(&version) {
            OWNER.refuse_version(version);
            return std::ptr::null_mut();
        }
        // SAFETY: as above, and this version has all fields.
        let nest = unsafe { &*nest };
        // SAFETY: the caller promises that the pointers of the nest hold what they promise.
        let Some(description) = (unsafe { Description::new(nest) }) else { return std::ptr::null_mut() };
        // SAFETY: the caller promises null or an estimate that nobody else uses.
        let mut estimate = unsafe { estimate.as_mut() };
        match OWNER.begin(&description, estimate.as_deref()) {
            Some(inner) => Box::into_raw(Box::new(Session { inner })),
            None => {
                if let Some(estimate) = &mut estimate {
                    estimate.begun = OWNER.host_begins(estimate);
                }
                std::ptr::null_mut()
            }
        }
    })
}

/// Brings `bytes` bytes at `host` to the device and returns their address there; 0 after an error. `flags` are the
/// `TESSERA_RT_` constants; without any of them the array is room that only kernels use, and `host` may be null.
///
/// The memory must not change until the session ends; with [`TESSERA_RT_CHANGED`], bytes may that no kernel writes.
///
/// Memory that was given before, with the same address and shape, is one array: the same address is returned. Where one of
/// the two is copied back, the flags of one must have those of the other, and what only the second asks to be copied in must be
/// asked for before the first launch. Other memory must not overlap an array that is copied back.
///
/// # Safety
///
/// `session` is null or was begun and not ended, and no other thread uses it. The memory is readable (with
/// [`TESSERA_RT_UNCERTAIN`] only if it is at the time of this call), with
/// [`TESSERA_RT_OUT`] also writable, until the session ends. With [`TESSERA_RT_CHANGED`] that holds for other threads of the
/// program too, for bytes that no kernel writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tessera_rt_array(session: *mut Session, host: *mut c_void, bytes: u64, flags: u32) -> u64 {
    // SAFETY: the same contract; one row as long as the array.
    unsafe { tessera_rt_rectangle(session, host, bytes, 1, bytes, flags) }
}

/// Brings a rectangle to the device: `rows` rows of `row_bytes` bytes, whose first bytes are `pitch` bytes apart on the
/// host. They are as far apart on the device; what lies between rows is neither read nor written. Returns as
/// [`tessera_rt_array`] does.
///
/// # Safety
///
/// As [`tessera_rt_array`], for each row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tessera_rt_rectangle(
    session: *mut Session,
    host: *mut c_void,
    row_bytes: u64,
    rows: u64,
    pitch: u64,
    flags: u32,
) -> u64 {
    // SAFETY: the caller promises null or a session that no other thread uses.
    let Some(session) = (unsafe { session.as_mut() }) else { return 0 };
    session.guarded(|inner| {
        let shape = Shape::new(row_bytes, rows, pitch);
        // SAFETY: the caller promises that the memory can be read, and written where `flags` say so, until the session ends.
        unsafe { inner.array(host.cast(), shape, flags) }
    })
}

/// Launches kernel number `kernel` of the nest with `grid` blocks of `block` threads and `shared_bytes` of dynamic shared
/// memory, after all that the session did before. `parameters` points to one pointer per parameter of the kernel, each to
/// its value; values are copied before the call returns. A grid or block without any thread does nothing.
///
/// Returns 1, or 0 once the session has failed, so that a long loop of the host may stop early.
///
/// # Safety
///
/// `session` is null or was begun and not ended, and no other thread uses it. `grid` and `block` point to three numbers each,
/// `parameters` to as many pointers to values as the kernel has parameters (it may be null where there are none).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tessera_rt_launch(
    session: *mut Session,
    kernel: u32,
    grid: *const u32,
    block: *const u32,
    shared_bytes: u32,
    parameters: *const *const c_void,
) -> i32 {
    // SAFETY: the caller promises null or a session that no other thread uses.
    let Some(session) = (unsafe { session.as_mut() }) else { return 0 };
    let going_on = session.guarded(|inner| {
        // SAFETY: the caller promises three numbers each.
        let (grid, block) = unsafe { (grid.cast::<[u32; 3]>().read(), block.cast::<[u32; 3]>().read()) };
        // SAFETY: the caller promises a value for each parameter of the kernel.
        unsafe { inner.launch(kernel, grid, block, shared_bytes, parameters) }
    });
    going_on.into()
}

/// Waits for the session's kernels, replaces the host's arrays by the results, and frees the session.
/// Returns 1 after success. Returns 0 after any error: then nothing on the host was changed, and the host path is to run.
///
/// # Safety
///
/// `session` is null or was begun and not ended, and no other thread uses it or will use it again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tessera_rt_end(session: *mut Session) -> i32 {
    if session.is_null() {
        return 0;
    }
    guarded(0, || {
        // SAFETY: a session that is not null came from `Box::into_raw` in `tessera_rt_begin`, and the caller gives it up.
        let session = unsafe { Box::from_raw(session) };
        // SAFETY: the caller of `tessera_rt_array` promised that the arrays can be written until this call ends.
        i32::from(unsafe { session.inner.end() })
    })
}

/// The host path has run after [`tessera_rt_begin`] had written the time into the estimate. Code that does not call this
/// only loses the correction of its estimates.
///
/// # Safety
///
/// `nest` is null or the nest, `estimate` is null or points to the estimate that were given to [`tessera_rt_begin`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tessera_rt_host_done(nest: *const Nest, estimate: *const Estimate) {
    guarded((), || {
        // SAFETY: the caller promises null or an estimate.
        if let Some(estimate) = unsafe { estimate.as_ref() }
            && estimate.begun != 0
        {
            OWNER.host_done(nest.addr(), estimate);
        }
    });
}

/// Runs what an exported function does. A panic is an error of this library: the device is switched off and `otherwise` returned.
fn guarded<T>(otherwise: T, run: impl FnOnce() -> T) -> T {
    let _errno = Errno::keep();
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        OWNER.switch_off(&Reason::Panic);
        otherwise
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn exported_version_is_the_constant() {
        assert_eq!(super::tessera_rt_abi_version(), super::ABI_VERSION);
    }

    #[test]
    fn null_is_answered_without_a_crash() {
        let null = std::ptr::null_mut();
        // SAFETY: every function takes null.
        unsafe {
            assert!(super::tessera_rt_begin(std::ptr::null(), std::ptr::null_mut()).is_null());
            super::tessera_rt_host_done(std::ptr::null(), std::ptr::null());
            assert_eq!(super::tessera_rt_array(null, std::ptr::null_mut(), 8, 0), 0);
            assert_eq!(super::tessera_rt_launch(null, 0, std::ptr::null(), std::ptr::null(), 0, std::ptr::null()), 0);
            assert_eq!(super::tessera_rt_end(null), 0);
        }
    }
}
