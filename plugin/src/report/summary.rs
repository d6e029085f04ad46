//! What was done to a nest, in one sentence.

use crate::model::scop::Scop;
use crate::optimise::Plan;

/// The message of the remark for a transformed nest.
pub fn applied(scop: &Scop, plan: &Plan) -> String {
    let mut parts = Vec::new();
    for nest in &plan.applied {
        let depth = nest.loops.len();
        let mut what = Vec::new();
        if nest.distributed {
            what.push("separated from its neighbours".to_owned());
        }
        if nest.order.iter().enumerate().any(|(position, original)| position != *original) {
            let order: Vec<String> = nest.order.iter().map(|original| (original + 1).to_string()).collect();
            what.push(format!("interchanged to order {}", order.join(",")));
        }
        if !nest.tiles.is_empty() {
            let sizes: Vec<String> = nest.tiles.iter().map(i64::to_string).collect();
            what.push(format!("tiled {}", sizes.join("x")));
        }
        if nest.expanded {
            what.push("scalars copied for each tile".to_owned());
        }
        parts.push(format!("{depth} loops: {}", what.join(", ")));
    }
    let mut guards = Vec::new();
    if !scop.may_overlap.is_empty() {
        let pairs: Vec<String> =
            scop.may_overlap.iter().map(|(a, b)| format!("{} and {}", label(scop, *a), label(scop, *b))).collect();
        guards.push(format!("no overlap of {}", pairs.join(", of ")));
    }
    if !scop.shapes.is_empty() {
        let mut arrays: Vec<String> = Vec::new();
        for check in &scop.shapes {
            let name = label(scop, check.array);
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
    format!("loop nest transformed: {}; guarded by: {}", parts.join("; "), guards.join(", "))
}

/// An array as users know it: sets want identifiers, people read "argument 3".
fn label(scop: &Scop, array: usize) -> String {
    let name = &scop.arrays[array].name;
    match name.strip_prefix("argument_") {
        Some(number) => format!("argument {number}"),
        None => name.clone(),
    }
}
