//! One pass, one file.

pub(super) mod combine;
pub(super) mod copies;
pub(super) mod distribute;
pub(super) mod expose;
pub(super) mod fuse;
pub(super) mod hexagonal_tile;
pub(super) mod interchange;
pub(super) mod isolate;
pub(super) mod jam;
pub(super) mod map_to_device;
mod moved;
pub(super) mod need;
pub(super) mod normalise;
pub(super) mod pack;
pub(super) mod peel;
pub(super) mod privatise;
pub(super) mod reschedule;
pub(super) mod reverse;
pub(super) mod shift;
pub(super) mod skew;
pub(super) mod split;
pub(super) mod split_index_set;
pub(super) mod tile;
pub(super) mod time_tile;
pub(super) mod unroll;

use crate::affine::PwMultiAff;
use crate::budget::Budget;
use crate::schedule::{Cursor, EditError, Edited, Node};

use super::Draft;
use super::pass::{Argument, Kind};
use super::script::Step;

fn bad<T>(what: impl Into<String>) -> Result<T, EditError> {
    Err(EditError::BadArgument { what: what.into() })
}

/// How many loops the program has: what steps number, in preorder.
fn number_of_loops(draft: &Draft<'_>) -> usize {
    draft.scop().schedule.cursors().iter().filter(|cursor| matches!(cursor.node(), Node::Band(..))).count()
}

/// The argument of passes that change one member of a band.
const MEMBER: Argument =
    Argument { name: "member", kind: Kind::Integer, optional: false, meaning: "which member, counted from 0" };

/// How many members the band at a cursor has.
fn members(cursor: &Cursor) -> usize {
    if let Node::Band(band, _) = cursor.node() { band.len() } else { 0 }
}

/// An argument that is the number of a member of a band.
fn member(step: &Step, name: &str, cursor: &Cursor) -> Result<usize, EditError> {
    let (number, n) = (step.integer(name).unwrap_or(0), members(cursor));
    match usize::try_from(number) {
        Ok(member) if member < n => Ok(member),
        _ => bad(format!("{name} is {number}, but the band has {n} members, counted from 0")),
    }
}

/// The band as if its members could be permuted: the check says whether that was true where they were.
fn claimed_permutable(cursor: &Cursor) -> Edited {
    cursor.update_band(|band, _| band.permutable = true)
}

/// The band with as many other members: member `k` is `expression(k)`, in terms of the old members `t0`, `t1`, ...
fn rewritten(cursor: &Cursor, expression: impl Fn(usize) -> String, budget: &Budget) -> Edited {
    let list = |entry: &dyn Fn(usize) -> String| (0..members(cursor)).map(entry).collect::<Vec<_>>().join(", ");
    let text = format!("{{ [{}] -> [{}] }}", list(&|k| format!("t{k}")), list(&expression));
    cursor.apply(&PwMultiAff::parse(&text, budget)?, budget)
}
