//! Random programs whose values have reasons to move: scalars, cells, elements that are used again, writes that may not
//! happen, reductions.

pub(crate) mod damage;

use std::fmt::Write;

use tessera_polyhedral::transform::Draft;

use super::random_trees::Random;
use super::random_trees::nests::schedule;
use super::support::machine::{Machine, Outcome};

/// Whether a write happens, and what it does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// A number made of all that was read.
    Value,
    /// The same in some instances, nothing in others.
    Sometimes,
    /// A number is added to the element, which is also the first that is read.
    Sum,
}

/// A statement of two loops.
pub(crate) struct Statement {
    pub(crate) name: String,
    /// Array and subscript `[constant, i, j]`, the last one the write. Arrays with small letters have no dimensions.
    accesses: Vec<(&'static str, [i64; 3])>,
    effect: Effect,
}

/// A program.
pub(crate) struct Program {
    pub(crate) text: String,
    pub(crate) statements: Vec<Statement>,
}

fn accesses(random: &mut Random, effect: Effect, diagonal: bool) -> Vec<(&'static str, [i64; 3])> {
    let access = |random: &mut Random| {
        let array = *random.pick(if diagonal { &["A", "A", "A", "s", "t"] } else { &["A", "A", "B", "s", "t"] });
        let [i, j] = if diagonal { [1, 1] } else { [random.range(0, 1), random.range(-1, 1)] };
        let subscript = [random.range(-1, 1), i, j];
        (array, if array.chars().all(char::is_lowercase) { [0; 3] } else { subscript })
    };
    let mut all: Vec<_> = (0..random.range(1, 2)).map(|_| access(random)).collect();
    let written = access(random);
    if effect == Effect::Sum {
        // The sum is of something else.
        all.retain(|(array, _)| *array != written.0);
        all.insert(0, written);
    }
    all.push(written);
    all
}

/// Draws a program; with `apart` one of several nests, the first of which uses elements again in another iteration of
/// both loops.
pub(crate) fn program(random: &mut Random, apart: bool) -> Program {
    let mut statements: Vec<Statement> = (0..random.range(1 + i64::from(apart), 3))
        .map(|s| {
            // Elements that are used again in another iteration of both loops: their order decides.
            let diagonal = random.chance(35) || (apart && s == 0);
            let effect = *random.pick(&[Effect::Value, Effect::Value, Effect::Value, Effect::Sometimes, Effect::Sum]);
            Statement { name: format!("S{s}"), accesses: accesses(random, effect, diagonal), effect }
        })
        .collect();
    // A value that is written and read in one iteration.
    if statements.len() > 1 && !apart && random.chance(60) {
        let cell = (*random.pick(&["s", "t"]), [0; 3]);
        statements[0].effect = Effect::Value;
        if let Some(last) = statements[0].accesses.last_mut() {
            *last = cell;
        }
        if statements[1].effect != Effect::Sum {
            statements[1].accesses[0] = cell;
        }
    }
    let mut text = String::from("scop: \"random\"\ncontext: \"[n] -> { : n >= 1 }\"\narrays:\n");
    for (array, storage) in [("A", "memory"), ("B", "memory"), ("s", "scalar"), ("t", "memory")] {
        let _ = writeln!(text, "- {{ array: \"{array}\", element: i64, storage: {storage} }}");
    }
    text += "statements:\n";
    let mut domains = Vec::new();
    for Statement { name, accesses, effect } in &statements {
        let bound = random.pick(&["0 <= j < n", "0 <= j <= i", "i <= j < n"]);
        domains.push(format!("{name}[i, j] : 0 <= i < n and {bound}"));
        let domain = &domains[domains.len() - 1];
        let _ = writeln!(text, "- statement: \"{name}\"\n  domain: \"[n] -> {{ {domain} }}\"\n  accesses:");
        for (number, (array, [c, i, j])) in accesses.iter().enumerate() {
            let kind = match effect {
                _ if number + 1 < accesses.len() => "read",
                Effect::Sometimes => "may-write",
                Effect::Value | Effect::Sum => "write",
            };
            let scalar = array.chars().all(char::is_lowercase);
            let subscript = if scalar { String::new() } else { format!("{c} + {i} i + {j} j") };
            let _ = writeln!(text, "  - {{ {kind}: \"{{ {name}[i, j] -> {array}[{subscript}] }}\" }}");
        }
        if *effect == Effect::Sum {
            let write = accesses.len() - 1;
            let _ = writeln!(text, "  reduction: {{ kind: \"sum i64\", read: 0, write: {write} }}");
        }
    }
    let names: Vec<&str> = statements.iter().map(|statement| statement.name.as_str()).collect();
    let shared = if apart { 0 } else { *random.pick(&[0, 0, 1, 2]) };
    text += &schedule(shared, &names, &domains.join("; "));
    Program { text, statements }
}

/// The sizes at which programs are executed.
const SIZES: [i64; 2] = [1, 4];

/// What a draft computes.
pub(crate) fn outcomes(draft: &Draft<'_>) -> Vec<Outcome> {
    let sizes = SIZES.map(|n| vec![n]);
    Machine::new(draft.scop()).outcomes(draft.tree(), draft.placement(), &sizes)
}
