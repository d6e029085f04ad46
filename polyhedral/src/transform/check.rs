//! The check behind all passes: is a draft still the program?
//!
//! It shares no code with the passes and does not look at the log. It proves that
//! - the tree is well-formed ([`ScheduleTree::verify`](crate::schedule::ScheduleTree::verify)): filters of a branch are a partition, so that
//!   every instance of the tree's domain is executed exactly once;
//! - that domain is the one of the SCoP;
//! - every dependence is respected ([`ScheduleTree::first_violation`](crate::schedule::ScheduleTree::first_violation)), but for those between
//!   reductions of one kind; or, where the draft may [reorder live ranges](Draft::with_live_ranges), every value gets to those who read it
//!   ([`LiveRanges::are_respected`](crate::scop::LiveRanges::are_respected)).

use std::fmt;

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::UnionSet;

use super::Draft;

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
        }
    }
}

/// What is wrong with a draft, if anything is. Exact. Cost: that of the legality of a tree, about one emptiness test per dependence and
/// member.
pub fn check(draft: &Draft<'_>, budget: &Budget) -> Result<Option<Defect>> {
    let _phase = crate::phase!("check", budget);
    if let Some(defect) = draft.tree.verify(budget)?.first() {
        return Ok(Some(Defect::Malformed { what: defect.to_string() }));
    }
    let own = UnionSet::from_members(draft.scop.statements.iter().map(|statement| statement.domain.clone()))?;
    let own = own.intersect_params(&draft.scop.context, budget)?;
    let all = match draft.tree.domain() {
        Some(instances) => instances.to_union_set()?.intersect_params(&draft.scop.context, budget)?,
        None => UnionSet::empty(own.params_space()),
    };
    for (left, right) in [(&own, &all), (&all, &own)] {
        let missing = left.subtract(right, budget)?;
        if !missing.is_empty(budget)? {
            return Ok(Some(Defect::Instances { instances: missing.to_string() }));
        }
    }
    let Some(defect) = first_reversal(draft, budget)? else { return Ok(None) };
    let scop = draft.scop;
    if draft.live_ranges
        && !scop.reorderable_arrays(&draft.dependences).is_empty()
        && scop.live_ranges(&draft.dependences, budget)?.are_respected(&draft.tree, budget)?
    {
        return Ok(None);
    }
    Ok(Some(defect))
}

/// A dependence that runs backwards.
fn first_reversal(draft: &Draft<'_>, budget: &Budget) -> Result<Option<Defect>> {
    let ordered: Vec<_> = draft.dependences.merged.iter().filter(|dependence| !dependence.reduction).collect();
    let maps: Vec<_> = ordered.iter().map(|dependence| dependence.map.clone()).collect();
    Ok(draft.tree.first_violation(&maps, budget)?.map(|violation| {
        let name = |statement: usize| draft.scop.statements[statement].name.clone();
        let dependence = ordered[violation.dependence];
        Defect::Order { source: name(dependence.source), sink: name(dependence.sink), what: violation.to_string() }
    }))
}
