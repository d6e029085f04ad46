//! `copies(shape = [8, 256])`: a note that scalars of the SCoP have got copies, so many along the two innermost loops around them.
//!
//! The tree stays. Who makes SCoPs of programs makes the copies, before there is a draft: they are dimensions and subscripts of the SCoP. With
//! the note as its first step, a log can be replayed from the program on.

use crate::budget::Budget;
use crate::schedule::EditError;
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::bad;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "copies",
    meaning: "says that scalars got copies before: those who make SCoPs of programs do that, and nothing is left to do here",
    sites: 0,
    arguments: &[Argument {
        name: "shape",
        kind: Kind::Integers,
        optional: false,
        meaning: "how many copies along the two innermost loops",
    }],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, _: &Budget) -> Result<Draft<'m>, EditError> {
    match step.integers("shape").as_deref() {
        Some([outer, inner]) if *outer > 0 && *inner > 0 => Ok(draft.clone()),
        _ => bad("shape is a pair of positive numbers"),
    }
}
