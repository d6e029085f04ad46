//! Which statements of a schedule always run one after the other: the search for chains (see [`chains`](super::chains)).

use std::collections::BTreeMap;

use crate::affine::MultiAff;
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::Set;
use crate::schedule::{Cursor, Node};
use crate::space::{Name, Space};

use super::ScheduleConstraints;
use super::chains::statement;

/// Leaves of one sequence that belong together.
pub(super) struct Leaves {
    /// In execution order.
    pub(super) steps: Vec<Vec<Name>>,
    /// By statement: its instances here, and the values of the outer bands.
    pub(super) statements: BTreeMap<Name, (Set, MultiAff)>,
}

/// The chains of at least two leaves among the children of a sequence.
pub(super) fn chained(constraints: &ScheduleConstraints, sequence: &Cursor, budget: &Budget) -> Result<Vec<Leaves>> {
    let mut leaves: Vec<Option<Leaves>> = Vec::new();
    for filter in sequence.children() {
        leaves.push(match filter.child(0) {
            Some(leaf) if matches!(leaf.node(), Node::Leaf) => leaf_statements(constraints, &leaf, budget)?,
            _ => None,
        });
    }
    // From the last to the first; what was merged is compared with the next one again.
    let mut at = leaves.len().saturating_sub(1);
    while at > 0 {
        if at < leaves.len()
            && let (Some(a), Some(b)) = (&leaves[at - 1], &leaves[at])
            && belong_together(constraints, a, b, budget)?
        {
            let second = leaves.remove(at);
            if let (Some(first), Some(second)) = (&mut leaves[at - 1], second) {
                first.steps.extend(second.steps);
                first.statements.extend(second.statements);
            }
        } else {
            at -= 1;
        }
    }
    Ok(leaves.into_iter().flatten().filter(|l| l.statements.len() > 1 && l.steps.len() > 1).collect())
}

/// The statements of a leaf, if all of them have all their instances there.
fn leaf_statements(constraints: &ScheduleConstraints, leaf: &Cursor, budget: &Budget) -> Result<Option<Leaves>> {
    if leaf.ancestors().any(|a| matches!(a.node(), Node::Extension(..) | Node::Expansion(..))) {
        return Ok(None);
    }
    let here = leaf.domain(budget)?;
    let prefix = leaf.prefix_points(budget)?;
    let mut statements = BTreeMap::new();
    for set in constraints.domain.members() {
        let reaches = here.extract(set.space());
        if reaches.is_plainly_empty() || reaches.is_empty(budget)? || set.is_empty(budget)? {
            continue;
        }
        let mut functions = prefix.members().filter(|f| f.domain_space().has_equal_tuples(set.space()));
        let function = functions.next().and_then(|f| f.as_total()).cloned();
        let Some(function) = function.filter(|_| functions.next().is_none()) else { return Ok(None) };
        if !set.is_subset(&reaches, budget)? {
            return Ok(None);
        }
        statements.insert(statement(set.space()), (set.clone(), function));
    }
    if statements.is_empty() {
        return Ok(None);
    }
    Ok(Some(Leaves { steps: vec![statements.keys().cloned().collect()], statements }))
}

/// Whether some statement of the first leaves and some of the second belong together.
fn belong_together(constraints: &ScheduleConstraints, a: &Leaves, b: &Leaves, budget: &Budget) -> Result<bool> {
    for (source, f) in a.statements.values() {
        for (sink, g) in b.statements.values() {
            let space = Space::map(source.space(), &sink.space().with_params_of(source.space()));
            let pairs = constraints.validity.extract(&space);
            if pairs.is_plainly_empty() {
                continue;
            }
            let pairs = pairs.intersect(&constraints.proximity.extract(&space), budget)?;
            let pairs = pairs.intersect_domain(source, budget)?.intersect_range(sink, budget)?;
            if source.is_subset(&pairs.domain(budget)?, budget)?
                && sink.is_subset(&pairs.range(budget)?, budget)?
                && pairs.is_bijective(budget)?
                && pairs.is_subset(&f.to_map()?.apply_range(&g.to_map()?.reverse(), budget)?, budget)?
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
