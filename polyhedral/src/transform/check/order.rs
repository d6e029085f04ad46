//! Is every dependence respected? A proof by structure: what holds needs no look at values.

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::Map;
use crate::schedule::Node;

use super::{Defect, Draft};

/// A dependence that runs backwards, of a draft that leaves all values where they are. Where it may
/// [reorder live ranges](Draft::with_live_ranges), these have to stay whole.
pub(super) fn defect(draft: &Draft<'_>, budget: &Budget) -> Result<Option<Defect>> {
    let ordered: Vec<_> = draft.dependences.merged.iter().filter(|dependence| !dependence.reduction).collect();
    let maps: Vec<_> = ordered.iter().map(|dependence| dependence.map.clone()).collect();
    let Some(violation) = draft.tree.first_violation(&maps, budget)? else { return Ok(None) };
    let scop = draft.scop;
    if draft.live_ranges
        && !scop.reorderable_arrays(&draft.dependences).is_empty()
        && scop.live_ranges(&draft.dependences, budget)?.are_respected(&draft.tree, budget)?
    {
        return Ok(None);
    }
    let dependence = ordered[violation.dependence];
    Ok(Some(reversed(draft, dependence.source, dependence.sink, violation.to_string())))
}

/// The arrays whose values have to be looked at, since they have buffers, or (where live ranges may be reordered) dependences that are
/// not respected; or a dependence that has to be.
pub(super) fn open_arrays(draft: &Draft<'_>, budget: &Budget) -> Result<std::result::Result<Vec<usize>, Defect>> {
    let mut open = Vec::new();
    for (number, array) in draft.scop.arrays.iter().enumerate() {
        if draft.placement.touches(&array.name) {
            open.push(number);
            continue;
        }
        if let Some(defect) = reversed_of(draft, number, budget)? {
            if !draft.live_ranges {
                return Ok(Err(defect));
            }
            open.push(number);
        }
    }
    Ok(Ok(open))
}

/// Whether all parts of the tree run one after the other.
pub(super) fn is_sequential(draft: &Draft<'_>) -> bool {
    !draft.tree.cursors().iter().any(|cursor| matches!(cursor.node(), Node::Set(_)))
}

/// A dependence of an array that runs backwards.
pub(super) fn reversed_of(draft: &Draft<'_>, array: usize, budget: &Budget) -> Result<Option<Defect>> {
    let of_array = draft.dependences.pairs.iter().filter(|pair| pair.array == array && !pair.dependence.reduction);
    let pairs: Vec<_> = of_array.collect();
    let maps: Vec<Map> = pairs.iter().map(|pair| pair.dependence.map.clone()).collect();
    let violation = draft.tree.first_violation(&maps, budget)?;
    Ok(violation.map(|violation| {
        let dependence = &pairs[violation.dependence].dependence;
        reversed(draft, dependence.source, dependence.sink, violation.to_string())
    }))
}

fn reversed(draft: &Draft<'_>, source: usize, sink: usize, what: String) -> Defect {
    let name = |statement: usize| draft.scop.statements[statement].name.clone();
    Defect::Order { source: name(source), sink: name(sink), what }
}
