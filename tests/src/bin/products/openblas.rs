//! The library to compare with: where it is, and what it calls itself.

use std::path::{Path, PathBuf};
use tessera_tests::process::{Failure, Run};

/// OpenBLAS.
#[derive(Debug)]
pub(crate) struct OpenBlas {
    /// The file, or the name by which the system finds it.
    pub(crate) path: PathBuf,
    /// The processor whose kernels it takes, and its version.
    pub(crate) description: String,
    /// The processor that it is told to take.
    core: Option<String>,
}

impl OpenBlas {
    /// The library that `TESSERA_OPENBLAS` names, which must work; else the one of `scripts/setup openblas`, else the system's; nothing
    /// where none of them works. `core` is the processor whose instructions it may use; `OPENBLAS_CORETYPE` says otherwise.
    pub(crate) fn locate(program: &Path, core: Option<&str>) -> Result<Option<OpenBlas>, Failure> {
        let core = std::env::var("OPENBLAS_CORETYPE").ok().or(core.map(str::to_string));
        if let Some(path) = std::env::var_os("TESSERA_OPENBLAS") {
            return OpenBlas::at(program, PathBuf::from(path), core).map(Some);
        }
        // This program is TARGET/release/products, and scripts/setup writes TARGET/openblas/.
        let here = std::env::current_exe().unwrap_or_default();
        let target = here.ancestors().nth(2).unwrap_or(Path::new("."));
        let places = [target.join("openblas/libopenblas.so"), PathBuf::from("libopenblas.so.0")];
        Ok(places.into_iter().find_map(|path| OpenBlas::at(program, path, core.clone()).ok()))
    }

    fn at(program: &Path, path: PathBuf, core: Option<String>) -> Result<OpenBlas, Failure> {
        let mut found = OpenBlas { path, description: String::new(), core };
        let output = found.environment(Run::new(program)).arg("library").arg(&found.path).output()?;
        found.description = String::from_utf8_lossy(&output.stdout).trim().to_string();
        Ok(found)
    }

    /// What the library looks at when it is loaded.
    pub(crate) fn environment(&self, run: Run) -> Run {
        let run = run.env("OPENBLAS_NUM_THREADS", "1");
        match &self.core {
            Some(core) => run.env("OPENBLAS_CORETYPE", core),
            None => run,
        }
    }
}
