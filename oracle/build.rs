//! Makes a shared object of Polly's build of isl, which Debian ships only as a static archive, and one of `src/heap.c`.
//!
//! Without the archive or a C compiler the build goes on; opening the library at run time then says what to install.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let libdir = Command::new("llvm-config-22").arg("--libdir").output().ok().filter(|o| o.status.success());
    let libdir = libdir.and_then(|o| String::from_utf8(o.stdout).ok()).map(|s| PathBuf::from(s.trim()));
    let archive = libdir.unwrap_or_else(|| PathBuf::from("/usr/lib/llvm-22/lib")).join("libPollyISL.a");
    println!("cargo:rerun-if-changed={}", archive.display());
    let shared = Path::new(&std::env::var_os("OUT_DIR").unwrap_or_default()).join("libpollyisl.so");
    let linked = archive.exists() && link(&archive, &shared);
    println!("cargo:rustc-env=TESSERA_POLLY_ISL={}", if linked { shared.display().to_string() } else { String::new() });

    println!("cargo:rerun-if-changed=src/heap.c");
    let heap = Path::new(&std::env::var_os("OUT_DIR").unwrap_or_default()).join("libheap.so");
    let compiled = Command::new("cc").args(["-shared", "-fPIC", "-O2", "src/heap.c", "-o"]).arg(&heap).status();
    let compiled = compiled.is_ok_and(|s| s.success());
    println!("cargo:rustc-env=TESSERA_HEAP={}", if compiled { heap.display().to_string() } else { String::new() });
}

/// Own symbols bind to themselves, so that two builds of isl can live in one process.
fn link(archive: &Path, shared: &Path) -> bool {
    let status = Command::new("cc")
        .args(["-shared", "-Wl,-Bsymbolic", "-Wl,--whole-archive"])
        .arg(archive)
        .args(["-Wl,--no-whole-archive", "-o"])
        .arg(shared)
        .status();
    status.is_ok_and(|s| s.success())
}
