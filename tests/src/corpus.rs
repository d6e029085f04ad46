//! The corpus: the programs under `tests/programs`, and what each kernel says about itself.
//!
//! A kernel is a function whose name starts with `k_`. The comment line before it, `// transformed: yes|no|any`, says
//! what the pass does with it at its default options: `any` where nothing is promised. Adding a file to the folder
//! adds it to every test.

use crate::host::{Host, Language};
use crate::plugin::workspace;
use crate::process::Failure;
use std::path::{Path, PathBuf};

/// A program of the corpus.
#[derive(Clone, Debug)]
pub struct Program {
    /// The file name without its extension.
    pub name: String,
    /// The source file.
    pub source: PathBuf,
    /// Its language, which says which hosts can compile it.
    pub language: Language,
    /// Its kernels in the order of the file.
    pub kernels: Vec<Kernel>,
}

impl Program {
    /// The compiler of its language that users have.
    pub fn host(&self) -> Host {
        match self.language {
            Language::C => Host::Clang,
            Language::Cpp => Host::ClangCpp,
            Language::Rust => Host::Rustc,
        }
    }
}

/// One kernel of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The name of the function, which is also its symbol.
    pub name: String,
    /// What the comment before it says.
    pub transformed: Expectation,
}

/// Whether the pass transforms a kernel at its default options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// At least one loop nest of it is transformed.
    Yes,
    /// It is left alone.
    No,
    /// Nothing is promised.
    Any,
}

/// All programs, sorted by language and name.
pub fn programs() -> Result<Vec<Program>, Failure> {
    let root = workspace().join("tests/programs");
    let mut programs = Vec::new();
    for (folder, extension, language) in
        [("c", "c", Language::C), ("cpp", "cpp", Language::Cpp), ("rust", "rs", Language::Rust)]
    {
        let folder = root.join(folder);
        let unreadable =
            |error: std::io::Error| Failure::new(format!("listing {}", folder.display()), error.to_string());
        let mut sources = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            sources.push(entry.map_err(unreadable)?.path());
        }
        sources.retain(|path| path.extension().is_some_and(|e| e == extension) && stem(path) != "check");
        sources.sort();
        for source in sources {
            let text = std::fs::read_to_string(&source)
                .map_err(|error| Failure::new(format!("reading {}", source.display()), error.to_string()))?;
            let kernels = kernels(&text).map_err(|reason| Failure::new(source.display().to_string(), reason))?;
            programs.push(Program { name: stem(&source), source, language, kernels });
        }
    }
    Ok(programs)
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned())
}

/// Reads the kernels and their expectations. A kernel without the comment, and a comment without a kernel, is an error.
fn kernels(text: &str) -> Result<Vec<Kernel>, String> {
    let mut kernels: Vec<Kernel> = Vec::new();
    let mut pending = None;
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        if let Some(word) = line.strip_prefix("// transformed: ") {
            let expectation = match word.trim_end() {
                "yes" => Expectation::Yes,
                "no" => Expectation::No,
                "any" => Expectation::Any,
                other => return Err(format!("line {number}: `{other}` is none of yes, no, any")),
            };
            if pending.replace(expectation).is_some() {
                return Err(format!("line {number}: the comment before this one has no kernel"));
            }
        } else if line.starts_with("KERNEL ") || line.contains(" fn k_") {
            let name = line.find(" k_").map(|at| &line[at + 1..]).and_then(|rest| rest.split('(').next());
            let name = name.ok_or(format!("line {number}: no name that starts with k_"))?.to_string();
            let transformed = pending.take().ok_or(format!("line {number}: no `// transformed:` before {name}"))?;
            kernels.push(Kernel { name, transformed });
        }
    }
    match pending {
        None => Ok(kernels),
        Some(_) => Err("the last `// transformed:` has no kernel".to_string()),
    }
}

/// The text of the function `name` in LLVM IR printed as text; `None` when it is not defined there.
pub fn function_in_ir<'a>(ir: &'a str, name: &str) -> Option<&'a str> {
    let mark = format!("@{name}(");
    let start = ir.match_indices("\ndefine ").map(|(at, _)| at + 1).find(|&at| {
        let line = ir[at..].lines().next().unwrap_or("");
        line.contains(&mark)
    })?;
    let length = ir[start..].find("\n}").map_or(ir.len() - start, |end| end + 2);
    Some(&ir[start..start + length])
}

/// Whether a function printed as LLVM IR holds a block made by the pass.
pub fn has_tessera_blocks(function: &str) -> bool {
    function.lines().any(|line| {
        let label = line.split(':').next().unwrap_or("").trim_matches('"');
        line.contains(':') && !line.starts_with(char::is_whitespace) && label.starts_with("tessera.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_kernels_with_their_expectations() {
        let text =
            "// transformed: yes\nKERNEL void k_a(int n) {\n}\n// transformed: no\n#[inline(never)]\npub fn k_b() {\n";
        let kernel = |name: &str, transformed| Kernel { name: name.to_string(), transformed };
        assert_eq!(kernels(text), Ok(vec![kernel("k_a", Expectation::Yes), kernel("k_b", Expectation::No)]));
        assert!(kernels("KERNEL void k_a(void);\n").is_err());
        assert!(kernels("// transformed: maybe\n").is_err());
        assert!(kernels("// transformed: any\n").is_err());
    }

    #[test]
    fn finds_blocks_in_ir() {
        let ir = "\ndefine void @f(ptr %a) {\nentry:\n  br label %tessera.x\ntessera.x:                ; preds\n  ret void\n}\n\
                  \ndefine void @g() {\nentry:\n  ret void ; tessera.x:\n}\n";
        assert!(function_in_ir(ir, "f").is_some_and(has_tessera_blocks));
        assert!(function_in_ir(ir, "g").is_some_and(|text| !has_tessera_blocks(text)));
        assert!(function_in_ir(ir, "h").is_none());
    }
}
