//! Builds of isl, loaded at run time, and their objects.
//!
//! Two builds are known: Polly's (small integers are kept inline; the fast one) and Debian's (every integer is a GMP
//! integer). Both are opened with local symbol scope, so both can live in one process. isl counts its own operations:
//! [`Isl::set_limit`] makes it give up instead of running for ever.

mod ast;
mod flow;
mod functions;
mod object;
mod schedule;
mod yaml;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::fmt;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

pub use ast::Schedule as AstSchedule;
pub use flow::FlowInput;
pub use functions::{ForEach, Functions, Give1, Give2, Give3, IN, OUT, P, PARAM, Test1, Test2};
pub use object::{Kind, Object};
pub use schedule::{Constraints, Schedule};
pub use yaml::Composite;

use object::Basics;

/// Why isl gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The limit on operations was reached.
    Quota,
    /// This build has no function of that name.
    Missing(&'static str),
    /// An error, in isl's words.
    Error(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Quota => f.write_str("isl gave up: its limit on operations is reached"),
            Failure::Missing(name) => write!(f, "this build of isl has no {name}"),
            Failure::Error(text) => write!(f, "isl: {text}"),
        }
    }
}

impl std::error::Error for Failure {}

/// isl's answer.
pub type Result<T> = std::result::Result<T, Failure>;

/// isl's number for "quota exceeded", and for "note the error and go on".
const ERROR_QUOTA: i32 = 6;
const ON_ERROR_CONTINUE: i32 = 1;

/// One loaded build of isl with one context.
pub struct Isl {
    name: &'static str,
    functions: Functions,
    /// By number of the kind.
    basics: Vec<Basics>,
    /// Functions looked up by name: addresses.
    symbols: RefCell<HashMap<&'static str, P>>,
    ctx: P,
    library: Library,
}

impl Isl {
    /// Polly's build: recent, integers of up to 32 bits inline.
    pub fn polly() -> std::result::Result<Isl, String> {
        let path = env!("TESSERA_POLLY_ISL");
        if path.is_empty() {
            return Err(
                "libPollyISL.a was missing when this was built: install libpolly-22-dev (scripts/setup does), \
                        then run `cargo clean -p tessera-oracle`"
                    .into(),
            );
        }
        Isl::open("PollyISL", path)
    }

    /// Debian's build: every integer is a GMP integer.
    pub fn debian() -> std::result::Result<Isl, String> {
        Isl::open("Debian isl", "libisl.so.23").map_err(|e| format!("{e}: install libisl23 (scripts/setup does)"))
    }

    fn open(name: &'static str, path: &str) -> std::result::Result<Isl, String> {
        // SAFETY: isl has no initialisers that run code on loading.
        let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }
            .map_err(|e| format!("{name}: could not load {path}: {e}"))?;
        let missing = |f: String| format!("{name}: {path} has no function {f}");
        let functions = Functions::load(&library).map_err(missing)?;
        let basics = Kind::ALL.iter().map(|k| Basics::load(*k, &library)).collect::<std::result::Result<_, _>>();
        // SAFETY: no arguments.
        let ctx = unsafe { (functions.isl_ctx_alloc)() };
        if ctx.is_null() {
            return Err(format!("{name}: no context"));
        }
        // SAFETY: the context is valid.
        unsafe { (functions.isl_options_set_on_error)(ctx, ON_ERROR_CONTINUE) };
        Ok(Isl { name, functions, basics: basics.map_err(missing)?, symbols: RefCell::default(), ctx, library })
    }

    /// What this build is called in tables.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The functions under fixed names.
    pub fn functions(&self) -> &Functions {
        &self.functions
    }

    pub(crate) fn basics(&self, kind: Kind) -> &Basics {
        &self.basics[kind as usize]
    }

    /// The function of that name, of whatever type `F` the caller says.
    ///
    /// # Safety
    /// `F` must be the type of a pointer to a function of the signature that isl declares for this name.
    pub unsafe fn function<F: Copy>(&self, name: &'static str) -> Result<F> {
        const { assert!(size_of::<F>() == size_of::<P>()) };
        let known = self.symbols.borrow().get(name).copied();
        let address = match known {
            Some(address) => address,
            None => {
                // SAFETY: only the address is taken.
                let symbol = unsafe { self.library.get::<P>(name.as_bytes()) };
                let address = symbol.map_err(|_| Failure::Missing(name))?.into_raw();
                self.symbols.borrow_mut().insert(name, address);
                address
            }
        };
        // SAFETY: a function pointer is as wide as an address, and the caller vouches for its type.
        Ok(unsafe { std::mem::transmute_copy::<P, F>(&address) })
    }

    /// Lets isl give up after so many of its own operations, counted from now; 0 for no limit.
    pub fn set_limit(&self, operations: u64) {
        // SAFETY: the context is valid as long as `self`.
        unsafe {
            (self.functions.isl_ctx_reset_operations)(self.ctx);
            (self.functions.isl_ctx_set_max_operations)(self.ctx, operations);
        }
    }

    /// Why the last call failed; forgets the error.
    pub fn failure(&self) -> Failure {
        // SAFETY: the context is valid, the message is a static text.
        unsafe {
            let error = (self.functions.isl_ctx_last_error)(self.ctx);
            let message = (self.functions.isl_ctx_last_error_msg)(self.ctx);
            let text = if message.is_null() {
                format!("error {error}")
            } else {
                CStr::from_ptr(message).to_string_lossy().into_owned()
            };
            (self.functions.isl_ctx_reset_error)(self.ctx);
            if error == ERROR_QUOTA { Failure::Quota } else { Failure::Error(text) }
        }
    }

    /// The meaning of an `isl_bool`.
    pub fn truth(&self, value: i32) -> Result<bool> {
        if value < 0 { Err(self.failure()) } else { Ok(value != 0) }
    }

    /// Reads an object.
    pub fn read(&self, kind: Kind, text: &str) -> Result<Object<'_>> {
        let text = CString::new(text).map_err(|_| Failure::Error("a text with a zero byte".into()))?;
        // SAFETY: the context and the text are valid during the call.
        let ptr = unsafe { (self.basics(kind).read)(self.ctx, text.as_ptr()) };
        self.object(kind, ptr)
    }

    /// Owns what a function gave.
    pub fn object(&self, kind: Kind, ptr: P) -> Result<Object<'_>> {
        if ptr.is_null() { Err(self.failure()) } else { Ok(Object::new(self, kind, ptr)) }
    }

    /// The result of a function of one object, which is kept.
    ///
    /// # Safety
    /// isl's function of that name takes one object of the type of `a` and gives one of type `kind`.
    pub unsafe fn give1<'l>(&'l self, name: &'static str, kind: Kind, a: &Object<'_>) -> Result<Object<'l>> {
        // SAFETY: the caller vouches for the signature.
        let ptr = unsafe { self.function::<Give1>(name)?(a.take()) };
        self.object(kind, ptr)
    }

    /// The result of a function of two objects, which are kept.
    ///
    /// # Safety
    /// isl's function of that name takes two objects of the types of `a` and `b` and gives one of type `kind`.
    pub unsafe fn give2<'l>(
        &'l self,
        name: &'static str,
        kind: Kind,
        a: &Object<'_>,
        b: &Object<'_>,
    ) -> Result<Object<'l>> {
        // SAFETY: the caller vouches for the signature.
        let ptr = unsafe { self.function::<Give2>(name)?(a.take(), b.take()) };
        self.object(kind, ptr)
    }

    /// The result of a test of two objects.
    ///
    /// # Safety
    /// isl's function of that name is a test that keeps two objects of the types of `a` and `b`.
    pub unsafe fn test2(&self, name: &'static str, a: &Object<'_>, b: &Object<'_>) -> Result<bool> {
        // SAFETY: the caller vouches for the signature.
        self.truth(unsafe { self.function::<Test2>(name)?(a.keep(), b.keep()) })
    }
}

impl Drop for Isl {
    fn drop(&mut self) {
        // SAFETY: objects borrow `self`, so none is left.
        unsafe { (self.functions.isl_ctx_free)(self.ctx) }
    }
}
