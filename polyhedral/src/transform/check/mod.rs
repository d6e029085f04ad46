//! The check behind all passes: does a draft still compute what the program computes?
//!
//! It shares no code with the passes and does not look at the log. It proves
//! - `structure`: every instance is executed exactly once ([`ScheduleTree::verify`](crate::schedule::ScheduleTree::verify), and the
//!   domain is that of the SCoP), and copies where some instance comes by;
//! - `buffers`: redirects and copies make sense, and buffers are as large as what is touched in them;
//! - `order`: every dependence is respected ([`ScheduleTree::first_violation`](crate::schedule::ScheduleTree::first_violation)), but for
//!   those between reductions of one kind; or, where the draft may [reorder live ranges](Draft::with_live_ranges), every value gets to
//!   those who read it ([`LiveRanges::are_respected`](crate::scop::LiveRanges::are_respected)). That is the proof by structure, which is
//!   enough for a draft without buffers;
//! - `device`: every instance of a kernel is executed by one thread, and threads that touch the same place wait for each other;
//! - `values`: of arrays with buffers, every read gets the value that it gets in the program, and so does memory afterwards; `constants` proves
//!   that by structure for copies of what nothing writes, and `private` by order for places of their own of what iterations hold.
//!
//! What flags of bands claim (members that may be interchanged or run in parallel) is another question: [`check_claims`].

mod buffers;
mod constants;
mod device;
mod events;
mod order;
mod private;
mod saved;
mod structure;
mod values;

use std::fmt;

use crate::budget::Budget;
use crate::error::Result;

use super::Draft;

pub use device::check_threads;

/// What is wrong with a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Defect {
    /// The tree breaks a rule.
    Malformed {
        /// Which rule, where.
        what: String,
    },
    /// Instances are missing, or there are others.
    Instances {
        /// Those of the SCoP that the draft lacks, or those of the draft that the SCoP lacks.
        instances: String,
    },
    /// A dependence runs backwards.
    Order {
        /// The statement that must come first.
        source: String,
        /// The statement that must come later.
        sink: String,
        /// Where the schedule reverses it.
        what: String,
    },
    /// A buffer is too small, or what goes there makes no sense.
    Buffer {
        /// What is wrong.
        what: String,
    },
    /// Copies do not run, run twice, or copy what they should not.
    Copies {
        /// What is wrong.
        what: String,
    },
    /// A read gets another value than in the program.
    Values {
        /// Which access, or memory after the program.
        reader: String,
        /// What it gets or lacks.
        what: String,
    },
    /// Instances that touch the same place may run in any order.
    Race {
        /// Which.
        what: String,
    },
    /// Kernels do not do what the tree says.
    Device {
        /// Which, and why.
        what: String,
    },
    /// A flag of a band claims what is not so.
    Claim {
        /// Which band, what it claims.
        what: String,
    },
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Defect::Malformed { what } => write!(f, "the schedule tree is not well-formed: {what}"),
            Defect::Instances { instances } => {
                write!(f, "the new order has other instances than the program: {instances}")
            }
            Defect::Order { source, sink, what } => {
                write!(f, "{sink} would run before what it depends on in {source}: {what}")
            }
            Defect::Buffer { what } => write!(f, "a buffer is not right: {what}"),
            Defect::Copies { what } => write!(f, "copies are not right: {what}"),
            Defect::Values { reader, what } => write!(f, "{reader} would get another value: {what}"),
            Defect::Race { what } | Defect::Device { what } | Defect::Claim { what } => what.fmt(f),
        }
    }
}

/// What is wrong with a draft, if anything is. Without buffers: exact; cost: that of the legality of a tree, about one emptiness test per
/// dependence and member. With buffers: sound (a draft without defect computes what the program computes, if it runs in the order of
/// the tree); cost: two or three value-based flow analyses of the arrays that have buffers.
pub fn check(draft: &Draft<'_>, budget: &Budget) -> Result<Option<Defect>> {
    let _phase = crate::phase!("check", budget);
    if let Some(defect) = structure::defect(draft, budget)? {
        return Ok(Some(defect));
    }
    let has_buffers = !draft.placement.is_empty();
    if has_buffers && let Some(defect) = buffers::defect(draft, budget)? {
        return Ok(Some(defect));
    }
    if let Some(defect) = device::defect(draft, budget)? {
        return Ok(Some(defect));
    }
    if !has_buffers {
        return order::defect(draft, budget);
    }
    match order::open_arrays(draft, budget)? {
        Ok(open) => {
            let mut left = Vec::new();
            for array in open {
                let is_proved = constants::are_read(draft, array, budget)?
                    || saved::are_read(draft, array, budget)?
                    || private::are_kept(draft, array, budget)?;
                if !is_proved {
                    left.push(array);
                }
            }
            match left.first() {
                Some(array) if !draft.by_values => Ok(Some(Defect::Values {
                    reader: format!("who reads {}", draft.scop.arrays[*array].name),
                    what: "the order of the tree and of copies does not prove that it is the same".to_owned(),
                })),
                Some(_) => values::defect(draft, &left, budget),
                None => Ok(None),
            }
        }
        Err(defect) => Ok(Some(defect)),
    }
}

/// A flag of a band (permutable, coincident) that dependences do not allow, if there is one: those of the program, or, where there are
/// buffers, those of the new code. Of a draft that [`check`] has nothing against. Exact. Cost: a few emptiness tests per dependence and
/// member.
pub fn check_claims(draft: &Draft<'_>, budget: &Budget) -> Result<Option<Defect>> {
    let found = draft.tree.verify_flags(&draft.order(budget)?, &draft.together(budget)?, budget)?;
    Ok(found.first().map(|defect| Defect::Claim { what: defect.to_string() }))
}
