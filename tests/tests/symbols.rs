//! The symbol audit: every LLVM symbol that the plugin leaves undefined exists in the libLLVM of every host. A single
//! missing one makes the loader refuse the whole plugin.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use tessera_tests::host::Host;
use tessera_tests::plugin::Plugin;
use tessera_tests::process::{Failure, Run};

/// The dynamic symbols of `library` that `selection` (an option of nm) selects, without their versions.
fn symbols(library: &Path, selection: &str) -> Result<BTreeSet<String>, Failure> {
    let output = Run::new("nm").args(["-D", selection]).arg(library).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let name = |line: &str| Some(line.split_whitespace().last()?.split('@').next()?.to_string());
    Ok(text.lines().filter_map(name).collect())
}

fn line(run: Run) -> Result<String, Failure> {
    Ok(String::from_utf8_lossy(&run.output()?.stdout).trim().to_string())
}

/// The shared libLLVM in `folder`; a linker script of that name, which rustc has too, is not one.
fn lib_llvm(folder: &Path) -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libLLVM")))
        .filter(|path| path.to_string_lossy().contains(".so") && is_elf(path))
        .collect();
    found.sort();
    found.into_iter().next()
}

fn is_elf(path: &Path) -> bool {
    let mut magic = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == *b"\x7fELF"
}

#[test]
fn every_llvm_symbol_exists_in_every_host() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let is_llvm = |name: &String| name.contains("4llvm") || name.starts_with("LLVM");
    let wanted: BTreeSet<String> = symbols(plugin.path(), "--undefined-only")?.into_iter().filter(is_llvm).collect();
    assert!(!wanted.is_empty(), "the plugin uses no LLVM symbol");
    for host in Host::ALL {
        let folder = match host {
            Host::Clang | Host::ClangCpp | Host::Opt => line(Run::new("llvm-config-22").arg("--libdir"))?,
            Host::Rustc => line(Run::new("rustc").args(["--print", "sysroot"]))? + "/lib",
            Host::RustcNightly if host.is_available() => {
                line(Run::new("rustc").args(["+nightly", "--print", "sysroot"]))? + "/lib"
            }
            Host::RustcNightly => {
                println!("skipped: the host {} is not installed", host.name());
                continue;
            }
        };
        let library = lib_llvm(Path::new(&folder)).unwrap_or_else(|| panic!("no libLLVM for {}", host.name()));
        let defined = symbols(&library, "--defined-only")?;
        let missing: Vec<&String> = wanted.difference(&defined).collect();
        assert!(missing.is_empty(), "{}: libLLVM has no {missing:#?}", host.name());
    }
    Ok(())
}

#[test]
fn the_plugin_links_no_llvm() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let dynamic = line(Run::new("readelf").arg("-d").arg(plugin.path()))?;
    let llvm: Vec<&str> = dynamic.lines().filter(|line| line.contains("NEEDED") && line.contains("LLVM")).collect();
    assert!(llvm.is_empty(), "{llvm:?}");
    Ok(())
}

#[test]
fn the_plugin_exports_its_entry_point() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    assert!(symbols(plugin.path(), "--defined-only")?.contains("llvmGetPassPluginInfo"));
    Ok(())
}
