//! isl's AST generator: a schedule tree in YAML or a schedule relation with options, a context, and the code as C.

use std::ffi::{CStr, CString, c_char};
use std::time::{Duration, Instant};

use super::functions::{Give1, Give2, P, Read, Show};
use super::object::{Kind, Object};
use super::{Failure, Isl, Result};

unsafe extern "C" {
    fn free(ptr: *mut std::ffi::c_void);
}

/// What code is generated from.
pub enum Schedule<'a> {
    /// A schedule tree in YAML.
    Tree(&'a str),
    /// A schedule relation, and options if there are any.
    Relation(&'a str, Option<&'a str>),
}

/// An owned pointer and the function that frees it.
struct Owned {
    ptr: P,
    release: Give1,
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the pointer is owned and of the type that the function frees; isl's functions that free take null
        // too.
        unsafe { (self.release)(self.ptr) };
    }
}

impl Isl {
    /// Owns what a function gave, to be freed by the function of that name.
    ///
    /// # Safety
    /// `ptr` is owned and null or of the type that isl's function `release` frees.
    unsafe fn own(&self, ptr: P, release: &'static str) -> Result<Owned> {
        // SAFETY: functions that free one object have this signature.
        let release = unsafe { self.function::<Give1>(release)? };
        if ptr.is_null() { Err(self.failure()) } else { Ok(Owned { ptr, release }) }
    }

    /// The code that isl generates in a context (a set in isl's notation), and how long that took; reading and printing
    /// do not count.
    pub fn generate(&self, schedule: &Schedule<'_>, context: &str) -> Result<(String, Duration)> {
        let context = self.read(Kind::Set, context)?;
        let prepare = |options: Option<&Object<'_>>| -> Result<Owned> {
            // SAFETY: isl declares these signatures; both functions take what they are given.
            unsafe {
                let build = self.function::<Give1>("isl_ast_build_from_context")?(context.take());
                let mut build = self.own(build, "isl_ast_build_free")?;
                if let Some(options) = options {
                    let ptr = std::mem::replace(&mut build.ptr, std::ptr::null_mut());
                    build.ptr = self.function::<Give2>("isl_ast_build_set_options")?(ptr, options.take());
                    if build.ptr.is_null() {
                        return Err(self.failure());
                    }
                }
                Ok(build)
            }
        };
        let (node, time) = match schedule {
            Schedule::Tree(text) => {
                let text = CString::new(*text).map_err(|_| Failure::Error("a text with a zero byte".into()))?;
                // SAFETY: isl declares these signatures; the schedule is taken by the generator, the build is kept.
                unsafe {
                    let read = self.function::<Read>("isl_schedule_read_from_str")?;
                    let tree = read(self.ctx, text.as_ptr().cast::<c_char>());
                    if tree.is_null() {
                        return Err(self.failure());
                    }
                    let generate = self.function::<Give2>("isl_ast_build_node_from_schedule")?;
                    let start = Instant::now();
                    let build = prepare(None)?;
                    let node = generate(build.ptr, tree);
                    (node, start.elapsed())
                }
            }
            Schedule::Relation(text, options) => {
                let relation = self.read(Kind::UnionMap, text)?;
                let options = options.map(|text| self.read(Kind::UnionMap, text)).transpose()?;
                // SAFETY: isl declares this signature; the relation is taken, the build is kept.
                unsafe {
                    let generate = self.function::<Give2>("isl_ast_build_node_from_schedule_map")?;
                    let start = Instant::now();
                    let build = prepare(options.as_ref())?;
                    let node = generate(build.ptr, relation.take());
                    (node, start.elapsed())
                }
            }
        };
        // SAFETY: the node is owned; the text is allocated with malloc and freed here.
        unsafe {
            let node = self.own(node, "isl_ast_node_free")?;
            let text = self.function::<Show>("isl_ast_node_to_C_str")?(node.ptr);
            if text.is_null() {
                return Err(self.failure());
            }
            let result = CStr::from_ptr(text).to_string_lossy().into_owned();
            free(text.cast());
            Ok((result, time))
        }
    }
}
