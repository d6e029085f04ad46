//! The options: one grammar, three doors.
//!
//! `key=value;key=value`, bare `key` for switches. The doors, later ones overriding earlier ones key by key: the environment
//! variable `TESSERA`, the command line (`-mllvm -tessera=...`), the pass parameters (`tessera<...>`). One table holds
//! every key with its meaning, its default and what it sets; `help` prints the table.

use crate::phase::{Fault, InternalErrors};
pub use crate::position::Position;
use std::fmt;

/// What the user asked for. Built once for each instance of the pass.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Give scalars a copy for each point of a tile.
    pub copies: bool,
    /// Tell later passes which accesses do not overlap and which loops are parallel.
    pub hints: bool,
    /// Print every remark to standard error.
    pub remarks: bool,
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
            print: false,
            remarks: false,
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
            copies: true,
            hints: true,
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

/// How the value of a key is read.
#[derive(Clone, Copy, Debug)]
enum Setter {
    /// A switch: bare, or with `true` or `false`.
    Switch(fn(&mut Options) -> &mut bool),
    /// A number.
    Number(fn(&mut Options) -> &mut u64),
    /// Anything else; the error says what is expected.
    Text(fn(&mut Options, &str) -> Result<(), &'static str>),
}

/// One line of the table.
struct Key {
    name: &'static str,
    /// How help writes the value; empty for switches.
    value: &'static str,
    meaning: &'static str,
    /// How help writes the default of what is no switch.
    default: fn(&Options) -> String,
    setter: Setter,
    /// Not in help: for Tessera's own tests.
    hidden: bool,
}

/// A switch that is listed.
const fn switch(name: &'static str, meaning: &'static str, field: fn(&mut Options) -> &mut bool) -> Key {
    Key { name, value: "", meaning, default: |_| String::new(), setter: Setter::Switch(field), hidden: false }
}

const TABLE: &[Key] = &[
    switch("disable", "do nothing", |options| &mut options.disable),
    Key {
        name: "only",
        value: "TEXT",
        meaning: "look only at functions whose name contains TEXT",
        default: |_| "all functions".into(),
        setter: Setter::Text(|options, text| {
            options.only = (!text.is_empty()).then(|| text.to_string());
            Ok(())
        }),
        hidden: false,
    },
    Key {
        name: "position",
        value: "vectorizer or early",
        meaning: "where in the compiler's pipeline: before its loop vectorizer, or early, after an inliner of its own",
        default: |_| "vectorizer".into(),
        setter: Setter::Text(|options, text| {
            options.position = match text {
                "vectorizer" => Position::Vectorizer,
                "early" => Position::Early,
                _ => return Err("vectorizer or early"),
            };
            Ok(())
        }),
        hidden: false,
    },
    Key {
        name: "tile",
        value: "N or NxNx...",
        meaning: "tile sizes, outermost loop first; the last one also for deeper loops; 'auto' chooses",
        default: |_| "auto".into(),
        setter: Setter::Text(set_tile),
        hidden: false,
    },
    Key {
        name: "min-work",
        value: "N",
        meaning: "run the old loops where a nest executes fewer than about N statement instances (checked at run time)",
        default: |options| options.min_work.to_string(),
        setter: Setter::Number(|options| &mut options.min_work),
        hidden: false,
    },
    Key {
        name: "min-bytes",
        value: "N",
        meaning: "tile across an outer loop (time steps) only where the nest touches N bytes or more (checked at run time)",
        default: |options| options.min_bytes.to_string(),
        setter: Setter::Number(|options| &mut options.min_bytes),
        hidden: false,
    },
    switch("unprofitable", "transform also what is not expected to run faster", |options| &mut options.unprofitable),
    Key {
        name: "budget",
        value: "N",
        meaning: "elementary operations that the analysis of one function may take; beyond them it is left alone",
        default: |options| options.budget.to_string(),
        setter: Setter::Number(|options| &mut options.budget),
        hidden: false,
    },
    switch("verify", "check new code with LLVM's verifier before it is kept", |options| &mut options.verify),
    switch("simplify", "move scalars that are carried around in registers back into array elements", |options| {
        &mut options.simplify
    }),
    switch(
        "reorder",
        "use another order than that of the program; off with 'unprofitable': new code in the old order",
        |options| &mut options.reorder,
    ),
    switch("interchange", "change the order of loops", |options| &mut options.interchange),
    switch("tiling", "cut loops into tiles", |options| &mut options.tiling),
    switch("full-tiles", "give tiles that no bound cuts off code of their own (needs tiling)", |options| {
        &mut options.full_tiles
    }),
    switch("time-tiling", "tile across an outer loop over the same data (needs tiling)", |options| {
        &mut options.time_tiling
    }),
    switch("distribution", "give the parts of a nest loops of their own", |options| &mut options.distribution),
    switch("live-ranges", "reorder values that share memory, each as a whole", |options| &mut options.live_ranges),
    switch("jam", "run iterations of a loop side by side in the loops inside it", |options| &mut options.jam),
    switch("copies", "give scalars a copy for each point of a tile or each iteration side by side", |options| {
        &mut options.copies
    }),
    switch("hints", "tell later passes which accesses do not overlap and which loops are parallel", |options| {
        &mut options.hints
    }),
    switch("print", "print every loop nest in isl notation to standard error", |options| &mut options.print),
    switch(
        "remarks",
        "print the remark about every loop nest to standard error, whatever the compiler shows",
        |options| &mut options.remarks,
    ),
    switch(
        "trace",
        "the program itself says on standard error, each time, whether a nest runs its new code or its old loops",
        |options| &mut options.trace,
    ),
    Key {
        name: "internal-errors",
        value: "remark, print or error",
        meaning: "what becomes of an internal error: a remark, also a line on standard error, or the end of the compilation",
        default: |_| "remark".into(),
        setter: Setter::Text(|options, text| {
            options.internal_errors = match text {
                "remark" => InternalErrors::Remark,
                "print" => InternalErrors::Print,
                "error" => InternalErrors::Error,
                _ => return Err("remark, print or error"),
            };
            Ok(())
        }),
        hidden: false,
    },
    switch("help", "print this table once and compile as usual", |options| &mut options.help),
    Key {
        name: "cleanup",
        value: "",
        meaning: "let the compiler clean up the function after a change",
        default: |options| options.cleanup.to_string(),
        setter: Setter::Switch(|options| &mut options.cleanup),
        hidden: true,
    },
    Key {
        name: "fault",
        value: "PHASE",
        meaning: "what is made to go wrong: a panic on entering a phase, ...",
        default: |_| "none".into(),
        setter: Setter::Text(|options, text| {
            options.fault = match text {
                "none" => None,
                _ => Some(Fault::from_name(text).ok_or(Fault::EXPECTED)?),
            };
            Ok(())
        }),
        hidden: true,
    },
];

fn set_tile(options: &mut Options, text: &str) -> Result<(), &'static str> {
    const EXPECTED: &str = "sizes from 1 to 1000000000, separated by 'x', or auto";
    if text == "auto" {
        options.tile.clear();
        return Ok(());
    }
    // A comma ends the pass name in a pass pipeline, so that 'x' is the separator that works everywhere.
    let sizes: Option<Vec<u64>> = text
        .split(['x', ',', ':'])
        .map(|size| size.trim().parse().ok().filter(|size| (1..=1_000_000_000).contains(size)))
        .collect();
    options.tile = sizes.ok_or(EXPECTED)?;
    Ok(())
}

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

impl Key {
    fn set(&self, options: &mut Options, value: Option<&str>) -> Result<(), OptionError> {
        let wrong = |expected: &str| match value {
            Some(value) => OptionError(format!("option '{}' cannot be '{value}': expected {expected}", self.name)),
            None => OptionError(format!("option '{}' needs a value: expected {expected}", self.name)),
        };
        match self.setter {
            Setter::Switch(field) => {
                *field(options) = match value {
                    None | Some("true" | "1" | "on" | "yes") => true,
                    Some("false" | "0" | "off" | "no") => false,
                    Some(_) => return Err(wrong("true or false")),
                };
            }
            Setter::Number(field) => {
                let number = value.and_then(|value| value.parse().ok());
                *field(options) = number.ok_or_else(|| wrong("a number from 0 to 18446744073709551615"))?;
            }
            Setter::Text(set) => {
                let expected = self.value;
                set(options, value.ok_or_else(|| wrong(expected))?).map_err(wrong)?;
            }
        }
        Ok(())
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

fn unknown(name: &str) -> OptionError {
    let nearest = TABLE.iter().filter(|key| !key.hidden).min_by_key(|key| (edit_distance(name, key.name), key.name));
    match nearest {
        Some(key) => {
            OptionError(format!("unknown option '{name}'; the nearest known one is '{}' (help lists all)", key.name))
        }
        None => OptionError(format!("unknown option '{name}'")),
    }
}

/// The least number of insertions, deletions and replacements of characters that turn `a` into `b` (Levenshtein, one row at a
/// time).
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
