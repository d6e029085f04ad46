//! The pass alone, on IR in the form in which it meets a function in the pipeline.
//!
//! That form is what clang makes at -O1 without unrolling: scalars promoted, invariant code hoisted, loops rotated,
//! nothing vectorised. Names are kept, so that printed models speak in the names of the source.

use crate::plugin::Plugin;
use crate::process::{Failure, Output, Run};
use std::path::Path;

/// Compiles the C file `source` to IR in text form, as the pass would meet it.
pub fn canonical_ir(source: &Path, to: &Path) -> Result<(), Failure> {
    Run::new("clang-22")
        .args(["-O1", "-fno-unroll-loops", "-std=gnu17", "-fno-discard-value-names", "-gline-tables-only"])
        .args(["-S", "-emit-llvm"])
        .arg(source)
        .arg("-o")
        .arg(to)
        .output()?;
    // Absolute paths have no place in what tests compare.
    let unreadable = |error: std::io::Error| Failure::new(to.display().to_string(), error.to_string());
    let text = std::fs::read_to_string(to).map_err(unreadable)?;
    let folder = source.parent().unwrap_or(Path::new("")).display().to_string();
    std::fs::write(to, text.replace(&format!("{folder}/"), "")).map_err(unreadable)
}

/// Runs `opt-22` with `passes` on the IR in `input`; standard output is the new IR as text. Without a plugin only
/// LLVM's own passes are known.
pub fn opt(plugin: Option<&Plugin>, options: &str, passes: &str, input: &Path) -> Result<Output, Failure> {
    let load = plugin.map(|plugin| format!("-load-pass-plugin={}", plugin.path().display()));
    Run::new("opt-22")
        .env("TESSERA", options)
        .args(load)
        .arg(format!("-passes={passes}"))
        .args(["-pass-remarks=tessera", "-pass-remarks-missed=tessera", "-S", "-o", "-"])
        .arg(input)
        .output()
}
