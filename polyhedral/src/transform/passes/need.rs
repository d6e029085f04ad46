//! `need(loop = 2, least = 64)`: the new order is for runs in which a loop of the program has at least so many iterations.
//!
//! The tree stays. Loops have their numbers in the program, in preorder: `i2` where code is printed. With `short = 1, most = 2048, or = 16`
//! the least number is 16 where the loop 1 has at most 2048 iterations. Whoever makes code of the draft puts the old order beside the new one
//! and a test in front of both.

use crate::budget::Budget;
use crate::schedule::EditError;
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::{bad, number_of_loops};
use crate::transform::{Draft, Need, Short, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "need",
    meaning: "says how often a loop of the program must run for the new order to be used",
    sites: 0,
    arguments: &[
        Argument {
            name: "loop",
            kind: Kind::Integer,
            optional: false,
            meaning: "the number of the loop, from 0 in preorder",
        },
        Argument { name: "least", kind: Kind::Integer, optional: false, meaning: "how often it must run at least" },
        Argument {
            name: "or",
            kind: Kind::Integer,
            optional: true,
            meaning: "how often it must run at least where the next loop is short",
        },
        Argument { name: "short", kind: Kind::Integer, optional: true, meaning: "the number of another loop" },
        Argument { name: "most", kind: Kind::Integer, optional: true, meaning: "how often that one may run at most" },
    ],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, _: &Budget) -> Result<Draft<'m>, EditError> {
    let loops = number_of_loops(draft);
    let number = |name: &str| match step.integer(name).map(|number| (number, u64::try_from(number))) {
        None => Ok(None),
        Some((_, Ok(number))) => Ok(Some(number)),
        Some((number, Err(_))) => bad(format!("{name} is {number}, and no number of iterations")),
    };
    let counter = |name: &str| match number(name)?.map(|number| (number, usize::try_from(number))) {
        None => Ok(None),
        Some((_, Ok(counter))) if counter < loops => Ok(Some(counter)),
        Some((number, _)) => bad(format!("{name} is {number}, but the program has {loops} loops, counted from 0")),
    };
    let instead = match (number("or")?, counter("short")?, number("most")?) {
        (None, None, None) => None,
        (Some(least), Some(counter), Some(most)) => Some(Short { least, counter, most }),
        _ => return bad("or, short and most go together"),
    };
    let (Some(counter), Some(least)) = (counter("loop")?, number("least")?) else { return bad("no loop") };
    Ok(draft.with_need(Need { counter, least, instead }))
}
