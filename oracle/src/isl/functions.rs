//! The functions of isl that are called under a fixed name. All others are looked up by the name that the table of
//! operations gives, under one of the common signatures.
//!
//! `P` is a pointer to any isl object: ownership follows isl's documentation (most functions take their arguments,
//! tests keep them).

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};

/// A pointer to an isl object.
pub type P = *mut c_void;
/// A function that takes one object and gives another.
pub type Give1 = unsafe extern "C" fn(P) -> P;
/// A function that takes two objects and gives another.
pub type Give2 = unsafe extern "C" fn(P, P) -> P;
/// A function that takes three objects and gives another.
pub type Give3 = unsafe extern "C" fn(P, P, P) -> P;
/// A test of an object that it keeps: 1, 0, or -1 for an error.
pub type Test1 = unsafe extern "C" fn(P) -> c_int;
/// A test of two objects that it keeps: 1, 0, or -1 for an error.
pub type Test2 = unsafe extern "C" fn(P, P) -> c_int;
/// A callback that takes an object.
pub type ForEach = unsafe extern "C" fn(P, P) -> c_int;
/// Reads an object.
pub(super) type Read = unsafe extern "C" fn(P, *const c_char) -> P;
/// Writes an object to a text that is freed with `free`.
pub(super) type Show = unsafe extern "C" fn(P) -> *mut c_char;

macro_rules! functions {
    ($($Signature:ty: $($name:ident)+;)+) => {
        /// The function table; see the module.
        #[allow(missing_docs, reason = "documented by isl")]
        pub struct Functions { $($(pub $name: $Signature,)+)+ }

        impl Functions {
            /// Looks every function up. The error is the name of the first one that is missing.
            pub(super) fn load(library: &libloading::os::unix::Library) -> Result<Functions, String> {
                Ok(Functions { $($($name: {
                    let name = stringify!($name);
                    // SAFETY: the signature is the one that isl's headers declare for this name.
                    match unsafe { library.get::<$Signature>(name.as_bytes()) } {
                        Ok(function) => *function,
                        Err(_) => return Err(name.into()),
                    }
                },)+)+ })
            }
        }
    };
}

functions! {
    unsafe extern "C" fn() -> P: isl_ctx_alloc;
    unsafe extern "C" fn(P) -> (): isl_ctx_free isl_ctx_reset_operations isl_ctx_reset_error;
    unsafe extern "C" fn(P, c_ulong) -> (): isl_ctx_set_max_operations;
    unsafe extern "C" fn(P, c_int) -> c_int: isl_options_set_on_error;
    unsafe extern "C" fn(P) -> c_int: isl_ctx_last_error;
    unsafe extern "C" fn(P) -> *const c_char: isl_ctx_last_error_msg;
    Give1: isl_set_reset_tuple_id isl_set_from_basic_set;
    unsafe extern "C" fn(P) -> c_int: isl_set_n_basic_set isl_map_n_basic_map;
    unsafe extern "C" fn(P, ForEach, P) -> c_int: isl_union_set_foreach_set isl_union_map_foreach_map isl_set_foreach_basic_set;
    unsafe extern "C" fn(P, c_int) -> c_int: isl_set_dim isl_map_dim;
    unsafe extern "C" fn(P) -> std::ffi::c_long: isl_val_get_num_si;
    unsafe extern "C" fn(P, c_int, c_uint, P) -> P:
        isl_set_fix_val isl_set_lower_bound_val isl_set_upper_bound_val;
    unsafe extern "C" fn(P, c_int, c_uint, c_uint) -> P:
        isl_set_project_out isl_map_project_out isl_set_eliminate isl_map_eliminate;
}

/// isl's numbers of the dimension kinds.
pub const PARAM: c_int = 1;
/// The dimensions of the domain of a map.
pub const IN: c_int = 2;
/// The dimensions of a set, or of the range of a map.
pub const OUT: c_int = 3;
