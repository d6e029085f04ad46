//! Processors by the names that compilers know them by: what of them is not in their instruction sets.
//!
//! Sizes are those that one thread may count on: of a last cache that cores share, what small machines with that core have. Numbers come
//! from the makers' manuals and optimisation guides. A name that is not here (`x86-64-v3`, `generic`, what is newer than this table) is no
//! mistake: the built-in target of its instruction set stands for it.
//!
//! Invariants: a name occurs once; caches grow outwards. The tests of the module check both.

/// A cache: KiB, ways, bytes of a line.
pub(super) type Cache = (u64, u64, u64);

/// What is known about a processor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Processor {
    /// All names, as LLVM and rustc write them; LLVM also knows most with `_` for `-`.
    names: &'static [&'static str],
    /// The caches, the nearest first.
    pub(super) caches: &'static [Cache],
    /// Instructions between the oldest that is not finished and the youngest that has begun.
    pub(super) window: u32,
    /// The vector operations that begin per cycle, as a multiple of those of the built-in target: 2 where that is of a processor that
    /// needs two steps for a register. Never more than scalar operations.
    pub(super) vectors: f64,
    /// Whether loops that compute much with what they load gain by vectors of 512 bits although compilers prefer those of 256.
    pub(super) wide: bool,
}

const fn processor(names: &'static [&'static str], caches: &'static [Cache], window: u32) -> Processor {
    Processor { names, caches, window, vectors: 1.0, wide: false }
}

impl Processor {
    /// Its vector operations begin so many times as often.
    const fn vectors(self, vectors: f64) -> Processor {
        Processor { vectors, ..self }
    }

    /// Products of matrices gain by its widest vectors. Only where that was measured (on an Emerald Rapids, whose core the others share):
    /// before, whole cores became slower when one used these registers.
    const fn wide(self) -> Processor {
        Processor { wide: true, ..self }
    }

    /// The processor of a name.
    pub(super) fn find(name: &str) -> Option<&'static Processor> {
        PROCESSORS.iter().find(|processor| processor.names.iter().any(|known| same(known, name)))
    }
}

/// Whether two names differ at most in `_` for `-`.
fn same(a: &str, b: &str) -> bool {
    let letter = |byte: u8| if byte == b'_' { b'-' } else { byte };
    a.len() == b.len() && a.bytes().zip(b.bytes()).all(|(a, b)| letter(a) == letter(b))
}

const PROCESSORS: &[Processor] = &[
    // Intel.
    processor(&["nehalem", "corei7", "westmere"], &[(32, 8, 64), (256, 8, 64), (8192, 16, 64)], 128),
    processor(
        &["sandybridge", "corei7-avx", "ivybridge", "core-avx-i"],
        &[(32, 8, 64), (256, 8, 64), (8192, 16, 64)],
        168,
    ),
    processor(&["haswell", "core-avx2", "broadwell"], &[(32, 8, 64), (256, 8, 64), (8192, 16, 64)], 192),
    processor(&["skylake"], &[(32, 8, 64), (256, 4, 64), (8192, 16, 64)], 224),
    processor(
        &["skylake-avx512", "skx", "cascadelake", "cooperlake"],
        &[(32, 8, 64), (1024, 16, 64), (11264, 11, 64)],
        224,
    ),
    processor(&["icelake-client", "rocketlake"], &[(48, 12, 64), (512, 8, 64), (8192, 16, 64)], 352),
    processor(&["tigerlake"], &[(48, 12, 64), (1280, 20, 64), (12288, 12, 64)], 352),
    processor(&["icelake-server"], &[(48, 12, 64), (1280, 20, 64), (12288, 12, 64)], 352).vectors(2.0),
    processor(&["alderlake"], &[(48, 12, 64), (1280, 10, 64), (18432, 12, 64)], 512),
    processor(&["raptorlake", "meteorlake"], &[(48, 12, 64), (2048, 16, 64), (18432, 12, 64)], 512),
    processor(&["arrowlake", "arrowlake-s"], &[(48, 12, 64), (3072, 12, 64), (24576, 12, 64)], 576),
    processor(
        &["sapphirerapids", "emeraldrapids", "graniterapids", "graniterapids-d"],
        &[(48, 12, 64), (2048, 16, 64), (30720, 15, 64)],
        512,
    )
    .vectors(2.0)
    .wide(),
    // AMD.
    processor(&["znver1"], &[(32, 8, 64), (512, 8, 64), (8192, 16, 64)], 192).vectors(0.5),
    processor(&["znver2"], &[(32, 8, 64), (512, 8, 64), (16384, 16, 64)], 224),
    processor(&["znver3"], &[(32, 8, 64), (512, 8, 64), (32768, 16, 64)], 256),
    processor(&["znver4"], &[(32, 8, 64), (1024, 8, 64), (32768, 16, 64)], 320),
    processor(&["znver5"], &[(48, 12, 64), (1024, 16, 64), (32768, 16, 64)], 448).vectors(2.0),
    // Arm.
    processor(&["cortex-a72"], &[(32, 2, 64), (1024, 16, 64)], 128),
    processor(&["cortex-a76", "cortex-a76ae", "cortex-a77"], &[(64, 4, 64), (512, 8, 64), (2048, 16, 64)], 128),
    processor(&["cortex-a78", "cortex-a78ae", "cortex-a78c"], &[(64, 4, 64), (512, 8, 64), (4096, 16, 64)], 160),
    processor(&["cortex-x1", "cortex-x1c"], &[(64, 4, 64), (1024, 8, 64), (8192, 16, 64)], 224),
    processor(&["cortex-x2", "cortex-x3"], &[(64, 4, 64), (1024, 8, 64), (8192, 16, 64)], 288),
    processor(&["neoverse-n1"], &[(64, 4, 64), (1024, 8, 64), (16384, 16, 64)], 128),
    processor(&["neoverse-n2"], &[(64, 4, 64), (1024, 8, 64), (16384, 16, 64)], 160),
    processor(&["neoverse-v1"], &[(64, 4, 64), (1024, 8, 64), (16384, 16, 64)], 256),
    processor(&["neoverse-v2"], &[(64, 4, 64), (1024, 8, 64), (32768, 16, 64)], 320),
    processor(&["ampere1", "ampere1a", "ampere1b"], &[(64, 4, 64), (2048, 8, 64), (16384, 16, 64)], 174),
    processor(&["a64fx"], &[(64, 4, 256), (8192, 16, 256)], 128),
    // Apple: the second cache is shared by four cores, and there is none behind it that is larger.
    processor(&["apple-m1", "apple-a14"], &[(128, 8, 64), (12288, 12, 128)], 630),
    processor(
        &["apple-m2", "apple-a15", "apple-m3", "apple-a16", "apple-a17", "apple-m4"],
        &[(128, 8, 64), (16384, 16, 128)],
        630,
    ),
    // Power and System z.
    processor(&["pwr8"], &[(64, 8, 128), (512, 8, 128), (8192, 8, 128)], 224),
    processor(&["pwr9"], &[(32, 8, 128), (512, 8, 128), (10240, 20, 128)], 256),
    processor(&["pwr10"], &[(32, 8, 128), (2048, 8, 128), (8192, 16, 128)], 512),
    processor(&["z13"], &[(128, 8, 256), (2048, 8, 256), (65536, 16, 256)], 128),
    processor(&["z14", "z15"], &[(128, 8, 256), (4096, 8, 256), (131_072, 16, 256)], 128),
];

/// What breaks the invariants of the table, if anything does.
pub fn defect() -> Option<String> {
    let names: Vec<&str> = PROCESSORS.iter().flat_map(|processor| processor.names.iter().copied()).collect();
    let twice = names.iter().enumerate().find(|(index, name)| names[..*index].iter().any(|known| same(known, name)));
    if let Some((_, name)) = twice {
        return Some(format!("two rows for {name}"));
    }
    let shrinks = |processor: &&Processor| processor.caches.windows(2).any(|pair| pair[1].0 <= pair[0].0);
    PROCESSORS.iter().find(shrinks).map(|processor| format!("the caches of {} do not grow", processor.names[0]))
}
