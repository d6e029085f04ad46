//! Do kernels do what the tree says? It is the order in which their instances run without a device, and `order` looks at it. Here is what
//! changes when they are shared by threads:
//!
//! - every instance of a kernel is executed by exactly one thread of one block. The proof is about the orders of threads from which
//!   code is made: without the parameters that are the block and the thread they have all instances, and an instance determines them;
//! - two instances of one launch that touch the same place, at least one of them writing, run in one block; and in one thread, or with a
//!   barrier between. Whether they do is decided by the values that are shared, so that the answer holds for all sizes of grids and
//!   blocks.
//!
//! A barrier is behind the children `0..=m` of a sequence `q` (or behind all of what is below it, where no sequence is above), at every
//! point that comes to `q`. It is between two instances that come to `q`
//! - at one point, if one is in a child up to `m` and the other in one behind it;
//! - at two points, if both are in children up to `m`, since it follows the earlier one, or if both are behind it, since the later one
//!   follows it.
//!
//! Nothing is asked about other pairs, although a barrier might be between them, too: sound, not complete.
//!
//! Of the buffers of a draft, packed ones are memory of the host: kernels cannot have them yet. Private ones are memory of one thread: whoever
//! touches a place of one that a kernel touches is one thread of one launch. So it does not matter whether the threads of a device share the
//! buffer or each have their own.

use std::sync::Arc;

use crate::budget::Budget;
use crate::device::{DeviceError, Places, Site, ThreadOrder, child_of_sequence, equal, members_inside, sites};
use crate::error::{Error, Result};
use crate::relation::{Map, UnionMap, UnionSet};
use crate::schedule::{Cursor, Instances, Node, ScheduleTree};

use super::super::placement::{Buffer, BufferKind};
use super::{Defect, Draft};

/// What is wrong with the kernels of a draft.
pub(super) fn defect(draft: &Draft<'_>, budget: &Budget) -> Result<Option<Defect>> {
    let sites = match sites(&draft.tree) {
        Ok(sites) => sites,
        Err(error) => return plain(error),
    };
    if sites.is_empty() {
        return Ok(None);
    }
    for buffer in &draft.placement.buffers {
        if let Some(what) = shared_buffer(draft, &sites, buffer, budget)? {
            return Ok(Some(Defect::Device { what }));
        }
    }
    let context = &draft.scop.context;
    let orders = match ThreadOrder::all(&draft.tree, Some(context), budget) {
        Ok(orders) => orders,
        Err(error) => return plain(error),
    };
    let pairs = draft.together(budget)?.intersect_params(context, budget)?;
    for order in &orders {
        if let Some(defect) = check_threads(order, budget)? {
            return Ok(Some(defect));
        }
        if let Some(what) = conflict(draft, &order.site, &pairs, budget)? {
            return Ok(Some(Defect::Device { what }));
        }
    }
    Ok(None)
}

fn plain(error: DeviceError) -> Result<Option<Defect>> {
    match error {
        DeviceError::Relation(error) => Err(error),
        other => Ok(Some(Defect::Device { what: other.to_string() })),
    }
}

/// What is wrong with how the threads of a kernel share its instances: some are executed by no thread, or by several. Exact. Cost: a
/// projection and a subtraction per statement.
pub fn check_threads(order: &ThreadOrder, budget: &Budget) -> Result<Option<Defect>> {
    Ok(not_once(order, budget)?.map(|what| Defect::Device { what }))
}

/// Instances that no thread, or more than one, executes.
fn not_once(order: &ThreadOrder, budget: &Budget) -> Result<Option<String>> {
    let place: Vec<&str> = order.blocks.iter().chain(&order.threads).map(|name| &**name).collect();
    let place = place.join(", ");
    let place = UnionSet::parse(&format!("[{place}] -> {{ [{place}] }}"), budget)?;
    let Some(all) = order.tree.domain() else { return Ok(None) };
    let all = all.to_union_set()?;
    let places = |tree: &ScheduleTree| {
        let mut executed = UnionMap::empty(all.params_space());
        for entry in tree.flatten(budget)?.into_iter().filter(|entry| !order.barriers.contains(&entry.stmt)) {
            let domain = entry.domain.intersect_params(&order.context, budget)?;
            let here = UnionMap::from_domain_and_range(&UnionSet::from_members([domain])?, &place, budget)?;
            if !executed.is_disjoint(&here, budget)? {
                return Ok::<_, Error>(Err(entry.stmt));
            }
            executed = executed.union(&here)?;
        }
        for name in order.blocks.iter().chain(&order.threads) {
            executed = executed.project_out_param(name, budget)?;
        }
        Ok(Ok(executed))
    };
    // What chooses the place are filters. Without the conditions of the domain they are simple, and mostly prove everything.
    let child = order.tree.root().children().first().cloned().unwrap_or_else(|| Arc::new(Node::Leaf));
    let filters = ScheduleTree::new(Instances::from_union_set(&all.universe())?, Arc::unwrap_or_clone(child));
    let of_filters = places(&filters)?;
    let expected = |instances: &UnionSet| {
        let mut expected = instances.intersect_params(&order.context, budget)?;
        for name in order.blocks.iter().chain(&order.threads) {
            expected = expected.project_out_param(name, budget)?;
        }
        Ok::<_, Error>(expected)
    };
    if let Ok(chosen) = &of_filters
        && chosen.is_single_valued(budget)?
    {
        let nowhere = expected(&all.universe())?.subtract(&chosen.domain(budget)?, budget)?;
        if expected(&all)?.is_disjoint(&nowhere, budget)? {
            return Ok(None);
        }
    }
    let executed = match places(&order.tree)? {
        Ok(executed) => executed,
        Err(statement) => return Ok(Some(format!("a thread of {} runs instances of {statement} twice", order.name))),
    };
    let missing = expected(&all)?.subtract(&executed.domain(budget)?, budget)?;
    if !missing.is_empty(budget)? {
        return Ok(Some(format!("no thread of {} runs {missing}", order.name)));
    }
    if !executed.is_single_valued(budget)? {
        return Ok(Some(format!("several threads of {} run the same instances", order.name)));
    }
    Ok(None)
}

/// Instances of a launch that touch the same place and do not wait for each other.
fn conflict(draft: &Draft<'_>, site: &Site, pairs: &UnionMap, budget: &Budget) -> Result<Option<String>> {
    let places = Places::new(&draft.tree, site, budget)?;
    let together = places.of_one_launch(pairs, budget)?;
    if let Some(names) = some(&places.of_different_blocks(&together, budget)?, budget)? {
        return Ok(Some(format!(
            "{names} would touch the same place in different blocks, which do not wait for each other"
        )));
    }
    // What is said about pairs of different launches or blocks from here on is of no interest.
    let perhaps = places.perhaps_of_one_launch(pairs, budget)?;
    let mut open = places.of_different_threads(perhaps.as_ref().unwrap_or(&together), budget)?;
    for path in &site.barriers {
        if open.is_empty(budget)? {
            return Ok(None);
        }
        if let Some(mark) = draft.tree.cursor_at(path) {
            open = not_separated(site, &mark, &open, &places.instances, budget)?;
        }
    }
    let found = match open.is_empty(budget)? {
        true => None,
        false => some(&open.intersect(&together, budget)?, budget)?,
    };
    Ok(found.map(|names| format!("{names} would touch the same place in different threads without a barrier between")))
}

/// A buffer that a kernel touches and that is not memory of one thread.
fn shared_buffer(draft: &Draft<'_>, sites: &[Site], buffer: &Buffer, budget: &Budget) -> Result<Option<String>> {
    let (scop, placement) = (draft.scop, &draft.placement);
    let mut touching = Vec::new();
    for (s, statement) in scop.statements.iter().enumerate() {
        for access in 0..statement.accesses.len() {
            touching.extend(placement.locations(scop, s, access, budget)?);
        }
    }
    let copies = placement.copies.iter().map(|copy| copy.place.clone());
    let is_here = |map: &Map| map.space().range_tuple() == buffer.places.space().range_tuple();
    let touching = UnionMap::from_members(touching.into_iter().chain(copies).filter(is_here))?;
    let pairs = equal(&touching, budget)?.intersect_params(&scop.context, budget)?;
    for site in sites {
        let places = Places::new(&draft.tree, site, budget)?;
        let pairs = pairs.intersect_domain(&places.instances, budget)?;
        if pairs.is_empty(budget)? {
            continue;
        }
        if buffer.kind != BufferKind::Private {
            return Ok(Some(format!("{} is a buffer of the host, and kernels know only arrays", buffer.name)));
        }
        let together = places.of_one_launch(&pairs, budget)?;
        let apart = pairs.subtract(&together, budget)?;
        let apart = apart.union(&places.of_different_blocks(&together, budget)?)?;
        let apart = apart.union(&places.of_different_threads(&together, budget)?)?;
        if let Some(names) = some(&apart, budget)? {
            let name = &buffer.name;
            return Ok(Some(format!(
                "{names} share a place of {name}, which is memory of one thread, and run in several"
            )));
        }
    }
    Ok(None)
}

/// The statements of some pair.
fn some(pairs: &UnionMap, budget: &Budget) -> Result<Option<String>> {
    for map in pairs.members() {
        if !map.is_empty(budget)? {
            let name = |tuple: Option<&crate::space::Tuple>| {
                tuple.and_then(|tuple| tuple.name()).map_or_else(String::new, ToString::to_string)
            };
            let (source, sink) = (name(map.space().domain_tuple()), name(Some(map.space().range_tuple())));
            let names = if source == sink { format!("instances of {source}") } else { format!("{source} and {sink}") };
            return Ok(Some(names));
        }
    }
    Ok(None)
}

/// The pairs of a launch and block between which a barrier perhaps is not, with or without pairs of others. Cost: that of asking which pairs come to the barrier
/// at one point; pairs that do not are only computed between the parts of a sequence.
fn not_separated(
    site: &Site,
    mark: &Cursor,
    pairs: &UnionMap,
    instances: &UnionSet,
    budget: &Budget,
) -> Result<UnionMap> {
    let here = child_of_sequence(mark);
    let at = here.as_ref().map_or(mark, |(sequence, _)| sequence);
    let all = at.prefix_relation(budget)?.domain(budget)?;
    let (mut before, mut behind) = (UnionSet::empty(all.params_space()), UnionSet::empty(all.params_space()));
    match &here {
        None => before = all.universe(),
        Some((sequence, last)) => {
            for (position, child) in sequence.node().children().iter().enumerate() {
                if let Node::Filter(instances, _) = &**child {
                    let side = if position <= *last { &mut before } else { &mut behind };
                    *side = side.union(&instances.to_union_set()?)?;
                }
            }
        }
    }
    let elsewhere = instances.subtract(&all, budget)?;
    let both =
        |first: &UnionSet, second: &UnionSet| pairs.intersect_domain(first, budget)?.intersect_range(second, budget);
    let at_one_point = equal(&members_inside(site, at, budget)?, budget)?;
    let in_one_part = both(&before, &before)?.union(&both(&behind, &behind)?)?.intersect(&at_one_point, budget)?;
    let in_both_parts = both(&before, &behind)?.union(&both(&behind, &before)?)?.subtract(&at_one_point, budget)?;
    let beside = both(&elsewhere, &instances.universe())?.union(&both(&instances.universe(), &elsewhere)?)?;
    in_one_part.union(&in_both_parts)?.union(&beside)
}
