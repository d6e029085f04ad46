//! Loops of Rust that go along an array besides counting: they end when the shorter of both does.
//!
//! Which way a loop is written depends on the case's seed and the loop's counter alone, so that reduction keeps it.

use super::first::{Draws, adapted, is_plain};
use super::tree::{Case, Loop, NAMES};

/// How a loop goes along an array.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    /// The range with the other iterator, for `for PATTERN in ITERATOR`.
    pub(super) pattern: String,
    pub(super) iterator: String,
    /// The element, if the body is to add it to a scalar.
    pub(super) element: Option<String>,
}

/// The walk of a loop that counts through `range`, if it has one; `readable` are the arrays that the kernel does not write.
pub(super) fn of_loop(case: &Case, l: &Loop, range: &str, readable: &[usize]) -> Option<Walk> {
    if is_plain(case, l) {
        return None;
    }
    let mut draws = Draws::of(case, l, 0);
    // Half of the loops only count.
    let form = draws.below(18);
    let index = *readable.get(draws.below(readable.len().max(1)))?;
    let (array, is_rows) = (NAMES[index], case.rows[index]);
    let (variable, other) = (&l.variable, format!("w_{}", l.variable));
    let row = "(ld as usize).clamp(1, 100)";
    let (along, element) = match form {
        0 | 3 if is_rows => (format!("{array}.iter()"), format!("{other}[0]")),
        1 | 2 if is_rows => (format!("{array}[1].iter()"), format!("*{other}")),
        4..=6 if is_rows => (format!("{array}.iter().rev()"), format!("{other}[1]")),
        7 | 8 if is_rows => (format!("{array}[0].iter().step_by({row})"), format!("*{other}")),
        0 => (format!("{array}.iter()"), format!("*{other}")),
        1 => (format!("{array}.iter().step_by(3)"), format!("*{other}")),
        2 => (format!("{array}.iter().step_by({row})"), format!("*{other}")),
        3 => (format!("{array}[(m as usize).min({array}.len())..].iter().step_by({row})"), format!("*{other}")),
        4 => (format!("{array}.chunks_exact(4)"), format!("{other}[1]")),
        5 => (format!("{array}.chunks_exact({row})"), format!("{other}[0]")),
        6 => (format!("{array}.windows(2)"), format!("{other}[1]")),
        7 => (format!("{array}.iter().rev()"), format!("*{other}")),
        8 => (format!("{array}[..(n as usize).min({array}.len())].iter()"), format!("*{other}")),
        _ => return None,
    };
    let swapped = draws.below(3) == 0;
    let added = draws.below(2) == 0 && case.scalars > 0;
    let along = adapted(&mut draws, &along);
    // As the adapters of the elements count.
    let (other, along) = match draws.below(4) {
        0 => (format!("(_, {other})"), adapted(&mut draws, &format!("{along}.enumerate()"))),
        _ => (other, along),
    };
    let (pattern, iterator) = match swapped {
        true => (format!("({other}, {variable})"), format!("{along}.zip({range})")),
        false => (format!("({variable}, {other})"), format!("({range}).zip({along})")),
    };
    let element = added.then_some(element);
    Some(Walk { pattern, iterator, element })
}
