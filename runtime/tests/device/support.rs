//! Programs in C against the built `libtessera_rt.so`, with a stub in place of the CUDA driver.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// What the tests run, compiled once.
pub(crate) struct Programs {
    /// `sessions.c`: nests in many situations.
    pub(crate) sessions: PathBuf,
    /// `unload.c`: loads and unloads the library.
    pub(crate) unload: PathBuf,
    /// `stub_driver.c`.
    pub(crate) stub: PathBuf,
    /// Folders below it belong to one test each.
    pub(crate) folder: PathBuf,
}

/// How a program ended.
pub(crate) struct Outcome {
    /// Its exit status is 0.
    pub(crate) succeeded: bool,
    /// Its standard output.
    pub(crate) output: String,
    /// Its standard error.
    pub(crate) errors: String,
}

impl Outcome {
    /// How many nests ran on the device and on the host; fails unless the program ended well.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let number = |key: &str| self.output.split(key).nth(1)?.split_whitespace().next()?.parse().ok();
        match (self.succeeded, number("device="), number("host=")) {
            (true, Some(device), Some(host)) => (device, host),
            _ => panic!("{}{}", self.output, self.errors),
        }
    }

    /// Fails unless a line of the trace has this text.
    pub(crate) fn says(&self, text: &str) {
        let said = self.errors.lines().any(|line| line.starts_with("tessera_rt: ") && line.contains(text));
        assert!(said, "no line says {text:?}:\n{}", self.errors);
    }
}

/// The library as cargo built it for this test.
pub(crate) fn library() -> PathBuf {
    let library = std::env::current_exe().unwrap().parent().unwrap().join("libtessera_rt.so");
    assert!(library.exists(), "{} is not there", library.display());
    library
}

/// The folder of the sources of programs.
pub(crate) fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// Compiles a C program; the words are further arguments of clang.
pub(crate) fn compile(source: &Path, to: &Path, words: &[&OsStr]) {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let standard = if source.extension() == Some(OsStr::new("c")) { "-std=gnu17" } else { "-std=c++17" };
    let compiled = Command::new("clang-22")
        .args([standard, "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-I"])
        .arg(include)
        .arg("-o")
        .arg(to)
        .arg(source)
        .args(words)
        .output()
        .expect("clang-22 is needed, scripts/setup installs it");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
}

/// The programs.
pub(crate) fn programs() -> &'static Programs {
    static PROGRAMS: OnceLock<Programs> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        // A folder per run, as another run may be using its own; those of runs that ended go.
        let all = Path::new(env!("CARGO_TARGET_TMPDIR"));
        for entry in fs::read_dir(all).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.strip_prefix("programs-").is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let folder = all.join(format!("programs-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let programs = Programs {
            sessions: folder.join("sessions"),
            unload: folder.join("unload"),
            stub: folder.join("libstub.so"),
            folder,
        };
        let shared = ["-shared", "-fPIC", "-fvisibility=hidden", "-lpthread"].map(OsStr::new);
        compile(&sources().join("stub_driver.c"), &programs.stub, &shared);
        let library = library();
        let mut rpath = std::ffi::OsString::from("-Wl,-rpath,");
        rpath.push(library.parent().unwrap());
        let linked = [library.as_os_str(), &rpath, OsStr::new("-lpthread"), OsStr::new("-ldl")];
        compile(&sources().join("sessions.c"), &programs.sessions, &linked);
        compile(&sources().join("unload.c"), &programs.unload, &[OsStr::new("-ldl"), OsStr::new("-lpthread")]);
        programs
    })
}

/// Runs a program with these variables and none of the user's; its cache is a folder of the test. Fails after a minute.
pub(crate) fn run(program: &Path, words: &[&str], test: &str, variables: &[(&str, &str)]) -> Outcome {
    let programs = programs();
    let folder = programs.folder.join("runs").join(test);
    fs::create_dir_all(&folder).unwrap();
    // Into files: a program that is killed may leave children that hold a pipe open.
    static RUNS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let number = RUNS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let (output, errors) = (folder.join(format!("{number}.out")), folder.join(format!("{number}.err")));
    let mut child = Command::new(program)
        .args(words)
        .env_clear()
        .env("TEST_PTX", sources().join("kernels.ptx"))
        .env("TESSERA_RT_DRIVER", &programs.stub)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(fs::File::create(&output).unwrap())
        .stderr(fs::File::create(&errors).unwrap())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if begun.elapsed() > Duration::from_secs(60) => {
                child.kill().unwrap();
                panic!(
                    "{words:?} with {variables:?} does not end: {}",
                    fs::read_to_string(&errors).unwrap_or_default()
                );
            }
            None => std::thread::sleep(Duration::from_micros(500)),
        }
    };
    let read = |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let outcome = Outcome {
        succeeded: status.success(),
        output: read(&output),
        errors: format!("{}{status} of {words:?} with {variables:?}\n", read(&errors)),
    };
    fs::remove_file(output).unwrap();
    fs::remove_file(errors).unwrap();
    outcome
}

/// Runs a scenario of `sessions.c`.
pub(crate) fn scenario(name: &str, test: &str, variables: &[(&str, &str)]) -> Outcome {
    run(&programs().sessions, &[name], test, variables)
}
