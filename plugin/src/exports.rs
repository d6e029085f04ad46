//! What the host compiler and the C++ shim call: the top of the plugin, which `host` is the bottom of. No panic leaves these functions.

use crate::entry::{self, Config};
use crate::host::{ContextRef, Session, catch, emit_error, install_hook, tessera_register};
use crate::options::{Options, Position};
use crate::pipeline::Mode;
use std::ffi::{c_char, c_int, c_void};

/// LLVM's `PassPluginLibraryInfo`.
#[repr(C)]
#[derive(Debug)]
pub struct PassPluginLibraryInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: unsafe extern "C" fn(*mut c_void),
    pre_code_gen: Option<unsafe extern "C" fn()>,
}

/// `LLVM_PLUGIN_API_VERSION` of LLVM 22.
const PLUGIN_API_VERSION: u32 = 2;

/// A C string that ends with the crate's version.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// The entry point that every host looks for.
// SAFETY: no other library of the process may export the name to this one: hosts look it up in the plugin by its handle.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    PassPluginLibraryInfo {
        api_version: PLUGIN_API_VERSION,
        name: c"tessera".as_ptr(),
        version: VERSION.as_ptr().cast(),
        register: tessera_register,
        pre_code_gen: None,
    }
}

const CHANGED: c_int = 1;
const CLEANUP: c_int = 2;

/// The text of `length` bytes at `start`; null is the empty text.
///
/// # Safety
/// `start` is null or points to `length` bytes that live as long as the result.
unsafe fn text<'t>(start: *const c_char, length: usize) -> std::borrow::Cow<'t, str> {
    if start.is_null() {
        return std::borrow::Cow::Borrowed("");
    }
    // SAFETY: promised by the caller.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) })
}

/// Runs the pass on the function of the context; the result has bit 0 set when it was changed, bit 1 when it should be cleaned up.
///
/// # Safety
/// Called by the shim only: both pointers are live, and the function is touched by nobody else during the call.
// SAFETY: the name is the project's own.
#[unsafe(no_mangle)]
unsafe extern "C" fn tessera_run_on_function(context: ContextRef, config: *const Config) -> c_int {
    // SAFETY: the shim passes what `tessera_config_new` gave it.
    let config = unsafe { &*config };
    install_hook();
    let outcome = catch(|| {
        let mut session = Session::new(context, config.fault());
        let name = session.analyses().function().name();
        entry::run(&mut session, config, &name)
    });
    match outcome {
        Ok(outcome) => {
            (if outcome.changed { CHANGED } else { 0 }) | (if outcome.changed && outcome.cleanup { CLEANUP } else { 0 })
        }
        Err(panic) => {
            // The clean-up after a run failed: the function may be half changed, so the compilation must not succeed.
            let message = format!("internal error outside of all phases: {panic}; the function may be damaged");
            // SAFETY: the shim's context is live during the call.
            unsafe { emit_error(context, &message) };
            CHANGED
        }
    }
}

/// Makes a configuration from pass parameters and the command line; the environment is read here too.
///
/// # Safety
/// Called by the shim only: each text is null or has the given length.
// SAFETY: the name is the project's own.
#[unsafe(no_mangle)]
unsafe extern "C" fn tessera_config_new(
    parameters: *const c_char,
    parameters_length: usize,
    command_line: *const c_char,
    command_line_length: usize,
    kind: c_int,
) -> *mut Config {
    // SAFETY: promised by the shim.
    let (parameters, command_line) =
        unsafe { (text(parameters, parameters_length), text(command_line, command_line_length)) };
    let mode = if kind == 0 { Mode::Transform } else { Mode::Print };
    Box::into_raw(Box::new(Config::new(&parameters, &command_line, mode)))
}

/// Frees a configuration.
///
/// # Safety
/// Called by the shim only, once for each configuration.
// SAFETY: the name is the project's own.
#[unsafe(no_mangle)]
unsafe extern "C" fn tessera_config_free(config: *mut Config) {
    // SAFETY: the pointer came from `Box::into_raw` in `tessera_config_new` and is freed once.
    drop(unsafe { Box::from_raw(config) });
}

/// Writes the complaint about pass parameters; its length, or 0 when they are right.
///
/// # Safety
/// Called by the shim only: the text has the given length and the buffer the given capacity.
// SAFETY: the name is the project's own.
#[unsafe(no_mangle)]
unsafe extern "C" fn tessera_config_check(
    parameters: *const c_char,
    parameters_length: usize,
    buffer: *mut c_char,
    capacity: usize,
) -> usize {
    // SAFETY: promised by the shim.
    let parameters = unsafe { text(parameters, parameters_length) };
    let Err(error) = Options::default().apply(&parameters) else { return 0 };
    let message = error.to_string();
    let length = message.len().min(capacity);
    // SAFETY: the buffer has `capacity` bytes and does not overlap the message.
    unsafe { message.as_ptr().copy_to_nonoverlapping(buffer.cast(), length) };
    length
}

/// Where in the default pipeline the pass shall stand: 0 for nowhere, 1 for before the vectoriser, 2 for early.
///
/// # Safety
/// Called by the shim only, with a live configuration.
// SAFETY: the name is the project's own.
#[unsafe(no_mangle)]
unsafe extern "C" fn tessera_config_position(config: *const Config) -> c_int {
    // SAFETY: promised by the shim.
    match unsafe { &*config }.position() {
        None => 0,
        Some(Position::Vectorizer) => 1,
        Some(Position::Early) => 2,
    }
}
