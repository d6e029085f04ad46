//! What `print<tessera>` prints for small functions: the model as data, and in comments the dependences, the new schedule and its code.
//! `cargo insta review` shows and accepts changes. The library reads what is printed of all kernels of the corpus.

use tessera_tests::model;
use tessera_tests::plugin::{Plugin, workspace};

/// The printed model of `tests/models/NAME.c`.
fn printed(name: &str) -> String {
    let plugin = Plugin::locate().unwrap_or_else(|failure| panic!("{failure}"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("input.ll");
    let source = workspace().join(format!("tests/models/{name}.c"));
    let output = model::canonical_ir(&source, &input)
        .and_then(|()| model::opt(Some(&plugin), "", "print<tessera>", &input))
        .unwrap_or_else(|failure| panic!("{failure}"));
    let text = output.stderr;
    let remarks = text.lines().filter(|line| !line.starts_with("remark: ")).collect::<Vec<_>>();
    remarks.join("\n")
}

macro_rules! snapshots {
    ($($name:ident),* $(,)?) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(printed(stringify!($name)));
        }
    )*};
}

snapshots!(matmul, matmul_c99, matvec, rejected, stencil, triangle, triangle_constant, wavefront);
