//! `include/tessera_rt.h`, `abi.rs` and the built library say the same.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::mem::{align_of, offset_of, size_of};
use std::path::Path;
use std::process::Command;

use crate::support;
use tessera_rt::abi::{self, Estimate, Nest};

/// Numbers of the Rust side, as assertions in C.
#[test]
fn structures_and_constants_agree() {
    let mut program = String::from("#include <stddef.h>\n#include \"tessera_rt.h\"\n");
    let mut claim = |c: &str, rust: usize| writeln!(program, "_Static_assert({c} == {rust}, \"{c}\");").unwrap();
    claim("TESSERA_RT_ABI_VERSION", abi::ABI_VERSION as usize);
    claim("TESSERA_RT_IN", abi::TESSERA_RT_IN as usize);
    claim("TESSERA_RT_OUT", abi::TESSERA_RT_OUT as usize);
    claim("TESSERA_RT_OVERWRITTEN", abi::TESSERA_RT_OVERWRITTEN as usize);
    claim("TESSERA_RT_CHANGED", abi::TESSERA_RT_CHANGED as usize);
    claim("TESSERA_RT_UNCERTAIN", abi::TESSERA_RT_UNCERTAIN as usize);
    macro_rules! fields {
        ($rust:ty, $c:literal: $($field:ident)*) => {
            claim(concat!("sizeof(", $c, ")"), size_of::<$rust>());
            claim(concat!("_Alignof(", $c, ")"), align_of::<$rust>());
            $( claim(concat!("offsetof(", $c, ", ", stringify!($field), ")"), offset_of!($rust, $field)); )*
        };
    }
    fields!(Nest, "tessera_rt_nest": abi kernel_count name ptx ptx_bytes kernels);
    fields!(Estimate, "tessera_rt_estimate": operations doubles traffic bytes_in bytes_out launches arrays threads host_seconds begun);
    let source = support::programs().folder.join("agree.c");
    fs::write(&source, program).unwrap();
    support::compile(&source, &source.with_extension("o"), &[OsStr::new("-c")]);
    let plus = source.with_extension("cc");
    fs::write(&plus, "#include \"tessera_rt.h\"\nint main() { return tessera_rt_end(nullptr); }\n").unwrap();
    support::compile(&plus, &plus.with_extension("o"), &[OsStr::new("-c")]);
}

#[test]
fn the_library_exports_what_the_header_declares_and_nothing_else() {
    let header = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("include/tessera_rt.h")).unwrap();
    let code: String = header.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, code)| code)).collect();
    let declared: BTreeSet<&str> = code
        .split('(')
        .filter_map(|before| before.rsplit(|c: char| !c.is_ascii_lowercase() && c != '_').next())
        .filter(|name| name.starts_with("tessera_rt_"))
        .collect();
    assert!(declared.contains("tessera_rt_begin") && declared.len() == 7, "{declared:?}");

    let listed = Command::new("llvm-nm-22")
        .args(["-D", "--defined-only", "--format=just-symbols"])
        .arg(support::library())
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert_eq!(listed.lines().map(str::trim).collect::<BTreeSet<_>>(), declared);
}
