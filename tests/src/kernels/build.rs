//! Building kernels: one object per kernel, form and compiler, and a program around it.
//!
//! Only the kernel's own object is made by the compiler under test; the driver and the glue are the same for all. Rust
//! objects are linked with `driver/rows.rs`, a library that has the standard library that panics need.

use super::measure::user_seconds;
use super::problem::{Collection, Element, Problem, folder};
use super::{Form, Language, glue, root};
use crate::plugin::Plugin;
use crate::process::{Failure, Run, strict};
use std::path::{Path, PathBuf};

/// Processor seconds that Polly may take for one file. Where sizes are parameters it can take minutes.
pub const POLLY_LIMIT: u32 = 60;

/// How a kernel is compiled. All are at -O3 for this processor.
#[derive(Clone, Copy, Debug)]
pub enum Compiler<'a> {
    /// As it is.
    Plain,
    /// As it is, or without the fused multiply-add that clang makes of one expression of C and C++ and rustc never makes.
    /// The reference for the results of other forms.
    Reference {
        /// With fused multiply-add.
        fused: bool,
    },
    /// With the plugin and `TESSERA` set to these options.
    Tessera(&'a Plugin, &'a str),
    /// With LLVM's own polyhedral optimiser at its best options, stopped after [`POLLY_LIMIT`]. Not for Rust: rustc's LLVM
    /// has none.
    Polly {
        /// With tiles of tiles.
        second_level: bool,
    },
}

impl Compiler<'_> {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Compiler::Plain => "plain",
            Compiler::Reference { fused: true } => "fused",
            Compiler::Reference { fused: false } => "unfused",
            Compiler::Tessera(..) => "tessera",
            Compiler::Polly { second_level: false } => "polly",
            Compiler::Polly { second_level: true } => "polly2",
        }
    }

    /// Whether there is such a compiler for a form.
    pub fn compiles(self, form: Form) -> bool {
        !(matches!(self, Compiler::Polly { .. }) && form.language() == Language::Rust)
    }
}

/// A folder with what all programs share. It is deleted with the value.
#[derive(Debug)]
pub struct Workshop {
    folder: tempfile::TempDir,
    /// For clang: another machine than this one.
    flags: Vec<String>,
    /// For rustc: the processor.
    cpu: String,
}

/// A kernel in one form; `sizes` are what it is compiled for where [`Form::is_constant`].
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    /// Its arguments.
    pub problem: &'a Problem,
    /// How it is written.
    pub form: Form,
    /// Its sizes, if the compiler is to know them.
    pub sizes: &'a [i64],
}

impl Kernel<'_> {
    /// The source file.
    pub fn source(&self) -> PathBuf {
        let extension = match self.form.language() {
            Language::C => "c",
            Language::Cpp => "cpp",
            Language::Rust => "rs",
        };
        let folder = match self.problem.collection {
            Collection::User => Collection::User.folder(),
            collection @ (Collection::Kernels | Collection::Products) => collection.folder().join(self.form.folder()),
        };
        folder.join(&self.problem.name).with_extension(extension)
    }

    fn stem(&self) -> String {
        let stem = format!("{}-{}", self.problem.name, self.form.name());
        if self.form.is_constant() {
            let sizes: Vec<String> = self.sizes.iter().map(i64::to_string).collect();
            format!("{stem}-{}", sizes.join("x"))
        } else {
            stem
        }
    }
}

impl Workshop {
    /// Compiles the driver and what Rust programs need.
    pub fn open() -> Result<Self, Failure> {
        Self::open_on("native")
    }

    /// The same for another processor, named as clang's `-march` and rustc's `target-cpu` do; this machine must be able to run its code.
    pub fn open_on(cpu: &str) -> Result<Self, Failure> {
        let workshop = Workshop { cpu: cpu.to_string(), ..Self::open_for(&[&format!("-march={cpu}")])? };
        Run::new("rustc")
            .args(["--edition=2024", "--crate-type=dylib", "-Copt-level=3"])
            .arg(workshop.driver("rows.rs"))
            .arg("-o")
            .arg(workshop.file("librows.so"))
            .output()?;
        Ok(workshop)
    }

    /// The same for the forms in C alone, with flags that name a machine whose programs run here.
    pub fn open_for(flags: &[&str]) -> Result<Self, Failure> {
        let folder = tempfile::tempdir().map_err(|error| Failure::new("making a folder", error.to_string()))?;
        let flags = flags.iter().map(|flag| (*flag).to_string()).collect();
        let workshop = Workshop { folder, flags, cpu: "native".to_string() };
        Run::new("clang-22")
            .args(["-O3", "-march=native", "-c"])
            .args(&workshop.flags)
            .arg(workshop.driver("driver.c"))
            .arg("-o")
            .arg(workshop.file("driver.o"))
            .output()?;
        Ok(workshop)
    }

    /// A file of that name in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file of the driver.
    pub fn driver(&self, name: &str) -> PathBuf {
        folder().join("driver").join(name)
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf, Failure> {
        let path = self.file(name);
        std::fs::write(&path, text).map_err(|error| Failure::new(path.display().to_string(), error.to_string()))?;
        Ok(path)
    }

    /// The command that compiles a kernel to `object`, environment included.
    pub fn command(&self, kernel: Kernel, compiler: Compiler, object: &Path) -> Result<Vec<String>, Failure> {
        let mut words = match compiler {
            Compiler::Polly { .. } => vec!["prlimit".to_string(), format!("--cpu={POLLY_LIMIT}")],
            _ => Vec::new(),
        };
        words.push("env".to_string());
        if let Compiler::Tessera(_, options) = compiler {
            words.push(format!("TESSERA={}", strict(options)));
        }
        let mut source = kernel.source();
        if kernel.form.language() == Language::Rust {
            // Stable rustc takes the plugin's flag only with the variable.
            words.extend(
                ["RUSTC_BOOTSTRAP=1", "rustc", "--edition=2024", "--crate-type=lib", "--emit=obj"].map(String::from),
            );
            words.extend(["-Copt-level=3", "-Ccodegen-units=1"].map(String::from));
            words.push(format!("-Ctarget-cpu={}", self.cpu));
            words.push(format!("--crate-name={}", kernel.problem.name));
            if let Compiler::Tessera(plugin, _) = compiler {
                words.push(format!("-Zllvm-plugins={}", plugin.path().display()));
            }
            let root = root::rust_root(kernel.problem, kernel.form, kernel.sizes, &source);
            source = self.write(&format!("{}.rs", kernel.stem()), &root)?;
        } else {
            words.extend(["clang-22", "-O3", "-march=native", "-c"].map(String::from));
            words.extend(self.flags.iter().cloned());
            if kernel.form == Form::Mdspan {
                words.push("-std=c++20".to_string());
            }
            if kernel.form == Form::Constant {
                words.push("-DCONSTANT".to_string());
                let names = kernel.problem.sizes.iter().map(|(name, _)| name);
                words.extend(names.zip(kernel.sizes).map(|(name, size)| format!("-D{name}={size}")));
            }
            match compiler {
                Compiler::Plain | Compiler::Reference { fused: true } => {}
                Compiler::Reference { fused: false } => words.push("-ffp-contract=off".to_string()),
                Compiler::Tessera(plugin, _) => words.push(format!("-fpass-plugin={}", plugin.path().display())),
                Compiler::Polly { second_level } => {
                    words.extend(["-mllvm", "-polly", "-mllvm", "-polly-vectorizer=stripmine"].map(String::from));
                    if second_level {
                        words.extend(["-mllvm", "-polly-2nd-level-tiling"].map(String::from));
                    }
                }
            }
        }
        words.extend([source.display().to_string(), "-o".to_string(), object.display().to_string()]);
        Ok(words)
    }

    /// Where the object of a kernel is: there from its first compilation on.
    fn object_path(&self, kernel: Kernel, compiler: Compiler) -> PathBuf {
        let options = match compiler {
            Compiler::Tessera(plugin, options) => {
                format!("{}{options}", plugin.path().display()).replace(|c: char| !c.is_ascii_alphanumeric(), "-")
            }
            _ => String::new(),
        };
        self.file(&format!("{}-{}{options}.o", kernel.stem(), compiler.name()))
    }

    /// Compiles a kernel to its object, also if that has been done; gives the user seconds.
    pub fn timed_object(&self, kernel: Kernel, compiler: Compiler) -> Result<f64, Failure> {
        self.compile(kernel, compiler, &self.object_path(kernel, compiler), user_seconds)
    }

    /// Runs the command of a compilation with `how`. What failed once is not tried again: Polly's limit is long.
    fn compile<T>(
        &self,
        kernel: Kernel,
        compiler: Compiler,
        object: &Path,
        how: impl Fn(&[String]) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let failed = object.with_extension("failed");
        if failed.exists() {
            return Err(Failure::new(object.display().to_string(), "its compilation failed before"));
        }
        let result = how(&self.command(kernel, compiler, object)?);
        if let Err(failure) = &result {
            let write = std::fs::write(&failed, failure.to_string());
            write.map_err(|error| Failure::new(failed.display().to_string(), error.to_string()))?;
        }
        result
    }

    /// Compiles a kernel unless that has been done; gives its object.
    pub fn object(&self, kernel: Kernel, compiler: Compiler) -> Result<PathBuf, Failure> {
        let object = self.object_path(kernel, compiler);
        if !object.exists() {
            self.compile(kernel, compiler, &object, |words| run_of(words).output().map(|_| ()))?;
        }
        Ok(object)
    }

    /// What lets the driver call a kernel, as a source file.
    pub fn glue(&self, kernel: Kernel) -> Result<PathBuf, Failure> {
        let extension = if kernel.form.language() == Language::Cpp { "cpp" } else { "c" };
        self.write(&format!("{}-glue.{extension}", kernel.stem()), &glue::driver_side(kernel.problem, kernel.form))
    }

    /// Compiles a kernel and links the program around it.
    pub fn program(&self, kernel: Kernel, compiler: Compiler) -> Result<PathBuf, Failure> {
        let object = self.object(kernel, compiler)?;
        let glue_object = self.glue_object(kernel)?;
        let program = object.with_extension("");
        let linker = if kernel.form.language() == Language::Cpp { "clang++-22" } else { "clang-22" };
        let mut link = Run::new(linker).args(&self.flags).arg(self.file("driver.o")).arg(glue_object).arg(object);
        if kernel.form.language() == Language::Rust {
            // A shared library: linking a program with all of the standard library takes longer than compiling it.
            let path = format!("-Wl,-rpath,{}", self.folder.path().display());
            link = link.arg(self.file("librows.so")).arg(path);
        }
        link.arg("-lm").arg("-o").arg(&program).output()?;
        Ok(program)
    }

    /// Compiles a kernel and links it and its glue as a shared library for [`Workshop::pair`]. `place` bytes of nothing come
    /// before the kernel's code.
    pub fn library(&self, kernel: Kernel, compiler: Compiler, place: usize) -> Result<PathBuf, Failure> {
        let object = self.object(kernel, compiler)?;
        let library = object.with_extension(format!("{place}.so"));
        let linker = if kernel.form.language() == Language::Cpp { "clang++-22" } else { "clang-22" };
        let link = Run::new(linker).args(["-shared", "-Wl,-Bsymbolic"]).arg(self.glue_object(kernel)?);
        let mut link = link.arg(self.space(place)?).arg(object);
        if kernel.form.language() == Language::Rust {
            let path = format!("-Wl,-rpath,{}", self.folder.path().display());
            link = link.arg(self.file("librows.so")).arg(path);
        }
        link.arg("-lm").arg("-o").arg(&library).output()?;
        Ok(library)
    }

    /// An object with so many bytes of code that nothing calls, from a multiple of 64 on.
    fn space(&self, bytes: usize) -> Result<PathBuf, Failure> {
        let object = self.file(&format!("space{bytes}.o"));
        if !object.exists() {
            let source = self.file(&format!("space{bytes}.s"));
            let text = format!(".text\n.p2align 6\n.zero {bytes}\n");
            std::fs::write(&source, text)
                .map_err(|error| Failure::new(source.display().to_string(), error.to_string()))?;
            Run::new("clang-22").arg("-c").arg(&source).arg("-o").arg(&object).output()?;
        }
        Ok(object)
    }

    /// Compiles the program in which two libraries take turns.
    pub fn pair(&self) -> Result<PathBuf, Failure> {
        self.turns("pair")
    }

    /// Compiles a program of the driver in which libraries take turns.
    pub fn turns(&self, name: &str) -> Result<PathBuf, Failure> {
        let program = self.file(name);
        if !program.exists() {
            let source = self.driver(name).with_extension("c");
            Run::new("clang-22").args(["-O2", "-rdynamic"]).arg(source).args(["-lm", "-o"]).arg(&program).output()?;
        }
        Ok(program)
    }

    /// Compiles what executes as many operations as the processor can, fused ones or not, as a shared library for `products.c`.
    pub fn peak(&self, element: Element, fused: bool) -> Result<PathBuf, Failure> {
        let library = self.file(&format!("peak-{}-{fused}.so", element.rust()));
        if !library.exists() {
            Run::new("clang-22")
                .args(["-O3", "-march=native", "-mprefer-vector-width=512", "-shared", "-fPIC"])
                .args(&self.flags)
                .arg(format!("-DELEMENT={}", element.c()))
                .args(fused.then_some("-DFUSED"))
                .arg(self.driver("peak.c"))
                .arg("-o")
                .arg(&library)
                .output()?;
        }
        Ok(library)
    }

    /// The object of what lets the driver call a kernel.
    fn glue_object(&self, kernel: Kernel) -> Result<PathBuf, Failure> {
        let stem = kernel.stem();
        let glue_object = self.file(&format!("{stem}-glue.o"));
        if !glue_object.exists() {
            let standard = if kernel.form.language() == Language::Cpp { "-std=c++20" } else { "-std=c17" };
            let source = self.glue(kernel)?;
            let include = format!("-I{}", self.driver("").display());
            Run::new("clang-22")
                .args(["-O1", "-fPIC", "-c", standard, &include])
                .args(&self.flags)
                .arg(source)
                .arg("-o")
                .arg(&glue_object)
                .output()?;
        }
        Ok(glue_object)
    }
}

/// The run of a command given as words.
pub fn run_of(words: &[String]) -> Run {
    Run::new(&words[0]).args(&words[1..])
}
