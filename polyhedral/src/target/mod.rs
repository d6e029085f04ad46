//! Machines as data: what an estimate of time has to know about the processor that will run a loop nest.
//!
//! A [`Target`] holds caches with their sizes and bandwidths, memory, the translation of addresses, registers and
//! vectors, what loops cost, and for every kind of operation how long it takes ([`OperationCost::latency`]) and how
//! many begin per cycle. Times are in cycles of the core, so a target has no frequency. It is plain data: it comes from
//! a text ([`Target::parse`]), from the table of built-in ones ([`Target::builtin`]), or from a compiler that fills the
//! fields itself.
//!
//! The text is the dialect of YAML in which SCoPs are written. The built-in targets are files in it (`avx2.yaml` and
//! its neighbours), with comments that say what every number means; they are the documentation of the format. A small
//! one:
//!
//! ```text
//! target: "small"
//! issue: 4
//! window: 128
//! misses: 8
//! caches:
//! - { cache: "L1", bytes: 32768, line: 64, ways: 8, latency: 4, throughput: 32 }
//! memory: { latency: 200, throughput: 6 }
//! vectors: { bits: 128, registers: 16, fma: 0, masks: 0 }
//! scalars: { registers: 16 }
//! loops: { iteration: 1, entry: 12, vector: 10 }
//! operations:
//! - { operation: add, elements: [ f32, f64 ], latency: 4, scalar: 2, vector: 2 }
//! - { operation: load, latency: 4, scalar: 2, vector: 2 }
//! - { operation: other, latency: 1, scalar: 2 }
//! ```
//!
//! Invariants, which [`Target::parse`] checks: every number is finite and not negative; sizes, throughputs and the
//! number of misses under way are positive; caches grow outwards; the names of caches are different from each other.

mod builtin;
mod print;
mod read;

use crate::scop::{Element, ElementKind};

/// One level of the cache.
#[derive(Clone, Debug, PartialEq)]
pub struct Cache {
    /// Its name in estimates: `L1`.
    pub name: String,
    /// How much it holds, of one thread's data.
    pub bytes: u64,
    /// What is moved at once.
    pub line: u64,
    /// In how many places a line may be. Lines whose distance is a power of two share places.
    pub ways: u64,
    /// Cycles from a load to its value, if it is here.
    pub latency: f64,
    /// Bytes per cycle that come from here over a long time.
    pub throughput: f64,
}

/// What is behind the last cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// Cycles from a load to its value.
    pub latency: f64,
    /// Bytes per cycle over a long time, for one thread.
    pub throughput: f64,
}

/// One level of the translation of addresses (a TLB).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pages {
    /// How many pages it knows.
    pub entries: u64,
    /// The size of a page in bytes.
    pub page: u64,
    /// Cycles that a page costs which it does not know, if others are looked up meanwhile.
    pub miss: f64,
}

/// Vector units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vectors {
    /// The width of a register that compilers prefer; 0 without vectors.
    pub bits: u32,
    /// The number of registers.
    pub registers: u32,
    /// Whether multiplication and addition are one operation where the program allows it.
    pub fma: bool,
    /// Whether lanes can be switched off, so that branches become masks.
    pub masks: bool,
    /// Cycles per lane of a load from addresses of its own for every lane; without it lanes are loaded one by one.
    pub gather: Option<f64>,
    /// The same for stores.
    pub scatter: Option<f64>,
}

/// What loops cost beside their bodies, in cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loops {
    /// One iteration of a loop that is not innermost: counter, bounds, branch.
    pub iteration: f64,
    /// One run of a loop: its bounds, and the branch that ends it and is predicted wrongly.
    pub entry: f64,
    /// What a vectorised loop costs on top per run: choosing the vector loop, splats, the rest.
    pub vector: f64,
}

/// What operations of one kind cost.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationCost {
    /// The kind, one of [`KINDS`].
    pub operation: String,
    /// On which elements; on all if there are none.
    pub elements: Vec<Element>,
    /// Cycles from operands to result.
    pub latency: f64,
    /// Scalar operations that begin per cycle.
    pub scalar: f64,
    /// Operations on a whole vector register that begin per cycle; nothing if lanes are computed one by one.
    pub vector: Option<f64>,
}

/// The kinds of operations that a target has costs for: those of [`OperationKind`](crate::scop::OperationKind), and
/// loads and stores.
pub const KINDS: [&str; 17] = [
    "add", "mul", "fma", "div", "rem", "sqrt", "minmax", "logic", "shift", "compare", "select", "convert", "address",
    "call", "load", "store", "other",
];

/// A machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// How users know it.
    pub name: String,
    /// Threads that new code may use.
    pub threads: u32,
    /// Instructions that begin per cycle.
    pub issue: f64,
    /// Instructions between the oldest that is not finished and the youngest that has begun.
    pub window: f64,
    /// Lines that are fetched at the same time.
    pub misses: f64,
    /// The caches, the nearest first.
    pub caches: Vec<Cache>,
    /// What is behind them.
    pub memory: Memory,
    /// The translation of addresses, the nearest level first.
    pub pages: Vec<Pages>,
    /// Vector units.
    pub vectors: Vectors,
    /// The number of registers for scalars.
    pub scalar_registers: u32,
    /// What loops cost.
    pub loops: Loops,
    /// What operations cost: the first entry that fits counts.
    pub operations: Vec<OperationCost>,
}

impl Target {
    /// What an operation of a kind costs on elements of a type. Types that no entry names are taken for the next wider
    /// one of their kind, addresses for integers, and what is still unknown costs a cycle and has no vectors.
    pub fn cost(&self, operation: &str, element: Element) -> OperationCost {
        let widths = [8, 16, 32, 64];
        let width = widths.into_iter().find(|width| *width >= element.bits).unwrap_or(element.bits);
        let scalar = match element.kind {
            ElementKind::Integer | ElementKind::Pointer => Element::scalar(ElementKind::Integer, width),
            ElementKind::Float | ElementKind::BFloat => Element::scalar(ElementKind::Float, width.max(32)),
            ElementKind::Bytes => Element::scalar(ElementKind::Bytes, element.bits),
        };
        let fits = |entry: &&OperationCost| {
            entry.operation == operation && (entry.elements.is_empty() || entry.elements.contains(&scalar))
        };
        let of = |entry: &OperationCost| match scalar.bits > 64 {
            // No lane of a vector is that wide.
            true => OperationCost { vector: None, ..entry.clone() },
            false => entry.clone(),
        };
        let unknown = OperationCost {
            operation: operation.to_owned(),
            elements: Vec::new(),
            latency: 1.0,
            scalar: 1.0,
            vector: None,
        };
        self.operations.iter().find(fits).map_or(unknown, of)
    }

    /// What breaks the invariants of the module, if anything does.
    fn defect(&self) -> Option<String> {
        let mut inner = 0;
        for (index, cache) in self.caches.iter().enumerate() {
            if cache.bytes <= inner {
                return Some(format!("{} holds no more than the cache before it", cache.name));
            }
            inner = cache.bytes;
            if self.caches[..index].iter().any(|other| other.name == cache.name) {
                return Some(format!("two caches are called {}", cache.name));
            }
        }
        None
    }
}
