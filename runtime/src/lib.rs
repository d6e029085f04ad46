//! `libtessera_rt.so`: what generated code calls at run time.
//!
//! Sequential code, which is all that Tessera emits so far, calls nothing here.
//! The library exists for one reason already: generated code and runtime agree on [`ABI_VERSION`], and a runtime that
//! answers another number is refused with a sentence instead of being called.

/// The version of the C interface between generated code and this library.
///
/// It changes whenever the meaning or the signature of an exported function changes.
pub const ABI_VERSION: u32 = 1;

/// Returns [`ABI_VERSION`] of the library that was loaded.
#[unsafe(no_mangle)]
pub extern "C" fn tessera_rt_abi_version() -> u32 {
    ABI_VERSION
}

#[cfg(test)]
mod tests {
    #[test]
    fn exported_version_is_the_constant() {
        assert_eq!(super::tessera_rt_abi_version(), super::ABI_VERSION);
    }
}
