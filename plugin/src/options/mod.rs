//! The options: one grammar, three doors.
//!
//! `key=value;key=value`, bare `key` for switches. The doors, later ones overriding earlier ones key by key: the environment
//! variable `TESSERA`, the command line (`-mllvm -tessera=...`), the pass parameters (`tessera<...>`). One table holds
//! every key with its meaning, its default and what it sets; `help` prints the table.

mod gpu;
mod table;

use crate::phase::{Fault, InternalErrors};
pub use crate::position::Position;
pub use gpu::{Architecture, Gpu, GpuUse};
use std::fmt;
use std::sync::Arc;
use table::{Setter, TABLE, unknown};
use tessera_polyhedral::strategy::Source;
use tessera_polyhedral::target::Target;

/// What the user asked for. Built once for each instance of the pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Do nothing at all.
    pub disable: bool,
    /// Where the pass stands in the default pipeline.
    pub position: Position,
    /// Tile sizes from the outermost tiled loop inwards, the last one for all further loops; empty: Tessera chooses.
    pub tile: Vec<u64>,
    /// How many elementary operations the analysis of one function may take.
    pub budget: u64,
    /// Transform also what is not expected to run faster.
    pub unprofitable: bool,
    /// Nests that are known to execute fewer statement instances than this are left alone.
    pub min_work: u64,
    /// Tile across an outer loop only where a nest touches at least so many bytes: less stays in a cache anyway.
    pub min_bytes: u64,
    /// The machine to optimise for, instead of what the compiler says it is.
    pub target: Option<Arc<Target>>,
    /// Print the machine to standard error.
    pub print_target: bool,
    /// What is tried, in which order, with which numbers: as it is written, for all machines.
    pub strategy: Arc<Source>,
    /// Print the built-in strategy to standard error.
    pub print_strategy: bool,
    /// Print every SCoP to standard error.
    pub print: bool,
    /// Move scalars back into array elements.
    pub simplify: bool,
    /// Use another order than that of the program.
    pub reorder: bool,
    /// Change the order of loops.
    pub interchange: bool,
    /// Cut loops into tiles.
    pub tiling: bool,
    /// Give tiles that are not cut off by a bound code of their own.
    pub full_tiles: bool,
    /// Tile across an outer loop.
    pub time_tiling: bool,
    /// Give the parts of a nest loops of their own.
    pub distribution: bool,
    /// Use memory for one value after the other in another order than the program.
    pub live_ranges: bool,
    /// Run iterations of a loop side by side in the loops inside it.
    pub jam: bool,
    /// Cut loops at an iteration that the others depend on.
    pub split: bool,
    /// Give scalars a copy for each point of a tile.
    pub copies: bool,
    /// Copy arrays tile by tile in the order in which they are read.
    pub packing: bool,
    /// Tell later passes which accesses do not overlap and which loops are parallel.
    pub hints: bool,
    /// Put new code into functions of its own.
    pub outline: bool,
    /// Keep a copy of functions as they were, for calls that are too short for new code.
    pub original: bool,
    /// Compile nests for a device, too.
    pub gpu: Gpu,
    /// So many threads add up the parts of a reduction on a device, of which there are the square, or twice as many.
    pub gpu_parts: u64,
    /// Rows of at least so many bytes are copied to a device without what lies between them.
    pub gpu_rows: u64,
    /// Print every remark to standard error.
    pub remarks: bool,
    /// Print where the time of the compilation went.
    pub time: bool,
    /// Let the program say on standard error which code it runs.
    pub trace: bool,
    /// What becomes of internal errors.
    pub internal_errors: InternalErrors,
    /// What is made to go wrong.
    pub fault: Option<Fault>,
    /// Let the compiler clean up the function after a change.
    pub cleanup: bool,
    /// Run LLVM's verifier on the new code before it is kept.
    pub verify: bool,
    /// Look only at functions whose name contains this.
    pub only: Option<String>,
    /// Print the table of options.
    pub help: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            disable: false,
            position: Position::default(),
            tile: Vec::new(),
            budget: 20_000_000,
            unprofitable: false,
            min_work: 10_000,
            min_bytes: 1 << 20,
            target: None,
            print_target: false,
            strategy: Arc::new(Source::builtin()),
            print_strategy: false,
            print: false,
            remarks: false,
            time: false,
            trace: false,
            simplify: true,
            reorder: true,
            interchange: true,
            tiling: true,
            full_tiles: false,
            time_tiling: true,
            distribution: true,
            live_ranges: true,
            jam: true,
            split: true,
            packing: true,
            copies: true,
            hints: true,
            outline: true,
            original: true,
            gpu: Gpu::default(),
            gpu_parts: 256,
            gpu_rows: 512,
            internal_errors: InternalErrors::default(),
            fault: None,
            cleanup: true,
            verify: true,
            only: None,
            help: false,
        }
    }
}

/// Why an option string was refused: one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionError(String);

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OptionError {}
impl Options {
    /// Reads an option string on top of what is set already. On an error nothing is changed.
    ///
    /// ```text
    /// "tile=32x64; unprofitable; budget=1000"
    /// ```
    pub fn apply(&mut self, text: &str) -> Result<(), OptionError> {
        let mut changed = self.clone();
        for entry in text.split(';').map(str::trim).filter(|entry| !entry.is_empty()) {
            let (name, value) = match entry.split_once('=') {
                Some((name, value)) => (name.trim(), Some(value.trim())),
                None => (entry, None),
            };
            let name = if name == "tactics" { "strategy" } else { name };
            let key = TABLE.iter().find(|key| key.name == name).ok_or_else(|| unknown(name))?;
            key.set(&mut changed, value)?;
        }
        *self = changed;
        Ok(())
    }

    /// Reads the three doors in order of precedence. The error says which door is to blame.
    pub fn from_doors(doors: &[(Door, &str)]) -> Result<Options, (Door, OptionError)> {
        let mut options = Options::default();
        for &(door, text) in doors {
            options.apply(text).map_err(|error| (door, error))?;
        }
        Ok(options)
    }

    /// The table of options for users.
    pub fn help_text() -> String {
        let mut defaults = Options::default();
        let rows = TABLE.iter().filter(|key| !key.hidden).map(|key| {
            let left = match key.value {
                "" => key.name.to_string(),
                value => format!("{}={value}", key.name),
            };
            let default = match key.setter {
                Setter::Switch(field) => field(&mut defaults).to_string(),
                _ => (key.default)(&defaults),
            };
            (left, key.meaning, default)
        });
        let rows: Vec<_> = rows.collect();
        let width = rows.iter().map(|(left, _, _)| left.len()).max().unwrap_or(0);
        let mut text = String::from(
            "Tessera options: key=value;key=value in the variable TESSERA, in -mllvm -tessera=... (clang) or \
             -tessera=... (opt), or in the pass parameters tessera<...>\n",
        );
        for (left, meaning, default) in rows {
            text.push_str(&format!("  {left:width$}  {meaning} (default: {default})\n"));
        }
        text
    }
}

/// Where an option string came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Door {
    /// The environment variable `TESSERA`.
    Environment,
    /// The compiler's command line.
    CommandLine,
    /// The parameters of the pass.
    PassParameters,
}

impl fmt::Display for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Door::Environment => "the environment variable TESSERA",
            Door::CommandLine => "the command-line option -tessera",
            Door::PassParameters => "the pass parameters",
        })
    }
}
