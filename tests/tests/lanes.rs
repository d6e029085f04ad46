//! Chains of operations that run side by side: their numbers stay in registers, and rows that they go along are not gathered into
//! vectors.

use tessera_tests::corpus::function_in_ir;
use tessera_tests::host::{Compilation, Host, Product};
use tessera_tests::plugin::{Plugin, workspace};
use tessera_tests::process::Failure;

/// The functions with the new code of a kernel of the corpus, compiled for AVX-512, as LLVM IR.
fn new_code(kernel: &str) -> Result<Vec<String>, Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().map_err(|error| Failure::new("a temporary folder", error.to_string()))?;
    let path = folder.path().join("kernel.ll");
    let compilation = Compilation::with(Host::Clang, &plugin, "").flags(&["-march=x86-64-v4"]);
    compilation.compile(&workspace().join("tests/corpus").join(kernel), Product::Ir, &path)?;
    let ir = std::fs::read_to_string(&path).map_err(|error| Failure::new("the IR", error.to_string()))?;
    let name =
        |line: &str| line.split_once('@').and_then(|(_, rest)| rest.split_once('(')).map(|(name, _)| name.to_owned());
    let names = ir.lines().filter(|line| line.starts_with("define ") && line.contains(".tessera")).filter_map(name);
    Ok(names.filter_map(|name| function_in_ir(&ir, &name).map(str::to_owned)).collect())
}

#[test]
fn filters_of_rows_keep_their_state_in_registers() -> Result<(), Failure> {
    let functions = new_code("c99/deriche.c")?;
    // Along the rows from both sides; the other two go along columns, with copies in memory.
    let jammed: Vec<&String> = functions.iter().filter(|text| text.contains("arithmetic.fence")).collect();
    assert_eq!(jammed.len(), 2, "{functions:#?}");
    for text in jammed {
        let is_row = |block: &&str| block.contains("arithmetic.fence");
        let block =
            text.split("\n\n").find(is_row).ok_or_else(|| Failure::new("deriche", "no loop over eight rows"))?;
        let count = |what: &str| block.lines().filter(|line| line.contains(what)).count();
        let stores = count("store float");
        assert!(stores >= 8 && stores.is_multiple_of(8), "{block}");
        // What two statements compute alike is there once: four operations for each of the rows.
        assert_eq!(count("@llvm.fmuladd.f32(") + count(" fmul "), 4 * stores, "{block}");
        // The state of the filters is in registers: only the image is read, and only the result written.
        assert_eq!(count("= load float"), stores, "{block}");
    }
    Ok(())
}

#[test]
fn rows_are_not_gathered() -> Result<(), Failure> {
    for kernel in ["user/row_means.c", "user/atax_rows.c", "c99/gesummv.c"] {
        let functions = new_code(kernel)?;
        assert!(!functions.is_empty(), "{kernel} has no new code");
        for text in functions {
            assert!(!text.contains("masked.gather"), "{kernel}: {text}");
        }
    }
    Ok(())
}

/// Rows divided by their sums: the divisions become vectors along the rows.
#[test]
fn loops_without_chains_become_vectors() -> Result<(), Failure> {
    let functions = new_code("user/softmax_rows.c")?;
    assert_eq!(functions.len(), 1, "{functions:#?}");
    assert!(functions[0].contains("fdiv <"), "{}", functions[0]);
    Ok(())
}

/// Copies of rows that become columns go through registers: a square of vectors is loaded, shuffled and stored.
#[test]
fn copies_transpose_in_registers() -> Result<(), Failure> {
    let functions = new_code("c99/cholesky.c")?;
    assert_eq!(functions.len(), 1, "{functions:#?}");
    assert!(!functions[0].contains("masked.gather"), "{}", functions[0]);
    let count = |block: &str, what: &str| block.lines().filter(|line| line.contains(what)).count();
    let squares: Vec<&str> =
        functions[0].split("\n\n").filter(|block| count(block, "shufflevector") > count(block, "poison,")).collect();
    // One before the product of rows in front of a block, one before that of the block itself.
    assert_eq!(squares.len(), 2, "{}", functions[0]);
    for square in squares {
        let lanes = count(square, "= load <");
        assert!(lanes.is_power_of_two() && lanes >= 4, "{square}");
        assert_eq!(count(square, "  store <"), lanes, "{square}");
        let shuffles =
            square.lines().filter(|line| line.contains("shufflevector") && !line.contains("poison,")).count();
        assert_eq!(shuffles, lanes * lanes.ilog2() as usize, "{square}");
    }
    Ok(())
}

/// The columns of a triangle that a register tile leaves over fill no vector: they are one under a mask, which is loaded and stored around the loop over what is added.
#[test]
fn columns_that_fill_no_vector_have_a_mask() -> Result<(), Failure> {
    let functions = new_code("c99/syrk.c")?;
    assert_eq!(functions.len(), 1, "{functions:#?}");
    let count = |block: &str, what: &str| block.lines().filter(|line| line.contains(what)).count();
    // Inside of the loop only the factor is read under the mask.
    let sums = |block: &&str| block.contains("fmuladd") && block.contains("masked.load");
    let inside: Vec<&str> = functions[0].split("\n\n").filter(sums).collect();
    assert!(!inside.is_empty(), "{}", functions[0]);
    for block in &inside {
        assert_eq!(count(block, "masked.load"), 1, "{block}");
        assert!(!block.contains("masked.store"), "{block}");
    }
    // One row at a time.
    assert_eq!(count(&functions[0], "call void @llvm.masked.store.v4f64"), inside.len(), "{}", functions[0]);
    Ok(())
}
