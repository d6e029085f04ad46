//! What was done to a nest, in one sentence, and how the sentences about the nests inside one outermost nest go together.

use crate::host::Loop;
use crate::model::row_tables::Visit;
use crate::model::scop::Scop;
use crate::optimise::Plan;
use crate::optimise::transformation::{OldOrder, Transformation};
use crate::reasons::Reason;

/// What was done to a nest.
pub fn applied(scop: &Scop, plan: &Plan) -> String {
    let mut parts = Vec::new();
    for Transformation { nest, old_order } in &plan.applied {
        let depth = nest.loops.len();
        let labels = |arrays: &[usize]| arrays.iter().map(|array| scop.label(*array)).collect::<Vec<_>>().join(", ");
        let mut what = Vec::new();
        if let Some(order) = nest.rescheduled {
            let skewed = if order.is_skewed { ", skewed" } else { "" };
            what.push(format!("in an order of the scheduler{skewed}"));
        }
        if nest.distributed {
            what.push("separated from its neighbours".to_owned());
        }
        if nest.order.iter().enumerate().any(|(position, original)| position != *original) {
            let order: Vec<String> = nest.order.iter().map(|original| (original + 1).to_string()).collect();
            what.push(format!("interchanged to order {}", order.join(",")));
        }
        for position in &nest.backwards {
            what.push(format!("loop {} backwards", nest.order[*position] + 1));
        }
        if nest.skews.iter().any(|skew| *skew != 0) {
            let skews: Vec<String> = nest.skews.iter().map(i64::to_string).collect();
            what.push(format!("skewed by {}", skews.join(",")));
        }
        if !nest.tiles.is_empty() {
            let sizes: Vec<String> = nest.tiles.iter().map(i64::to_string).collect();
            what.push(format!("tiled {}", sizes.join("x")));
        }
        if let Some(factor) = nest.jammed {
            what.push(format!("{factor} iterations of the outer one side by side in the inner one"));
        }
        if !nest.register_tile.is_empty() {
            let factors: Vec<String> = nest.register_tile.iter().map(i64::to_string).collect();
            what.push(format!("{} iterations side by side", factors.join("x")));
        }
        if !nest.packed.is_empty() {
            what.push(format!("{} copied in the order in which they are read", labels(&nest.packed)));
        }
        if !nest.rows_packed.is_empty() {
            what.push(format!("rows of {} copied where loops are long", labels(&nest.rows_packed)));
        }
        if !nest.privatised.is_empty() {
            what.push(format!("a place in {} for each iteration", labels(&nest.privatised)));
        }
        if nest.cut {
            what.push("cut at an iteration that the others depend on".to_owned());
        }
        if nest.expanded {
            what.push("scalars copied for each tile".to_owned());
        }
        if !nest.reordered.is_empty() {
            what.push(format!("live ranges of {} reordered", labels(&nest.reordered)));
        }
        if nest.scripted {
            what.push("by the steps that the strategy has for it".to_owned());
        }
        match old_order {
            Some(OldOrder::Registers) => what.push("an element kept in a register".to_owned()),
            Some(OldOrder::Vectors) => what.push("in the old order, so that it can be vectorised".to_owned()),
            None if what.is_empty() => what.push("in the old order".to_owned()),
            None => {}
        }
        let loops = if depth == 1 { "loop" } else { "loops" };
        parts.push(format!("{depth} {loops}: {}", what.join(", ")));
    }
    let mut guards = Vec::new();
    if !scop.may_overlap.is_empty() {
        let pairs: Vec<String> =
            scop.may_overlap.iter().map(|(a, b)| format!("{} and {}", scop.label(*a), scop.label(*b))).collect();
        guards.push(format!("no overlap of {}", pairs.join(", of ")));
    }
    if !scop.invariants.is_empty() {
        let mut names: Vec<&str> = Vec::new();
        for bytes in &scop.protected {
            if !names.contains(&bytes.name.as_str()) {
                names.push(&bytes.name);
            }
        }
        guards.push(format!("no change of where {} is kept", names.join(", ")));
    }
    let rows: Vec<String> =
        scop.visits.iter().filter_map(Visit::array).filter(|a| scop.is_used(*a)).map(|a| scop.label(a)).collect();
    if !rows.is_empty() {
        guards.push(format!("rows of {} apart and not replaced", rows.join(", ")));
    }
    if scop.visits.iter().any(|visit| visit.array().is_none()) {
        guards.push("rows long enough".to_owned());
    }
    if !scop.shapes.is_empty() {
        let mut arrays: Vec<String> = Vec::new();
        for array in scop.shapes.iter().flat_map(|check| &check.arrays) {
            let name = scop.label(*array);
            if !arrays.contains(&name) {
                arrays.push(name);
            }
        }
        guards.push(format!("subscripts of {} inside their rows", arrays.join(", ")));
    }
    if !scop.checks.is_empty() {
        guards.push("counters and bounds without wrap-around".to_owned());
    }
    if !scop.region.side_exits.is_empty() {
        guards.push("no early exit".to_owned());
    }
    guards.push("enough iterations".to_owned());
    if plan.applied.iter().all(|applied| !applied.nest.skews.is_empty()) {
        guards.push("enough data".to_owned());
    }
    format!("{}; guarded by: {}", parts.join("; "), guards.join(", "))
}

/// The message of the remark about an outermost nest that was transformed as a whole.
pub fn whole(what: &str) -> String {
    format!("loop nest transformed: {what}")
}

/// The message of the remark about an outermost nest of which only nests inside were transformed: what was done where, and why
/// the rest was not.
pub fn inner(done: &[(Loop, String)], rest: &Reason) -> String {
    let parts = done.iter().map(|(nest, what)| match nest.location() {
        Some(location) => format!("inner loop nest of line {} transformed: {what}", location.line),
        None => format!("inner loop nest transformed: {what}"),
    });
    format!("{}; the loops around left as they are: {rest}", parts.collect::<Vec<_>>().join("; "))
}
