//! The functions of isl that are called, as one table that is filled from a loaded library.
//!
//! Every function is declared once, under its signature. `P` is a pointer to any isl object: ownership follows isl's
//! documentation (most functions take their arguments, tests keep them).

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};

/// A pointer to an isl object.
pub type P = *mut c_void;
/// A function that takes one object and gives another.
pub type Give1 = unsafe extern "C" fn(P) -> P;
/// A function that takes two objects and gives another.
pub type Give2 = unsafe extern "C" fn(P, P) -> P;
/// A test of an object that it keeps: 1, 0, or -1 for an error.
pub type Test1 = unsafe extern "C" fn(P) -> c_int;
/// A test of two objects that it keeps: 1, 0, or -1 for an error.
pub type Test2 = unsafe extern "C" fn(P, P) -> c_int;

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

    unsafe extern "C" fn(P, *const c_char) -> P:
        isl_set_read_from_str isl_map_read_from_str isl_union_set_read_from_str isl_union_map_read_from_str;
    unsafe extern "C" fn(P) -> *mut c_char: isl_set_to_str isl_map_to_str isl_union_set_to_str isl_union_map_to_str;

    Give1:
        isl_set_copy isl_map_copy isl_union_set_copy isl_union_map_copy
        isl_set_free isl_map_free isl_union_set_free isl_union_map_free
        isl_union_set_from_set isl_union_map_from_map isl_set_from_basic_set isl_map_from_basic_map
        isl_set_coalesce isl_map_coalesce isl_union_set_coalesce isl_union_map_coalesce
        isl_set_compute_divs isl_map_compute_divs isl_union_set_compute_divs isl_union_map_compute_divs
        isl_set_remove_redundancies isl_map_remove_redundancies
        isl_set_affine_hull isl_map_affine_hull isl_set_simple_hull isl_map_simple_hull
        isl_set_unshifted_simple_hull isl_map_unshifted_simple_hull
        isl_set_lexmin isl_set_lexmax isl_map_lexmin isl_map_lexmax
        isl_union_set_lexmin isl_union_set_lexmax isl_union_map_lexmin isl_union_map_lexmax
        isl_map_reverse isl_map_domain isl_map_range isl_map_deltas isl_map_wrap isl_set_unwrap isl_set_identity
        isl_union_map_reverse isl_union_map_domain isl_union_map_range isl_union_map_deltas isl_union_map_wrap
        isl_union_set_identity isl_union_set_unwrap
        isl_set_params isl_map_params isl_set_complement isl_map_complement
        isl_map_curry isl_map_uncurry isl_map_zip;
    Give2:
        isl_set_union isl_map_union isl_union_set_union isl_union_map_union
        isl_set_intersect isl_map_intersect isl_union_set_intersect isl_union_map_intersect
        isl_set_subtract isl_map_subtract isl_union_set_subtract isl_union_map_subtract
        isl_set_intersect_params isl_map_intersect_params isl_union_set_intersect_params isl_union_map_intersect_params
        isl_set_gist isl_map_gist isl_union_set_gist isl_union_map_gist
        isl_set_gist_params isl_map_gist_params
        isl_set_apply isl_map_apply_range isl_map_apply_domain
        isl_union_set_apply isl_union_map_apply_range isl_union_map_apply_domain
        isl_map_intersect_domain isl_map_intersect_range isl_union_map_intersect_domain isl_union_map_intersect_range
        isl_map_subtract_domain isl_map_subtract_range isl_union_map_subtract_domain
        isl_set_product isl_map_product isl_map_range_product isl_map_domain_product isl_map_flat_range_product
        isl_union_map_range_product isl_union_map_lex_lt_union_map isl_union_map_lex_le_union_map;
    Test1:
        isl_set_is_empty isl_map_is_empty isl_union_set_is_empty isl_union_map_is_empty
        isl_map_is_single_valued isl_map_is_injective isl_map_is_bijective
        isl_union_map_is_single_valued isl_union_map_is_injective;
    Test2:
        isl_set_is_equal isl_map_is_equal isl_union_set_is_equal isl_union_map_is_equal
        isl_set_is_subset isl_map_is_subset isl_union_set_is_subset isl_union_map_is_subset
        isl_set_is_disjoint isl_map_is_disjoint;

    unsafe extern "C" fn(P, c_int) -> c_int: isl_set_dim isl_map_dim;
    unsafe extern "C" fn(P, c_int, c_uint, c_int) -> P: isl_set_fix_si isl_map_fix_si;
    unsafe extern "C" fn(P, c_int, c_uint, c_uint) -> P: isl_set_project_out isl_map_project_out;
    unsafe extern "C" fn(P, *mut c_int) -> P: isl_map_transitive_closure isl_union_map_transitive_closure;
    unsafe extern "C" fn(P) -> c_int: isl_set_n_basic_set isl_map_n_basic_map;
    unsafe extern "C" fn(P, ForEach, P) -> c_int: isl_union_set_foreach_set isl_union_map_foreach_map;
}

/// A callback that takes an object.
pub type ForEach = unsafe extern "C" fn(P, P) -> c_int;
/// isl's numbers of the dimension kinds.
pub const PARAM: c_int = 1;
/// The dimensions of the domain of a map.
pub const IN: c_int = 2;
/// The dimensions of a set, or of the range of a map.
pub const OUT: c_int = 3;
