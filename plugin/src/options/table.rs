//! The table of options: names, meanings, and how values are read.
//!
//! Invariant: names are different from each other; a setter that fails may have changed the options that it got, which are thrown away
//! then.

use super::{Gpu, OptionError, Options};
use crate::phase::{Fault, InternalErrors};
use crate::position::Position;
use std::sync::Arc;
use tessera_polyhedral::Error;
use tessera_polyhedral::strategy::Source;
use tessera_polyhedral::target::Target;

/// How the value of a key is read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Setter {
    /// A switch: bare, or with `true` or `false`.
    Switch(fn(&mut Options) -> &mut bool),
    /// A number.
    Number(fn(&mut Options) -> &mut u64),
    /// A word that may be missing: then the bare key means something.
    Word(fn(&mut Options, Option<&str>) -> Result<(), Wrong>),
    /// Anything else.
    Text(fn(&mut Options, &str) -> Result<(), Wrong>),
}

/// Why a value is refused.
#[derive(Clone, Debug)]
pub(super) enum Wrong {
    /// What is expected instead.
    Expected(&'static str),
    /// What is wrong with it, as a clause.
    Defect(String),
}

impl From<&'static str> for Wrong {
    fn from(expected: &'static str) -> Self {
        Wrong::Expected(expected)
    }
}

/// One line of the table.
pub(super) struct Key {
    pub(super) name: &'static str,
    /// How help writes the value; empty for switches.
    pub(super) value: &'static str,
    pub(super) meaning: &'static str,
    /// How help writes the default of what is no switch.
    pub(super) default: fn(&Options) -> String,
    pub(super) setter: Setter,
    /// Not in help: for Tessera's own tests.
    pub(super) hidden: bool,
}

/// A switch that is listed.
const fn switch(name: &'static str, meaning: &'static str, field: fn(&mut Options) -> &mut bool) -> Key {
    Key { name, value: "", meaning, default: |_| String::new(), setter: Setter::Switch(field), hidden: false }
}

pub(super) const TABLE: &[Key] = &[
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
                _ => return Err("vectorizer or early".into()),
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
    Key {
        name: "target",
        value: "NAME, FILE, auto or print",
        meaning: "the machine to optimize for: a built-in one, or a file as 'polycalc target' prints it; 'auto' is what the \
                  compiler says, 'print' also shows that",
        default: |_| "auto".into(),
        setter: Setter::Text(set_target),
        hidden: false,
    },
    Key {
        name: "strategy",
        value: "FILE, auto or print",
        meaning: "what is tried for a nest, in which order, with which numbers: a file, or the built-in strategy, which 'print' shows",
        default: |_| "auto".into(),
        setter: Setter::Text(set_strategy),
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
    switch("split", "cut loops at an iteration that all others depend on", |options| &mut options.split),
    switch("copies", "give scalars a copy for each point of a tile or each iteration side by side", |options| {
        &mut options.copies
    }),
    switch(
        "packing",
        "copy arrays tile by tile in the order in which they are read (needs copies and tiling)",
        |options| &mut options.packing,
    ),
    switch("hints", "tell later passes which accesses do not overlap and which loops are parallel", |options| {
        &mut options.hints
    }),
    switch("outline", "put new code into functions of its own, so that the old loops stay what they were", |options| {
        &mut options.outline
    }),
    switch("original", "keep a copy of the function as it was, for calls that are too short for new code", |options| {
        &mut options.original
    }),
    switch("print", "print every loop nest in isl notation to standard error", |options| &mut options.print),
    switch(
        "remarks",
        "print the remark about every loop nest to standard error, whatever the compiler shows",
        |options| &mut options.remarks,
    ),
    Key {
        name: "gpu",
        value: "on, off, force or sm_NN",
        meaning: "compile nests for a GPU, too, and run them there where the run-time library finds that faster, or always \
                  ('force'); 'sm_90' is the oldest device that must run them",
        default: |options| options.gpu.to_string(),
        setter: Setter::Word(|options, word| {
            options.gpu = options.gpu.with(word).ok_or(Gpu::EXPECTED)?;
            Ok(())
        }),
        hidden: false,
    },
    Key {
        name: "gpu-parts",
        value: "N",
        meaning: "a reduction on a GPU is computed in N * N parts, twice as many over several loops, which N threads add up (1 to 1024)",
        default: |options| options.gpu_parts.to_string(),
        setter: Setter::Number(|options| &mut options.gpu_parts),
        hidden: false,
    },
    Key {
        name: "gpu-rows",
        value: "N",
        meaning: "rows of at least N bytes are copied to a GPU and back without what lies between them, where that is much or all of them is written",
        default: |options| options.gpu_rows.to_string(),
        setter: Setter::Number(|options| &mut options.gpu_rows),
        hidden: false,
    },
    switch("time", "print where the time of the compilation went, by nest and phase, to standard error", |options| {
        &mut options.time
    }),
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
                _ => return Err("remark, print or error".into()),
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

/// The built-in strategy, or the one in a file, which is read here, once. Its formulas have values when a machine is known.
fn set_strategy(options: &mut Options, text: &str) -> Result<(), Wrong> {
    options.print_strategy = text == "print";
    options.strategy = Arc::new(match text {
        "auto" | "print" => Source::builtin(),
        file => in_file(file, || "neither auto nor print".to_owned(), Source::parse)?,
    });
    Ok(())
}

/// A built-in target, or the one in a file. The file is read here, once, so that all functions see the same.
fn set_target(options: &mut Options, text: &str) -> Result<(), Wrong> {
    (options.print_target, options.target) = (text == "print", None);
    if matches!(text, "print" | "auto") {
        return Ok(());
    }
    let others = || format!("none of {}, auto and print", Target::builtins().collect::<Vec<_>>().join(", "));
    let target = match Target::builtin(text) {
        Some(target) => target.map_err(|error| Wrong::Defect(error.to_string()))?,
        None => in_file(text, others, Target::parse)?,
    };
    options.target = Some(Arc::new(target));
    Ok(())
}

/// What a file says. For where there is none, `others` says which other values the option's value is not.
fn in_file<T>(file: &str, others: impl Fn() -> String, parse: impl Fn(&str) -> Result<T, Error>) -> Result<T, Wrong> {
    let unreadable = |error| Wrong::Defect(format!("it is {}, and no file that can be read: {error}", others()));
    let text = std::fs::read_to_string(file).map_err(unreadable)?;
    parse(&text).map_err(|error| Wrong::Defect(error.to_string()))
}

fn set_tile(options: &mut Options, text: &str) -> Result<(), Wrong> {
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

impl Key {
    pub(super) fn set(&self, options: &mut Options, value: Option<&str>) -> Result<(), OptionError> {
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
            Setter::Word(set) => set(options, value).map_err(|error| match error {
                Wrong::Expected(expected) => wrong(expected),
                Wrong::Defect(defect) => OptionError(format!("option '{}': {defect}", self.name)),
            })?,
            Setter::Text(set) => {
                let expected = self.value;
                let text = value.ok_or_else(|| wrong(expected))?;
                set(options, text).map_err(|error| match error {
                    Wrong::Expected(expected) => wrong(expected),
                    Wrong::Defect(defect) => {
                        OptionError(format!("option '{}' cannot be '{text}': {defect}", self.name))
                    }
                })?;
            }
        }
        Ok(())
    }
}

pub(super) fn unknown(name: &str) -> OptionError {
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
