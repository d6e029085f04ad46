//! Loops whose first iteration differs: a flag that selects what happens, and what Rust's adapters skip.
//!
//! Which way a loop is written depends on the case's seed and the loop's counter alone, so that reduction keeps it.

use super::tree::{Case, Form, Loop};

/// Choices that a loop keeps.
pub(super) struct Draws(u64);

impl Draws {
    /// The choices of a loop of a case; `salt` tells those for different purposes apart.
    pub(super) fn of(case: &Case, l: &Loop, salt: u64) -> Draws {
        let mut hash = case.seed ^ 0x9e37_79b9_7f4a_7c15 ^ salt;
        for byte in l.variable.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            hash ^= hash >> 29;
        }
        Draws(hash)
    }

    /// A number below another one.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        let drawn = self.0 % limit as u64;
        self.0 = (self.0 ^ self.0 >> 31).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from(drawn).unwrap_or(0)
    }
}

/// Whether a loop is written as most people would: most of those of factorisations are.
pub(super) fn is_plain(case: &Case, l: &Loop) -> bool {
    case.factorised && Draws::of(case, l, 0x27d4_eb2f).below(100) < 96
}

/// What is different in the first iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// Only the first item of the body is executed.
    Items,
    /// The loop is left if the counter is not less than the first number; in other iterations, than the second one.
    Bound(&'static str, &'static str),
    /// So much is added to the counter before the body, which may end the loop.
    Skip(&'static str),
    /// So much is added to the counter after the body.
    Step(&'static str),
}

/// The first iteration of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct First {
    pub(super) difference: Difference,
    /// The flag is used after the loop.
    pub(super) after: bool,
}

/// What the first iteration of a loop does differently, if anything; `moves` if the text may change the counter in the body.
pub(super) fn of_loop(case: &Case, l: &Loop, moves: bool) -> Option<First> {
    let mut draws = Draws::of(case, l, 0x5bd1_e995);
    let moves = moves && l.form == Form::Less;
    if is_plain(case, l) || draws.below(100) >= if case.fields.is_some() { 10 } else { 35 } {
        return None;
    }
    let bounds = [("n", "m"), ("m", "n"), ("0", "n"), ("n", "0"), ("m", "m"), ("1", "m")];
    let amounts = ["m", "m", "n", "0", "1", "2"];
    let (kind, which) = (draws.below(6), draws.below(6));
    let difference = match kind {
        0 | 1 => Difference::Items,
        2 => Difference::Bound(bounds[which].0, bounds[which].1),
        _ if !moves => Difference::Items,
        3 | 4 => Difference::Skip(amounts[which]),
        _ => Difference::Step(amounts[which]),
    };
    Some(First { difference, after: draws.below(2) == 0 && case.scalars > 0 })
}

/// An iterator of Rust with what a loop skips, takes and steps over.
pub(super) fn adapted(draws: &mut Draws, iterator: &str) -> String {
    let amounts =
        ["0", "1", "3", "(m as usize)", "(n as usize)", "(n as usize).saturating_sub(2)", "(ld as usize)", "99"];
    let (kind, one, two) = (draws.below(16), amounts[draws.below(8)], amounts[draws.below(8)]);
    match kind {
        0 | 1 => format!("{iterator}.skip({one})"),
        2 => format!("{iterator}.take({one})"),
        3 => format!("{iterator}.skip({one}).step_by(2)"),
        4 => format!("{iterator}.step_by(2).skip({one})"),
        5 => format!("{iterator}.take({one}).skip({two})"),
        6 => format!("{iterator}.skip({one}).take({two})"),
        7 => format!("{{ let mut rest = {iterator}; rest.nth({one}); rest }}"),
        _ => iterator.to_string(),
    }
}
