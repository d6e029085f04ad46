//! Finding the plugin under test.
//!
//! `TESSERA_PLUGIN` names it; without that variable it is built once per process, in the profile and the target
//! directory of the running test, by the cargo that runs the test. Where everything was built before, as in `scripts/test`,
//! `TESSERA_BUILT` names the folder with it, and nothing is: cargo would choose other features of what a package depends on than
//! it does for the whole workspace, and build that again.

use crate::process::{Failure, Run};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The built plugin.
#[derive(Clone, Debug)]
pub struct Plugin {
    path: PathBuf,
}

impl Plugin {
    /// The plugin named by `TESSERA_PLUGIN`, or else the one built beside the running program.
    ///
    /// The first call of a process may run `cargo build`; later calls are free.
    pub fn locate() -> Result<Plugin, Failure> {
        static FOUND: OnceLock<Result<Plugin, Failure>> = OnceLock::new();
        FOUND.get_or_init(find).clone()
    }

    /// The plugin in a file.
    pub fn at(path: &Path) -> Result<Plugin, Failure> {
        match path.canonicalize() {
            Ok(path) => Ok(Plugin { path }),
            Err(error) => Err(Failure::new("finding the plugin", format!("{}: {error}", path.display()))),
        }
    }

    /// The absolute path, as every host wants it.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn find() -> Result<Plugin, Failure> {
    if let Some(path) = std::env::var_os("TESSERA_PLUGIN") {
        return Plugin::at(Path::new(&path));
    }
    Ok(Plugin { path: build(&["--package", "tessera-plugin"], "libtessera.so")? })
}

/// The run-time library, built like the plugin.
pub fn runtime() -> Result<&'static Path, Failure> {
    static FOUND: OnceLock<Result<PathBuf, Failure>> = OnceLock::new();
    let found = FOUND.get_or_init(|| build(&["--package", "tessera-runtime"], "libtessera_rt.so"));
    found.as_deref().map_err(Clone::clone)
}

/// The program `polycalc`, built like the plugin.
pub fn polycalc() -> Result<&'static Path, Failure> {
    static FOUND: OnceLock<Result<PathBuf, Failure>> = OnceLock::new();
    let found = FOUND.get_or_init(|| build(&["--package", "tessera-polyhedral", "--bin", "polycalc"], "polycalc"));
    found.as_deref().map_err(Clone::clone)
}

/// Builds something in the profile and the target directory of the running program; where it is then.
fn build(what: &[&str], file: &str) -> Result<PathBuf, Failure> {
    if let Some(folder) = std::env::var_os("TESSERA_BUILT") {
        let path = Path::new(&folder).join(file);
        return path.canonicalize().map_err(|error| {
            Failure::new(format!("finding {file} in the folder TESSERA_BUILT"), format!("{}: {error}", path.display()))
        });
    }
    let finding = || format!("building {file}");
    let program = std::env::current_exe().map_err(|error| Failure::new(finding(), error.to_string()))?;
    // The program is `TARGET/PROFILE/name` or `TARGET/PROFILE/deps/name-hash`.
    let mut folder = program.parent().unwrap_or(Path::new("."));
    if folder.ends_with("deps") {
        folder = folder.parent().unwrap_or(folder);
    }
    let (profile, target) = match (folder.file_name().and_then(|name| name.to_str()), folder.parent()) {
        (Some("debug"), Some(target)) => ("dev", target),
        (Some(name), Some(target)) => (name, target),
        _ => return Err(Failure::new(finding(), format!("{} is not in a target directory", program.display()))),
    };
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    Run::new(cargo)
        .args(["build", "--quiet", "--profile", profile])
        .args(what)
        .args([Path::new("--manifest-path"), &workspace().join("Cargo.toml")])
        .args([Path::new("--target-dir"), target])
        .output()?;
    Ok(folder.join(file))
}

/// The option that takes a strategy of `tests/strategies`.
pub fn strategy(name: &str) -> String {
    format!("strategy={}", workspace().join(format!("tests/strategies/{name}.strategy")).display())
}

/// The root of the workspace.
pub fn workspace() -> &'static Path {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests)
}
