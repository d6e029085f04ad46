//! Numbers that a program cuts to a narrow width are computed in that width: LLVM's vectoriser takes twice as many at a time.

use tessera_tests::corpus::{function_in_ir, has_tessera_blocks};
use tessera_tests::host::{Compilation, Host, Product};
use tessera_tests::plugin::{Plugin, workspace};
use tessera_tests::process::Failure;

#[test]
fn narrow_numbers_are_computed_in_their_width() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let source = workspace().join("tests/programs/c/widths.c");
    let folder = tempfile::tempdir().map_err(|error| Failure::new("a temporary folder", error.to_string()))?;
    let path = folder.path().join("widths.ll");
    // New code stays in its function, so that both are looked at together.
    let compilation =
        Compilation::with(Host::Clang, &plugin, "outline=off").flags(&["-march=x86-64-v3", "-fno-unroll-loops"]);
    compilation.compile(&source, Product::Ir, &path)?;
    let ir = std::fs::read_to_string(&path).map_err(|error| Failure::new("the IR", error.to_string()))?;
    for kernel in ["k_float_of_difference", "k_int16", "k_int8", "k_product"] {
        let function = function_in_ir(&ir, kernel).ok_or_else(|| Failure::new(kernel, "not in the IR"))?;
        assert!(has_tessera_blocks(function), "{kernel} has no new code");
        // The old loops are not vectorised: their accesses go down columns.
        let vectors: Vec<&str> = function.lines().filter(|line| line.contains(" x i64>")).collect();
        assert!(vectors.is_empty(), "{kernel}: {vectors:#?}");
        assert!(
            function.contains(" x i32>") || function.contains(" x i16>") || function.contains(" x i8>"),
            "{kernel}"
        );
    }
    Ok(())
}
