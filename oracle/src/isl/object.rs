//! Objects of isl, freed when dropped.

use std::ffi::{CStr, c_int, c_void};
use std::fmt;

use libloading::os::unix::Library;

use super::functions::{Read, Show};
use super::{Give1, Isl, P, Result, Test2};

macro_rules! kinds {
    ($($Kind:ident $prefix:literal $equal:literal;)+) => {
        /// The types of isl objects that are handled.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "isl's own types")]
        pub enum Kind { $($Kind),+ }

        impl Kind {
            /// All of them, in order.
            pub const ALL: &[Kind] = &[$(Kind::$Kind),+];

            /// What the names of the functions of the type begin with.
            pub fn prefix(self) -> &'static str {
                match self { $(Kind::$Kind => $prefix),+ }
            }

            /// The test for equality; for some functions only isl's syntactic test exists.
            fn equality(self) -> &'static str {
                match self { $(Kind::$Kind => $equal),+ }
            }
        }
    };
}

kinds! {
    Set "isl_set" "isl_set_is_equal";
    Map "isl_map" "isl_map_is_equal";
    UnionSet "isl_union_set" "isl_union_set_is_equal";
    UnionMap "isl_union_map" "isl_union_map_is_equal";
    Val "isl_val" "isl_val_eq";
    Aff "isl_aff" "isl_aff_plain_is_equal";
    PwAff "isl_pw_aff" "isl_pw_aff_is_equal";
    MultiAff "isl_multi_aff" "isl_multi_aff_plain_is_equal";
    PwMultiAff "isl_pw_multi_aff" "isl_pw_multi_aff_is_equal";
    MultiPwAff "isl_multi_pw_aff" "isl_multi_pw_aff_is_equal";
    UnionPwAff "isl_union_pw_aff" "isl_union_pw_aff_plain_is_equal";
    UnionPwMultiAff "isl_union_pw_multi_aff" "isl_union_pw_multi_aff_plain_is_equal";
    MultiUnionPwAff "isl_multi_union_pw_aff" "isl_multi_union_pw_aff_plain_is_equal";
}

/// What every type has.
pub(crate) struct Basics {
    copy: Give1,
    free: Give1,
    pub(super) read: Read,
    show: Show,
    equal: Test2,
}

impl Basics {
    /// The error is the name of a function that is missing.
    pub(super) fn load(kind: Kind, library: &Library) -> std::result::Result<Basics, String> {
        fn get<F: Copy>(library: &Library, name: String) -> std::result::Result<F, String> {
            // SAFETY: isl declares these functions with these signatures for every type.
            unsafe { library.get::<F>(name.as_bytes()).map(|f| *f).map_err(|_| name) }
        }
        let prefix = kind.prefix();
        Ok(Basics {
            copy: get(library, format!("{prefix}_copy"))?,
            free: get(library, format!("{prefix}_free"))?,
            read: get(library, format!("{prefix}_read_from_str"))?,
            show: get(library, format!("{prefix}_to_str"))?,
            equal: get(library, kind.equality().into())?,
        })
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
        Object { isl, kind, ptr, copy: isl.basics(kind).copy }
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
        self.isl.truth(unsafe { (self.isl.basics(self.kind).equal)(self.ptr, other.ptr) })
    }

    /// A small number; 0 for objects of other types.
    pub fn number(&self) -> i64 {
        if self.kind != Kind::Val {
            return 0;
        }
        // SAFETY: the object is a number.
        unsafe { (self.isl.functions().isl_val_get_num_si)(self.ptr) }
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

    /// The disjuncts of a set.
    pub fn disjuncts(&self) -> Result<Vec<Object<'l>>> {
        let mut pointers: Vec<P> = Vec::new();
        let f = self.isl.functions();
        if self.kind != Kind::Set {
            return Ok(Vec::new());
        }
        // SAFETY: the object is a set; `collect` gets the vector and owns what it is given.
        let status = unsafe { (f.isl_set_foreach_basic_set)(self.ptr, collect, (&raw mut pointers).cast()) };
        // SAFETY: every pointer is a basic set.
        let sets = pointers.into_iter().map(|p| self.isl.object(Kind::Set, unsafe { (f.isl_set_from_basic_set)(p) }));
        let sets = sets.collect();
        if status < 0 { Err(self.isl.failure()) } else { sets }
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
        unsafe { (self.isl.basics(self.kind).free)(self.ptr) };
    }
}

impl fmt::Display for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the object is valid; the text is allocated with malloc and freed here.
        unsafe {
            let text = (self.isl.basics(self.kind).show)(self.ptr);
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
