//! Register tiles in vectors wider than those that the compiler prefers: for which processors, elements and pragmas there are any, and that
//! the function that holds them may use wide registers. That results stay the same is tested by the corpus and the random loop nests, where
//! the machine that runs them has such vectors.

use std::fs;
use tessera_tests::host::{Compilation, Host, Product};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::Failure;

const PRODUCT: &str = "\
void product(long n, ELEMENT c[restrict n][n], ELEMENT a[restrict n][n], ELEMENT b[restrict n][n]) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}
";

const WIDE: &str = "-march=emeraldrapids";

/// The IR at the end of the pipeline.
fn ir(source: &str, element: &str, options: &str, flags: &[&str]) -> Result<String, Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, product) = (folder.path().join("product.c"), folder.path().join("product.ll"));
    fs::write(&path, source.replace("ELEMENT", element)).expect("the source can be written");
    let target = ["--target=x86_64-linux-gnu"].iter().chain(flags).copied().collect::<Vec<_>>();
    Compilation::with(Host::Clang, &plugin, options).flags(&target).compile(&path, Product::Ir, &product)?;
    Ok(fs::read_to_string(&product).expect("the IR can be read"))
}

/// The attributes of the first function whose definition contains a name.
fn attributes<'i>(ir: &'i str, name: &str) -> &'i str {
    let definition = ir.lines().find(|line| line.starts_with("define") && line.contains(name)).expect("a function");
    let number = definition.split_whitespace().find(|word| word.starts_with('#')).expect("a group of attributes");
    let group = format!("attributes {number} = ");
    ir.lines().find(|line| line.starts_with(&group)).expect("the group is written out")
}

const WHOLE: &str = "\"min-legal-vector-width\"=\"512\"";

#[test]
fn new_code_has_wide_registers_and_old_code_does_not() -> Result<(), Failure> {
    let ir = ir(PRODUCT, "double", "", &[WIDE])?;
    assert!(ir.contains("fmul <8 x double>") || ir.contains("fmuladd.v8f64"), "{ir}");
    // What does not fill a wide vector.
    assert!(ir.contains("<4 x double>"), "{ir}");
    assert!(attributes(&ir, "@product.tessera(").contains(WHOLE), "{ir}");
    assert!(!attributes(&ir, "@product(").contains(WHOLE), "{ir}");
    Ok(())
}

/// Arrays and bounds are known: there is no old code, and the function stays whole. No iteration is left.
#[test]
fn a_function_without_old_code_has_wide_registers_itself() -> Result<(), Failure> {
    let source = "\
double c[200][200], a[200][200], b[200][200];
void fixed(void) {
    for (int i = 0; i < 200; i++)
        for (int j = 0; j < 200; j++)
            for (int k = 0; k < 200; k++)
                c[i][j] += a[i][k] * b[k][j];
}
";
    let ir = ir(source, "double", "", &[WIDE])?;
    assert!(ir.contains("<8 x double>") && attributes(&ir, "@fixed(").contains(WHOLE), "{ir}");
    Ok(())
}

#[test]
fn the_users_width_is_respected() -> Result<(), Failure> {
    for width in ["128", "256", "512"] {
        let ir = ir(PRODUCT, "double", "", &[WIDE, &format!("-mprefer-vector-width={width}")])?;
        assert!(ir.contains("tessera.code") && !ir.contains("tessera.wide"), "{width}: {ir}");
        assert_eq!(ir.contains("<8 x double>"), width == "512", "{width}: {ir}");
    }
    let pragma = PRODUCT
        .replace("            for (long k", "            _Pragma(\"clang loop vectorize(disable)\") for (long k");
    let ir = ir(&pragma, "double", "", &[WIDE])?;
    assert!(!ir.contains("tessera.wide"), "{ir}");
    Ok(())
}

#[test]
fn other_processors_and_elements_keep_their_width() -> Result<(), Failure> {
    for (element, march) in [
        ("double", "-march=haswell"),
        ("double", "-march=skylake-avx512"),
        ("double", "-march=znver5"),
        ("float", WIDE),
    ] {
        let ir = ir(PRODUCT, element, "", &[march])?;
        assert!(ir.contains("tessera.code") && !ir.contains("tessera.wide"), "{element} {march}: {ir}");
    }
    // Without a function of its own, registers of old code would be wide, too.
    assert!(!ir(PRODUCT, "double", "outline=off", &[WIDE])?.contains("tessera.wide"));
    Ok(())
}

/// The user says that the machine has wide vectors, which the instruction set must have, too.
#[test]
fn a_given_machine_decides_instead_of_the_name_of_the_processor() -> Result<(), Failure> {
    for (target, march, is_wide) in [
        ("target=avx512", "-march=skylake-avx512", true),
        ("target=avx512", "-march=haswell", false),
        ("target=avx2", WIDE, false),
    ] {
        let ir = ir(PRODUCT, "double", target, &[march])?;
        assert_eq!(ir.contains("tessera.wide"), is_wide, "{target} {march}: {ir}");
    }
    Ok(())
}
