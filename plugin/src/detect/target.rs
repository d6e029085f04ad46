//! The targets for which code is built: their addresses are plain integers of 32 or 64 bits, and so many bits are multiplied, and divided
//! by constants, without a call.
//!
//! Counters and distances have the width of addresses in new code. It must not call what the program does not (`__multi3`,
//! `__divdi3`, `__mspabi_mpyi`): programs without a run-time library could not be linked.

use crate::host::Analyses;
use crate::reasons::Reason;

/// Architectures by the start of their names, with the feature that has the arithmetic, if not all of them have it.
const FAMILIES: [(&str, Option<&str>); 19] = [
    ("x86_64", None),
    ("i386", None),
    ("i486", None),
    ("i586", None),
    ("i686", None),
    ("aarch64", None),
    ("arm64", None),
    ("armv4t", None),
    ("armv5", None),
    ("armv7", None),
    ("armv8", None),
    ("thumbv7", None),
    ("powerpc", None),
    ("mips", None),
    ("s390x", None),
    ("nvptx64", None),
    ("wasm32", None),
    ("riscv64", Some("+m")),
    ("riscv32", Some("+m")),
];

/// What can be divided by numbers that are not constants, without a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// Nothing for certain.
    None,
    /// Integers of so many bits and fewer.
    Words(u32),
}

impl Division {
    /// That of the target.
    pub fn of(host: &Analyses<'_>) -> Self {
        let triple = host.triple();
        match triple.starts_with("arm") || triple.starts_with("thumb") {
            // Not all processors have the instruction.
            true => Self::None,
            false => Self::Words(host.index_bits(0)),
        }
    }

    /// Whether an unsigned quotient of so many bits needs no call.
    pub fn divides(host: &Analyses<'_>, bits: u32, divisor: Option<i128>) -> bool {
        match (divisor, Self::of(host)) {
            (Some(divisor), _) if divisor > 0 && divisor.count_ones() == 1 => true,
            (Some(_), _) => bits <= host.index_bits(0),
            (None, Self::Words(most)) => bits <= most,
            (None, Self::None) => false,
        }
    }
}

/// Whether numbers of type `float` and `double` are computed in registers with more digits (those of the 8087), and rounded when they are
/// stored: then results depend on what is kept in registers, which new code changes. x86 computes so without SSE2; with SSE alone only
/// `double`. Processors of 64 bits have SSE2 unless it is switched off.
pub fn rounds_late(host: &Analyses<'_>) -> bool {
    let triple = host.triple();
    if triple.starts_with("x86_64") {
        return host.function().attribute_text("target-features").split(',').any(|feature| feature == "-sse2");
    }
    // What features a processor has by its name, the host knows.
    ["i386", "i486", "i586", "i686"].iter().any(|start| triple.starts_with(start)) && !host.has_vectors_of(64, 2)
}

/// Refuses a target whose addresses or arithmetic are of another kind.
pub fn check(host: &Analyses<'_>) -> Result<(), Reason> {
    let triple = host.triple();
    let architecture = triple.split('-').next().unwrap_or_default();
    let family = FAMILIES.iter().find(|(start, _)| architecture.starts_with(start));
    let features = host.function().attribute_text("target-features");
    let has_feature = |wanted: &str| features.split(',').any(|feature| feature == wanted);
    let has_arithmetic = match family {
        // Older processors have no long products in their short instructions.
        Some((start, None)) if start.starts_with("armv") => !has_feature("+thumb-mode") || *start == "armv7",
        Some((_, None)) => true,
        Some((_, Some(wanted))) => has_feature(wanted),
        // IR that names no target is compiled for whatever its data layout says.
        None => architecture.is_empty() || architecture == "unknown",
    };
    match host.integer_address_bits(0) {
        Some(32 | 64) if has_arithmetic => Ok(()),
        _ => Err(Reason::Target { name: architecture.to_owned() }),
    }
}
