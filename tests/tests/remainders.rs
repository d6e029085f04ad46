//! Remainders that are known before a nest are in its context, whoever says them. That results stay the same is tested by `programs/c/remainders.c`.

use std::fs;
use tessera_tests::host::{Compilation, Host, Product, Remarks};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::Failure;

/// A product whose rows the compiler reads along another loop than the program.
const NEST: &str = "
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}
";

/// What is printed about the nest in a file of a language.
fn compiled(host: Host, text: &str, options: &str) -> Result<String, Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = if host == Host::Rustc { "nest.rs" } else { "nest.c" };
    let (source, ir) = (folder.path().join(name), folder.path().join("nest.ll"));
    fs::write(&source, text).expect("the source can be written");
    let build = Compilation::with(host, &plugin, options).remarks(Remarks::All);
    let log = build.compile(&source, Product::Ir, &ir)?;
    Ok(log)
}

fn in_c(before: &str, options: &str) -> Result<String, Failure> {
    let head = "void f(long n, double *restrict c, const double *restrict a, const double *restrict b) {";
    compiled(Host::Clang, &format!("{head}{before}{NEST}"), options)
}

fn context(log: &str) -> &str {
    log.lines().find(|line| line.starts_with("context: ")).unwrap_or(log)
}

#[test]
fn what_c_says() -> Result<(), Failure> {
    for (before, known) in [
        ("__builtin_assume(n % 8 == 0);", "mod 8"),
        ("if (n & 7) return;", "mod 8"),
        ("if (n % 8 != 0) return;", "mod 8"),
        ("if (n % 12 != 5) return;", "mod 12"),
        ("if (n % 6 != 0) return;", "mod 6"),
        ("if (n < 9) return; if ((n - 3) % 256 != 0) return;", "mod 256"),
        ("if (!(n & 1)) return;", "mod 2"),
        ("if ((n & 3) == 1 && n < 5000) ; else return;", "mod 4"),
        ("if (n % 8 != 5) return;", "mod 8"),
        ("if (n % 8 == 5) ; else return;", "mod 8"),
        ("if ((unsigned long)n % 100 != 0) return;", "mod 100"),
        ("if (n % 8 == 0 || n % 8 == 4) ; else return;", "mod 4"),
        ("if (n % 12 == 1 || n % 12 == 4 || n % 12 == 10) ; else return;", "mod 3"),
        ("if ((unsigned long)n % 6 != 0 && n > 0) return;", "mod 6"),
        ("if (n % 4 || n % 6) return;", "mod 6"),
        ("if (n % 4 != 1 || n % 6 != 3) return;", "mod 6"),
        // Nothing that holds for sure.
        ("if (n % 8 == 1 || n % 8 == 4) ; else return;", ""),
        ("if (n % 8 == 0 || n == 4) ; else return;", ""),
        ("if (n % 8 == 0) return;", ""),
        ("if (n & 6) return;", ""),
        ("if ((unsigned long)n % 6 != 0 && n > 9) return;", ""),
        ("if ((n & 7) && (n % 5)) return;", ""),
    ] {
        let log = in_c(before, "print;tile=32")?;
        let context = context(&log);
        let is_known = context.contains(" mod ") || context.contains("exists") || context.contains("floor(");
        assert_eq!(is_known, !known.is_empty(), "{before}: {context}");
        let number = known.trim_start_matches("mod ");
        assert!(context.contains(number), "{before}: {context}");
    }
    Ok(())
}

#[test]
fn what_rust_says() -> Result<(), Failure> {
    for before in [
        "assert!(n % 8 == 0);",
        "if n & 7 != 0 { return; }",
        "if n % 8 != 0 { return; }",
        "unsafe { std::hint::assert_unchecked(n % 8 == 0) };",
        "if !n.is_multiple_of(8) { return; }",
    ] {
        let text = format!(
            "#![crate_type = \"lib\"]\n#[unsafe(no_mangle)]\npub fn f(n: usize, c: &mut [f64], a: &[f64], b: &[f64]) {{\n    \
             {before}\n    for i in 0..n {{ for j in 0..n {{ for k in 0..n {{\n        \
             unsafe {{ *c.get_unchecked_mut(i * n + j) += *a.get_unchecked(i * n + k) * *b.get_unchecked(k * n + j) }}\n    \
             }} }} }}\n}}\n"
        );
        let log = compiled(Host::Rustc, &text, "print")?;
        let context = context(&log);
        let is_known = context.contains(" mod ") || context.contains("exists") || context.contains("floor(");
        assert!(is_known && context.contains('8'), "{before}: {context}");
    }
    Ok(())
}

/// How many minima the generated code in what was printed has.
fn minima(log: &str) -> usize {
    let code = log.lines().skip_while(|line| *line != "# code:").take_while(|line| line.starts_with('#'));
    code.map(|line| line.matches("min(").count()).sum()
}

/// Where tiles divide sizes, they are full: no minimum in the bounds of their loops.
#[test]
fn full_tiles_have_no_minima() -> Result<(), Failure> {
    for (before, tile, expected) in [
        ("", 32, 3),
        ("__builtin_assume(n % 32 == 0);", 32, 0),
        ("if (n & 31) return;", 32, 0),
        ("if (n % 96 != 0) return;", 32, 0),
        ("if (n % 24 != 0) return;", 8, 0),
        ("if (n % 12 != 0) return;", 12, 0),
        ("if ((unsigned long)n % 100 != 0) return;", 50, 0),
        ("if (n % 32 == 0 || n % 32 == 16) ; else return;", 16, 0),
        ("if (n % 4 || n % 6) return;", 12, 0),
        // Not multiples of the tiles.
        ("if (n & 15) return;", 32, 3),
        ("if (n % 32 != 1) return;", 32, 3),
        ("if (n % 48 != 0) return;", 32, 3),
    ] {
        // Loops over what is left of whole blocks have minima of their own.
        let log = in_c(before, &format!("print;tile={tile};jam=off"))?;
        assert_eq!(minima(&log), expected, "{before} in tiles of {tile}:\n{log}");
        let in_blocks = in_c(before, &format!("print;tile={tile}"))?;
        assert_eq!(minima(&in_blocks) == 0, expected == 0, "{before} in tiles of {tile}, with blocks:\n{in_blocks}");
    }
    Ok(())
}
