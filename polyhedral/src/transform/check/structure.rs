//! Is every instance executed exactly once?
//!
//! The tree must be well-formed, its domain that of the SCoP, and all that its extension nodes introduce instances of copies: each at
//! one point of the outer bands, in one place of the tree, and at a point that some instance comes to (code has no loop for
//! others). Contexts and guards must say only what holds wherever an instance comes by.

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Set, UnionMap, UnionSet};
use crate::schedule::{Cursor, Node};
use crate::space::DimKind;

use super::{Defect, Draft};

/// What is wrong with the instances of a draft.
pub(super) fn defect(draft: &Draft<'_>, budget: &Budget) -> Result<Option<Defect>> {
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
    let mut introduced = UnionSet::empty(own.params_space());
    for cursor in draft.tree.cursors() {
        match cursor.node() {
            Node::Extension(extension, _) => {
                if let Some(defect) = extension_defect(draft, &cursor, extension, &introduced, budget)? {
                    return Ok(Some(defect));
                }
                introduced = introduced.union(&extension.range(budget)?)?;
            }
            Node::Context(set, _) | Node::Guard(set, _) if !holds(draft, &cursor, set, budget)? => {
                let what = format!("what the {} {set} says does not hold for all instances", cursor.node().kind());
                return Ok(Some(Defect::Malformed { what }));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// The values of the outer members at which some instance comes to a node.
fn points(draft: &Draft<'_>, cursor: &Cursor, budget: &Budget) -> Result<UnionSet> {
    cursor.prefix_relation(budget)?.range(budget)?.intersect_params(&draft.scop.context, budget)
}

fn holds(draft: &Draft<'_>, cursor: &Cursor, set: &Set, budget: &Budget) -> Result<bool> {
    // Above the domain nothing has an instance yet: all of the context counts.
    let above = cursor.node().children().iter().any(|child| matches!(**child, Node::Domain(..) | Node::Context(..)));
    if set.space().dim(DimKind::Out) > 0 {
        let set = UnionSet::from_members([set.clone()])?;
        return points(draft, cursor, budget)?.is_subset(&set, budget);
    }
    let params = if above && cursor.schedule_depth() == 0 {
        draft.scop.context.clone()
    } else {
        points(draft, cursor, budget)?.params(budget)?.intersect(&draft.scop.context, budget)?
    };
    params.is_subset(set, budget)
}

fn extension_defect(
    draft: &Draft<'_>,
    cursor: &Cursor,
    extension: &UnionMap,
    known: &UnionSet,
    budget: &Budget,
) -> Result<Option<Defect>> {
    let copies = |what: String| Ok(Some(Defect::Copies { what }));
    for map in extension.members() {
        let name = map.space().range_tuple().name().map_or("", |name| name);
        let Some(copy) = draft.placement.copy(name) else {
            return copies(format!("the tree introduces instances of {name}, which is no copy"));
        };
        if !map.reverse().is_single_valued(budget)? {
            return copies(format!("the tree runs an instance of {name} several times"));
        }
        let scheduled = map.intersect_params(&draft.scop.context, budget)?.range(budget)?;
        let same = copy.element.space().domain_tuple() == Some(map.space().range_tuple());
        if !same || !scheduled.is_subset(&copy.element.domain(budget)?, budget)? {
            return copies(format!("an instance of {name} has no element: {scheduled}"));
        }
        if !scheduled.is_subset(&copy.place.domain(budget)?, budget)? {
            return copies(format!("an instance of {name} has no place: {scheduled}"));
        }
    }
    let extension = extension.intersect_params(&draft.scop.context, budget)?;
    let lost = extension.domain(budget)?.subtract(&points(draft, cursor, budget)?, budget)?;
    if !lost.is_empty(budget)? {
        return copies(format!("the tree introduces copies where no instance comes by: {lost}"));
    }
    if !known.is_disjoint(&extension.range(budget)?, budget)? {
        return copies("the tree runs copies at several places".to_owned());
    }
    Ok(None)
}
