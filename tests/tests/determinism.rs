//! Two builds give identical bytes, and outputs are right, in every mode that cuts a program into pieces or puts it together:
//! sixteen codegen units, thin and fat link-time optimisation, clang with lld as the host of the plugin.

use std::path::{Path, PathBuf};
use tessera_tests::host::{Compilation, Host, Product};
use tessera_tests::plugin::{Plugin, workspace};
use tessera_tests::process::{Failure, Run};

const EVERYTHING: &str = "unprofitable=true;min-work=0";

/// A folder with a copy of a program, so that names of temporary files are the same in both builds.
struct Build {
    folder: tempfile::TempDir,
    source: PathBuf,
}

impl Build {
    fn new(program: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let source = workspace().join("tests/programs").join(program);
        Build { folder, source }
    }

    fn bytes(&self, build: &Compilation, product: Product) -> Result<Vec<u8>, Failure> {
        let to = self.folder.path().join("product");
        build.compile(&self.source, product, &to)?;
        Ok(std::fs::read(&to).expect("the product can be read"))
    }

    fn executable(&self) -> PathBuf {
        self.folder.path().join("product")
    }
}

fn output(program: &Path) -> Result<Vec<u8>, Failure> {
    Ok(Run::new(program).output()?.stdout)
}

/// Compiles a program twice in each of the modes and compares the executables; runs it and compares with the plain build, which
/// has no flags that load the plugin into the linker.
fn same_in_modes(host: Host, program: &str, modes: &[&[&str]], load: &[&str]) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let build = Build::new(program);
    build.bytes(&Compilation::plain(host), Product::Executable)?;
    let expected = output(&build.executable())?;
    assert!(!expected.is_empty(), "{program} prints nothing");
    for mode in modes {
        let plain = build.bytes(&Compilation::plain(host).flags(mode), Product::Executable)?;
        for options in ["", EVERYTHING] {
            let compilation = Compilation::with(host, &plugin, options).flags(mode).flags(load);
            let first = build.bytes(&compilation, Product::Executable)?;
            let again = build.bytes(&compilation, Product::Executable)?;
            assert!(first == again, "{program} {mode:?}, TESSERA='{options}': two builds differ");
            assert!(options != EVERYTHING || first != plain, "{program} {mode:?}: the plugin did nothing");
            assert!(
                output(&build.executable())? == expected,
                "{program} {mode:?}, TESSERA='{options}': outputs differ"
            );
        }
    }
    Ok(())
}

#[test]
fn rustc_in_every_mode() -> Result<(), Failure> {
    let modes: [&[&str]; 4] = [
        &["-Ccodegen-units=16"],
        &["-Ccodegen-units=16", "-Clto=off"],
        &["-Ccodegen-units=16", "-Clto=thin"],
        &["-Ccodegen-units=16", "-Clto=fat"],
    ];
    same_in_modes(Host::Rustc, "rust/matmul.rs", &modes, &[])
}

/// With fat link-time optimisation the plugin sees the standard library, too.
#[test]
fn rustc_with_checked_code_and_fat_lto() -> Result<(), Failure> {
    same_in_modes(Host::Rustc, "rust/checked.rs", &[&["-Ccodegen-units=16", "-Clto=fat"]], &[])
}

#[test]
fn clang_with_link_time_optimisation() -> Result<(), Failure> {
    let load = format!("-Wl,--load-pass-plugin={}", Plugin::locate()?.path().display());
    for program in ["c/matmul.c", "c/stencil.c"] {
        let modes: [&[&str]; 2] = [&["-flto=thin", "-fuse-ld=lld"], &["-flto=full", "-fuse-ld=lld"]];
        same_in_modes(Host::Clang, program, &modes, &[&load])?;
    }
    Ok(())
}

/// All programs of the corpus, as objects.
#[test]
fn objects_of_the_corpus() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    for program in tessera_tests::corpus::programs()? {
        for host in [Host::Clang, Host::Rustc].into_iter().filter(|host| host.language() == program.language) {
            let name =
                program.source.strip_prefix(workspace().join("tests/programs")).expect("a program of the corpus");
            let build = Build::new(&name.display().to_string());
            let compilation = Compilation::with(host, &plugin, EVERYTHING);
            let same = build.bytes(&compilation, Product::Object)? == build.bytes(&compilation, Product::Object)?;
            assert!(same, "{}: two compilations differ", program.source.display());
        }
    }
    Ok(())
}
