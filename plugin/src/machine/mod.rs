//! The processor that will run a function, as the library's [`Target`]: what estimates of time are made for.
//!
//! Four sources, each for what it knows best:
//!
//! - the instruction set (attribute `target-features`, the architecture of the module, the host's registers) chooses the built-in target
//!   that is the base: `avx512`, `avx2`, `neon`, or `generic` for everything else;
//! - the name of the processor (attributes `tune-cpu` and `target-cpu`) finds its caches in a table ([`processors`]); it is the name of
//!   the target, too. The machine that compiles is not asked: compilers replace `native` by a name;
//! - the host says which registers it has and prefers, which accesses vectors have, and what operations on them cost ([`vectors`]);
//! - what nobody says stays as the base has it.
//!
//! The option `target=NAME` or `target=FILE` takes the place of all this. `target=print` shows it, in the form that option and `polycalc`
//! read.
//!
//! Invariants: a [`Machine`] asks nothing before its target is asked for, and what it asks changes neither IR nor analyses.

pub mod processors;
mod vectors;

use crate::host::Analyses;
use processors::Processor;
use std::cell::OnceCell;
use std::sync::Arc;
use tessera_polyhedral::strategy::{Source, Strategy};
use tessera_polyhedral::target::{Cache, Target};
use tessera_polyhedral::{Error, Result};

/// The machine of one function.
pub struct Machine<'a> {
    host: Analyses<'a>,
    /// What the user says it is.
    given: Option<Arc<Target>>,
    target: OnceCell<Result<Arc<Target>>>,
}

impl<'a> Machine<'a> {
    /// The machine that the function of the analyses is compiled for, or the one that the user has given.
    pub fn new(host: Analyses<'a>, given: Option<Arc<Target>>) -> Self {
        Machine { host, given, target: OnceCell::new() }
    }

    /// The machine as data; computed when it is asked for first. An error would be a mistake in a built-in target.
    pub fn target(&self) -> Result<&Arc<Target>> {
        let target = self.target.get_or_init(|| match &self.given {
            Some(given) => Ok(given.clone()),
            None => of_function(&self.host).map(Arc::new),
        });
        target.as_ref().map_err(Error::clone)
    }

    /// A strategy for this machine, which is asked only if the text asks for facts. An error says where in the text, and what was expected.
    pub fn strategy(&self, source: &Source) -> Result<Arc<Strategy>> {
        let target = if source.asks() { Some(self.target()?) } else { None };
        source.on(target.map(Arc::as_ref))
    }

    /// Whether lanes of vectors can be switched off, so that branches become masks; without computing the rest of the target.
    pub fn has_masks(&self) -> bool {
        match &self.given {
            Some(given) => given.vectors.masks,
            None => vectors::has_masks(&self.host),
        }
    }

    /// The width of vectors in bits for loops that compute much with what they load, where the compiler prefers narrower ones: the
    /// instruction set has them, the processor is known to gain by them or the user says that the machine has them, and the function does
    /// not say which width it wants (`-mprefer-vector-width`).
    pub fn wide_vectors(&self) -> Option<u32> {
        let function = self.host.function();
        let bits = vectors::wider(&self.host)?;
        let is_wanted = match &self.given {
            Some(given) => given.vectors.bits >= bits,
            None => names(&self.host).iter().find_map(|name| Processor::find(name)).is_some_and(|found| found.wide),
        };
        (is_wanted && function.attribute_text("prefer-vector-width").is_empty()).then_some(bits)
    }

    /// How many bytes the second cache takes; nothing if there is none, or if it is not known.
    pub fn second_cache(&self) -> Option<u64> {
        self.target().ok()?.caches.get(1).map(|cache| cache.bytes)
    }

    /// Whether one instruction multiplies and adds; without computing the rest of the target.
    pub fn has_fma(&self) -> bool {
        match &self.given {
            Some(given) => given.vectors.fma,
            None => vectors::has_fma(&self.host),
        }
    }

    /// How many vector registers there are; without computing the rest of the target.
    pub fn vector_registers(&self) -> u32 {
        match &self.given {
            Some(given) => given.vectors.registers,
            None => vectors::registers(&self.host),
        }
    }
}

/// The architectures that have built-in targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Architecture {
    X86,
    Arm64,
    Other,
}

fn architecture_name(triple: &str) -> &str {
    triple.split('-').next().filter(|name| !name.is_empty()).unwrap_or("generic")
}

impl Architecture {
    fn of(triple: &str) -> Self {
        match architecture_name(triple) {
            "i386" | "i486" | "i586" | "i686" => Self::X86,
            name if name.starts_with("x86_64") => Self::X86,
            name if name.starts_with("aarch64") || name.starts_with("arm64") => Self::Arm64,
            _ => Self::Other,
        }
    }
}

/// The name of the built-in target of an instruction set. Front ends that give a processor and no features leave only the
/// host's registers: 32 of them are those of AVX-512, wide ones on which integers cost as much as on narrow ones those of AVX2.
fn base(architecture: Architecture, features: &str, host: &Analyses<'_>) -> &'static str {
    let has = |wanted: &str| features.split(',').any(|feature| feature == wanted);
    match architecture {
        Architecture::Other => "generic",
        Architecture::Arm64 => "neon",
        Architecture::X86 if has("+avx512f") || host.vector_registers() >= 32 => "avx512",
        Architecture::X86 if has("+avx2") || vectors::has_wide_integers(host) => "avx2",
        Architecture::X86 => "generic",
    }
}

/// What the processor may be called: the one that is tuned for, and the one whose instructions there are.
fn names(host: &Analyses<'_>) -> [String; 2] {
    ["tune-cpu", "target-cpu"].map(|attribute| host.function().attribute_text(attribute))
}

fn of_function(host: &Analyses<'_>) -> Result<Target> {
    let function = host.function();
    let features = function.attribute_text("target-features");
    let names = names(host);
    let triple = host.triple();
    let architecture = Architecture::of(&triple);
    let base = base(architecture, &features, host);
    let mut target = match Target::builtin(base) {
        Some(target) => target?,
        None => unreachable!("{base} is built in"),
    };
    let is_of_another = architecture == Architecture::Other;
    target.scalar_registers = host.scalar_registers().max(1);
    match names.iter().find_map(|name| Some((name, Processor::find(name)?))) {
        Some((name, processor)) => {
            target.name.clone_from(name);
            target.window = f64::from(processor.window);
            target.caches = caches(&target.caches, processor.caches);
            for cost in &mut target.operations {
                cost.vector = cost.vector.map(|vector| (vector * processor.vectors).min(cost.scalar));
            }
        }
        None => {
            if let Some(line) = host.cache_line_bytes() {
                for cache in &mut target.caches {
                    cache.line = u64::from(line);
                }
            }
        }
    }
    if is_of_another && target.name == base {
        target.name = architecture_name(&triple).to_owned();
    }
    vectors::fit(&mut target, host, is_of_another);
    Ok(target)
}

/// Caches of the sizes in the table, with the times that the base has for their levels.
fn caches(base: &[Cache], sizes: &[processors::Cache]) -> Vec<Cache> {
    let levels = base.iter().zip(sizes);
    levels.map(|(level, &(kib, ways, line))| Cache { bytes: kib << 10, line, ways, ..level.clone() }).collect()
}
