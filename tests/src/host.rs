//! The real compilers that load the plugin, behind one face: a source file in, an executable, object or IR out.
//!
//! | host | how the plugin runs |
//! | --- | --- |
//! | clang, clang++ | `clang-22 -O3 -march=native -fpass-plugin=P`, `clang++-22` for C++ |
//! | opt | clang makes unoptimised IR for the generic CPU, `opt-22 -load-pass-plugin=P -passes='default<O3>'`, `llc-22 -O3` |
//! | rustc | stable with `RUSTC_BOOTSTRAP=1 -Z llvm-plugins=P -C opt-level=3`; nightly without the variable |
//!
//! clang and rustc compile for this machine, opt for the generic CPU, so that both ways of lowering a multiply-add are
//! tried. Options reach the plugin through `TESSERA`, the one door that every host has.

use crate::plugin::Plugin;
use crate::process::{Failure, Run};
use std::path::{Path, PathBuf};

/// Words that belong to LLVM and not to the user's program: no sentence for users has them.
pub const JARGON: [&str; 16] = [
    "SCEV",
    "PHI",
    "GEP",
    "getelementptr",
    "addrec",
    "backedge",
    "back edge",
    "dominat",
    "basic block",
    "preheader",
    "latch",
    "LCSSA",
    "alloca",
    "terminator",
    "instruction",
    "llvm.",
];

/// A compiler that can load the plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Host {
    /// `clang-22`, for C.
    Clang,
    /// `clang++-22`, for C++.
    ClangCpp,
    /// `opt-22` between `clang-22` and `llc-22`, for C.
    Opt,
    /// The `rustc` that cargo uses.
    Rustc,
    /// `rustc +nightly`.
    RustcNightly,
}

/// The language of a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C17.
    C,
    /// C++20.
    Cpp,
    /// Rust, edition 2024.
    Rust,
}

impl Host {
    /// Every host, in the order in which tests list them.
    pub const ALL: [Host; 5] = [Host::Clang, Host::ClangCpp, Host::Opt, Host::Rustc, Host::RustcNightly];

    /// The name used in tables and test names.
    pub fn name(self) -> &'static str {
        match self {
            Host::Clang => "clang",
            Host::ClangCpp => "clang++",
            Host::Opt => "opt",
            Host::Rustc => "rustc",
            Host::RustcNightly => "nightly",
        }
    }

    /// What the host compiles.
    pub fn language(self) -> Language {
        match self {
            Host::Clang | Host::Opt => Language::C,
            Host::ClangCpp => Language::Cpp,
            Host::Rustc | Host::RustcNightly => Language::Rust,
        }
    }

    /// Whether the host is on this machine, with an LLVM that the plugin was made for. Only nightly may be missing;
    /// a missing required host shows as the failure of the tests that use it.
    pub fn is_available(self) -> bool {
        self != Host::RustcNightly
            || Run::new("rustc").args(["+nightly", "-vV"]).output().is_ok_and(|output| {
                String::from_utf8_lossy(&output.stdout).lines().any(|line| line.starts_with("LLVM version: 22."))
            })
    }
}

/// What to make from a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// A linked program.
    Executable,
    /// An object file.
    Object,
    /// Optimised LLVM IR as text, with the names of blocks kept.
    Ir,
}

/// Which remarks of the plugin a host prints on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remarks {
    /// None.
    Silent,
    /// What was transformed.
    Passed,
    /// What was transformed, and what was not and why.
    All,
    /// The same with the steps.
    WithSteps,
}

/// One compilation: which host, with the plugin or without, with which options.
#[derive(Clone, Debug)]
pub struct Compilation<'a> {
    host: Host,
    plugin: Option<&'a Plugin>,
    options: &'a str,
    flags: Vec<&'a str>,
    remarks: Remarks,
}

impl<'a> Compilation<'a> {
    /// The plain compilation at -O3.
    pub fn plain(host: Host) -> Self {
        Compilation { host, plugin: None, options: "", flags: Vec::new(), remarks: Remarks::Silent }
    }

    /// The compilation at -O3 with the plugin loaded and `TESSERA=options`.
    pub fn with(host: Host, plugin: &'a Plugin, options: &'a str) -> Self {
        Compilation { plugin: Some(plugin), options, ..Self::plain(host) }
    }

    /// Gives the host's front end (clang or rustc) more flags, after its own.
    pub fn flags(mut self, flags: &[&'a str]) -> Self {
        self.flags.extend(flags);
        self
    }

    /// Asks the host for remarks of the plugin. rustc has no switch for one kind: it prints all, `(success)` marks
    /// those of [`Remarks::Passed`]. It prints none from several code generation units (see the manual), so there is one only.
    pub fn remarks(mut self, remarks: Remarks) -> Self {
        self.remarks = remarks;
        self
    }

    /// Compiles `source` to `to`; gives what the compilers wrote to standard error.
    pub fn compile(&self, source: &Path, product: Product, to: &Path) -> Result<String, Failure> {
        match self.host {
            Host::Clang | Host::ClangCpp => self.clang(source, product, to),
            Host::Opt => self.opt(source, product, to),
            Host::Rustc | Host::RustcNightly => self.rustc(source, product, to),
        }
    }

    fn run(&self, program: &str) -> Run {
        let run = Run::new(program);
        if self.plugin.is_some() && !self.options.is_empty() { run.env("TESSERA", self.options) } else { run }
    }

    fn plugin_argument(&self, before: &str) -> Option<String> {
        self.plugin.map(|plugin| format!("{before}{}", plugin.path().display()))
    }

    fn clang(&self, source: &Path, product: Product, to: &Path) -> Result<String, Failure> {
        let (program, standard) =
            if self.host == Host::ClangCpp { ("clang++-22", "-std=gnu++20") } else { ("clang-22", "-std=gnu17") };
        let mut run = self.run(program).args(["-O3", "-march=native", standard]).args(&self.flags);
        run = run.args(self.plugin_argument("-fpass-plugin="));
        run = run.args(match self.remarks {
            Remarks::Silent => &[][..],
            Remarks::Passed => &["-Rpass=tessera"],
            Remarks::All => &["-Rpass=tessera", "-Rpass-missed=tessera"],
            Remarks::WithSteps => &["-Rpass=tessera", "-Rpass-missed=tessera", "-Rpass-analysis=tessera"],
        });
        run = match product {
            Product::Executable => run,
            Product::Object => run.arg("-c"),
            Product::Ir => run.args(["-S", "-emit-llvm", "-fno-discard-value-names"]),
        };
        run = run.arg(source).arg("-o").arg(to);
        if product == Product::Executable {
            run = run.arg("-lm");
        }
        Ok(run.output()?.stderr)
    }

    fn opt(&self, source: &Path, product: Product, to: &Path) -> Result<String, Failure> {
        let beside = |extension: &str| to.with_extension(extension);
        let (unoptimised, optimised): (PathBuf, PathBuf) = (beside("input.bc"), beside("output.bc"));
        let lines: &[&str] = if self.remarks == Remarks::Silent { &[] } else { &["-gline-tables-only"] };
        Run::new("clang-22")
            .args(lines)
            .args(["-O3", "-std=gnu17", "-Xclang", "-disable-llvm-passes", "-fno-discard-value-names"])
            .args(&self.flags)
            .args(["-emit-llvm", "-c"])
            .arg(source)
            .arg("-o")
            .arg(&unoptimised)
            .output()?;
        let mut run = self.run("opt-22").args(self.plugin_argument("-load-pass-plugin=")).arg("-passes=default<O3>");
        run = run.args(match self.remarks {
            Remarks::Silent => &[][..],
            Remarks::Passed => &["-pass-remarks=tessera"],
            Remarks::All => &["-pass-remarks=tessera", "-pass-remarks-missed=tessera"],
            Remarks::WithSteps => {
                &["-pass-remarks=tessera", "-pass-remarks-missed=tessera", "-pass-remarks-analysis=tessera"]
            }
        });
        if product == Product::Ir {
            return Ok(run.arg("-S").arg(&unoptimised).arg("-o").arg(to).output()?.stderr);
        }
        let log = run.arg(&unoptimised).arg("-o").arg(&optimised).output()?.stderr;
        let object = if product == Product::Object { to.to_path_buf() } else { beside("o") };
        Run::new("llc-22")
            .args(["-O3", "-filetype=obj", "-relocation-model=pic"])
            .arg(&optimised)
            .arg("-o")
            .arg(&object)
            .output()?;
        if product == Product::Executable {
            Run::new("clang-22").arg(&object).arg("-o").arg(to).arg("-lm").output()?;
        }
        Ok(log)
    }

    fn rustc(&self, source: &Path, product: Product, to: &Path) -> Result<String, Failure> {
        let mut run = self.run("rustc");
        if self.host == Host::RustcNightly {
            run = run.arg("+nightly");
        } else {
            run = run.env("RUSTC_BOOTSTRAP", "1");
        }
        run = run.args(["--edition=2024", "-Copt-level=3", "-Ctarget-cpu=native"]);
        // Flags that a program asks for itself, in the form of the compiler's own tests.
        let text = std::fs::read_to_string(source)
            .map_err(|error| Failure::new(format!("reading {}", source.display()), error.to_string()))?;
        let asked = text.lines().filter_map(|line| line.trim_start().strip_prefix("//@ compile-flags: "));
        run = run.args(asked.flat_map(str::split_whitespace));
        run = run.args(&self.flags);
        if let Some(plugin) = self.plugin_argument("-Zllvm-plugins=") {
            run = run.arg(plugin);
        }
        if self.remarks != Remarks::Silent {
            run = run.args(["-Cremark=tessera", "-Cdebuginfo=line-tables-only", "-Ccodegen-units=1"]);
        }
        run = match product {
            Product::Executable => run,
            Product::Object => run.args(["--emit=obj", "-Ccodegen-units=1"]),
            Product::Ir => run.args(["--emit=llvm-ir", "-Ccodegen-units=1"]),
        };
        Ok(run.arg(source).arg("-o").arg(to).output()?.stderr)
    }
}
