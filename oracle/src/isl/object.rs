//! Objects of isl, freed when dropped.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;

use super::{Functions, Give1, Isl, P, Result, Test2};

/// The types of isl objects that are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "isl's own types")]
pub enum Kind {
    Set,
    Map,
    UnionSet,
    UnionMap,
}

/// What every type has.
pub(super) struct Basics {
    pub(super) copy: Give1,
    free: Give1,
    pub(super) read: unsafe extern "C" fn(P, *const c_char) -> P,
    show: unsafe extern "C" fn(P) -> *mut c_char,
    equal: Test2,
}

macro_rules! basics {
    ($f:ident: $copy:ident $free:ident $read:ident $show:ident $equal:ident) => {
        Basics { copy: $f.$copy, free: $f.$free, read: $f.$read, show: $f.$show, equal: $f.$equal }
    };
}

impl Kind {
    pub(super) fn basics(self, f: &Functions) -> Basics {
        match self {
            Kind::Set => {
                basics!(f: isl_set_copy isl_set_free isl_set_read_from_str isl_set_to_str isl_set_is_equal)
            }
            Kind::Map => {
                basics!(f: isl_map_copy isl_map_free isl_map_read_from_str isl_map_to_str isl_map_is_equal)
            }
            Kind::UnionSet => basics!(f: isl_union_set_copy isl_union_set_free isl_union_set_read_from_str
                isl_union_set_to_str isl_union_set_is_equal),
            Kind::UnionMap => basics!(f: isl_union_map_copy isl_union_map_free isl_union_map_read_from_str
                isl_union_map_to_str isl_union_map_is_equal),
        }
    }
}

/// One isl object.
pub struct Object<'l> {
    isl: &'l Isl,
    kind: Kind,
    ptr: P,
    copy: Give1,
}

impl<'l> Object<'l> {
    pub(super) fn new(isl: &'l Isl, kind: Kind, ptr: P) -> Object<'l> {
        Object { isl, kind, ptr, copy: kind.basics(isl.functions()).copy }
    }

    /// Its type.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The build it belongs to.
    pub fn isl(&self) -> &'l Isl {
        self.isl
    }

    /// For functions that keep their argument.
    pub fn keep(&self) -> P {
        self.ptr
    }

    /// Another reference, for functions that take their argument.
    pub fn take(&self) -> P {
        // SAFETY: the object is valid.
        unsafe { (self.copy)(self.ptr) }
    }

    /// Whether isl finds both equal.
    pub fn is_equal(&self, other: &Object<'_>) -> Result<bool> {
        // SAFETY: both objects are valid and of one type.
        self.isl.truth(unsafe { (self.kind.basics(self.isl.functions()).equal)(self.ptr, other.ptr) })
    }

    /// The sets or maps of a union, one per space.
    pub fn members(&self) -> Result<Vec<Object<'l>>> {
        let mut pointers: Vec<P> = Vec::new();
        let f = self.isl.functions();
        let user: P = (&raw mut pointers).cast();
        // SAFETY: the object has the type that the function wants; `collect` gets the vector and owns what it is given.
        let (kind, status) = unsafe {
            match self.kind {
                Kind::UnionSet => (Kind::Set, (f.isl_union_set_foreach_set)(self.ptr, collect, user)),
                Kind::UnionMap => (Kind::Map, (f.isl_union_map_foreach_map)(self.ptr, collect, user)),
                kind => {
                    pointers.push(self.take());
                    (kind, 0)
                }
            }
        };
        let members = pointers.into_iter().map(|ptr| Object::new(self.isl, kind, ptr)).collect();
        if status < 0 { Err(self.isl.failure()) } else { Ok(members) }
    }

    /// The number of disjuncts, over all members.
    pub fn n_disjuncts(&self) -> Result<usize> {
        let f = self.isl.functions();
        let mut n = 0;
        for member in self.members()? {
            // SAFETY: the object has the type that the function wants.
            let count = unsafe {
                match member.kind {
                    Kind::Set => (f.isl_set_n_basic_set)(member.ptr),
                    Kind::Map => (f.isl_map_n_basic_map)(member.ptr),
                    _ => 1,
                }
            };
            n += usize::try_from(count).map_err(|_| self.isl.failure())?;
        }
        Ok(n)
    }
}

unsafe extern "C" fn collect(object: P, user: P) -> c_int {
    // SAFETY: `members` passes a vector of pointers.
    unsafe { (*user.cast::<Vec<P>>()).push(object) };
    0
}

impl Drop for Object<'_> {
    fn drop(&mut self) {
        // SAFETY: the reference is owned and not used afterwards.
        unsafe { (self.kind.basics(self.isl.functions()).free)(self.ptr) };
    }
}

impl fmt::Display for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the object is valid; the text is allocated with malloc and freed here.
        unsafe {
            let text = (self.kind.basics(self.isl.functions()).show)(self.ptr);
            if text.is_null() {
                return f.write_str("(isl could not print this)");
            }
            let result = f.write_str(&CStr::from_ptr(text).to_string_lossy());
            free(text.cast());
            result
        }
    }
}

unsafe extern "C" {
    fn free(pointer: *mut c_void);
}
