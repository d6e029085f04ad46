//! `polycalc codegen` as a program: files with trees and relations, options, and the exact text that it prints.

use std::path::PathBuf;
use std::process::Command;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/codegen").join(name)
}

/// Exit code, standard output, standard error.
fn codegen(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polycalc"));
    command.arg("codegen").args(arguments).arg(file(input));
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn code(arguments: &[&str], input: &str) -> String {
    let (status, out, err) = codegen(arguments, input);
    assert_eq!((status, err.as_str()), (Some(0), ""), "{input} {arguments:?}");
    out
}

/// Register tiles of a matrix product: full tiles without conditions and unrolled, then the partial tiles of the last
/// columns and rows.
#[test]
fn tiled_matrix_product() {
    let expected = std::fs::read_to_string(file("matmul.c")).unwrap();
    assert_eq!(code(&["--no-macros"], "matmul.yaml"), expected);
    let with_macros = code(&[], "matmul.yaml");
    assert!(with_macros.starts_with("#define min(x, y)") && with_macros.ends_with(&expected), "{with_macros}");
}

/// A tree with a kernel: the kernel, and the host that launches it.
#[test]
fn kernel() {
    let expected = "\
__global__ void kernel0(int n, int m, int h0) {
  const int t0 = threadIdx.x;
  for (int c0 = t0; c0 <= n - 1; c0 += 128)
    S(h0, c0);
  __syncthreads();
  for (int c0 = t0; c0 <= n - 1; c0 += 128)
    T(h0, c0);
}

// host
if (n >= 1)
  for (int c0 = 0; c0 <= m - 1; c0 += 1)
    kernel0<<<1, dim3(128)>>>(n, m, c0);
U();
";
    assert_eq!(code(&[], "kernel.yaml"), expected);
}

#[test]
fn relation_with_context_and_options() {
    let expected = "for (int c0 = 0; c0 <= n - 1; c0 += 1) {\n  A(c0);\n  B(c0);\n}\n";
    assert_eq!(code(&[], "interleaved.txt"), expected);
    let shown = code(&["--show-schedule"], "interleaved.txt");
    assert!(shown.starts_with("// [n] -> { ") && shown.ends_with(expected), "{shown}");
}

#[test]
fn options() {
    let strided = |arguments: &[&str]| code(&[&["--no-macros"], arguments].concat(), "strided.txt");
    assert_eq!(strided(&[]), "for (int c0 = 0; c0 <= min((n - 1) / 4, m - 1); c0 += 1)\n  S(c0);\n");
    assert_eq!(
        strided(&["--no-scale-strides", "--no-atomic-upper-bound"]),
        "for (int c0 = 0; c0 <= n - 1 && c0 <= 4 * m - 4; c0 += 4)\n  S(c0 / 4);\n"
    );
    assert_eq!(
        strided(&["--iterator-type", "long", "--unsigned", "unsigned long"]),
        "for (long c0 = 0; c0 <= min((long)((unsigned long)(n - 1) / 4), m - 1); c0 += 1)\n  S(c0);\n"
    );
    assert!(strided(&["--no-prefer-pdiv"]).contains("floord(n - 1, 4)"));
    assert!(strided(&["--no-exploit-nested-bounds"]).starts_with("for"));
    assert!(strided(&["--context", "[n, m] -> { : n = 1 and m = 1 }"]).starts_with("S(0);"));
    let both = code(&["--loops", "separate"], "overlapping.txt");
    assert!(!both.contains("if (c0"), "{both}");
    assert_eq!(code(&["--max-copies", "20"], "overlapping.txt"), both);
    assert!(code(&["--max-copies", "2"], "overlapping.txt").contains("if (c0"));
}

#[test]
fn errors_name_the_file_and_the_cause() {
    let (status, out, err) = codegen(&["--loops", "unroll"], "overlapping.txt");
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(err.contains("overlapping.txt") && err.contains("cannot find lower bound for unrolling"), "{err}");
    let (status, _, err) = codegen(&["--budget", "10"], "matmul.yaml");
    assert_eq!(status, Some(1));
    assert!(err.contains("budget"), "{err}");
    let (status, _, err) = codegen(&[], "missing.txt");
    assert_eq!(status, Some(1));
    assert!(err.contains("missing.txt"), "{err}");
}
