//! [`Places`]: which launch, block and thread executes an instance.
//!
//! A place is given by values, not yet by numbers of blocks and threads: those are the values modulo sizes. Instances with equal values are
//! in one block, or in one thread, whatever the sizes are. Example: with `threads(members = [0])` above the band `S -> [i]` in blocks of two
//! dimensions, the thread of `S[i]` is `[i, 0]`.

use crate::affine::PwAff;
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{UnionMap, UnionSet};
use crate::schedule::{Band, Cursor, Member, Node, ScheduleTree};

use super::site::{Site, band_below};

/// Where the instances of a kernel run. The relations mean something for instances of the kernel only: what holds for all of those is no
/// condition in them, since many pairs are compared by them.
#[derive(Clone, Debug)]
pub struct Places {
    /// All instances of the kernel.
    pub instances: UnionSet,
    /// The point of outer bands at which the kernel is launched: `S[..] -> [h..]`.
    pub launch: UnionMap,
    /// The values that the blocks share: `S[..] -> [v..]`.
    pub block: UnionMap,
    /// The values that the threads of a block share, 0 where they share none: `S[..] -> [v..]`.
    pub thread: UnionMap,
    /// Those members of outer bands that are no quotients, where others are.
    simple_launch: Option<UnionMap>,
}

impl Places {
    /// Where the instances of a kernel run. Exact; a few relation operations per mark.
    pub fn new(tree: &ScheduleTree, site: &Site, budget: &Budget) -> Result<Places> {
        let Some(mark) = tree.cursor_at(&site.path) else {
            let nothing = UnionMap::default();
            return Ok(Places {
                instances: UnionSet::default(),
                launch: nothing.clone(),
                block: nothing.clone(),
                thread: nothing,
                simple_launch: None,
            });
        };
        let launch = mark.prefix_schedule(budget)?;
        let instances = mark.domain(budget)?;
        let block = match band_below(&mark).filter(|_| !site.launch.members.is_empty()) {
            Some(band) => values(&band, &site.launch.members, site.launch.members.len(), budget)?,
            None => constant(&instances.universe(), 0, budget)?,
        };
        let n = site.launch.block.len();
        let (mut thread, mut rest) = (UnionMap::empty(instances.params_space()), instances.clone());
        for (path, members) in &site.threads {
            let band = tree.cursor_at(path).and_then(|mark| band_below(&mark));
            let Some(band) = band else { continue };
            let mut here = band.universe_domain(budget)?;
            for above in band.ancestors().filter(|above| above.path().starts_with(&site.path)) {
                if let Node::Filter(instances, _) = above.node() {
                    here = here.intersect(&instances.to_union_set()?, budget)?;
                }
            }
            rest = rest.subtract(&here, budget)?;
            thread = thread.union(&values(&band, members, n, budget)?.intersect_domain(&here, budget)?)?;
        }
        let rest = rest.gist(&instances, budget)?;
        let thread = thread.union(&constant(&rest, n, budget)?)?;
        let simple_launch = simple_members(&mark, budget)?;
        Ok(Places { launch, block, thread, instances, simple_launch })
    }

    /// Those of some pairs whose instances run in one launch, with others, where launches are for tiles, whose conditions are costly: the pairs with
    /// the simple numbers of launches in common. Otherwise nothing: then [`Places::of_one_launch`] costs no more.
    pub fn perhaps_of_one_launch(&self, pairs: &UnionMap, budget: &Budget) -> Result<Option<UnionMap>> {
        let Some(simple) = &self.simple_launch else { return Ok(None) };
        let here = self.instances.universe();
        let pairs = pairs.intersect_domain(&here, budget)?.intersect_range(&here, budget)?;
        pairs.intersect(&equal(simple, budget)?, budget).map(Some)
    }

    /// Those of some pairs whose instances run in one launch: `S[..] -> T[..]`.
    pub fn of_one_launch(&self, pairs: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        let pairs = pairs.intersect_domain(&self.instances, budget)?.intersect_range(&self.instances, budget)?;
        pairs.intersect(&equal(&self.launch, budget)?, budget)
    }

    /// Those of some pairs of one launch whose instances may run in different blocks.
    pub fn of_different_blocks(&self, pairs: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        pairs.subtract(&equal(&self.block, budget)?, budget)
    }

    /// Those of some pairs of one block whose instances may run in different threads.
    pub fn of_different_threads(&self, pairs: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        pairs.subtract(&equal(&self.thread, budget)?, budget)
    }
}

/// The pairs of instances with equal values.
pub(crate) fn equal(values: &UnionMap, budget: &Budget) -> Result<UnionMap> {
    values.apply_range(&values.reverse()?, budget)
}

/// The members of the bands above a mark that are no quotients, where some are: `S[..] -> [v..]`.
fn simple_members(mark: &Cursor, budget: &Budget) -> Result<Option<UnionMap>> {
    let is_simple = |function: &PwAff| function.as_total().is_some_and(|function| function.divs().is_empty());
    let is_simple = |member: &Member| member.exprs().all(|(_, function)| is_simple(function));
    let mut has_others = false;
    let mut result = constant(&mark.universe_domain(budget)?, 0, budget)?;
    for above in mark.ancestors() {
        let Node::Band(band, _) = above.node() else { continue };
        let (simple, others): (Vec<Member>, Vec<Member>) = band.members().iter().cloned().partition(is_simple);
        has_others |= !others.is_empty();
        result = with_members(&result, simple, budget)?;
    }
    Ok(has_others.then_some(result))
}

/// The members of the bands between the mark of a kernel and a node in it, without those that blocks share: where instances of one block come to
/// the node. Conditions of the domain are none of it.
pub(crate) fn members_inside(site: &Site, node: &Cursor, budget: &Budget) -> Result<UnionMap> {
    let mut result = constant(&node.universe_domain(budget)?, 0, budget)?;
    let mut shared = site.launch.members.as_slice();
    for above in node.ancestors().filter(|above| above.path().starts_with(&site.path)) {
        let Node::Band(band, _) = above.node() else { continue };
        let all = band.members().iter().enumerate();
        let own = all.filter(|(position, _)| !shared.contains(position)).map(|(_, member)| member.clone()).collect();
        result = with_members(&result, own, budget)?;
        shared = &[];
    }
    Ok(result)
}

/// Values with those of more members behind them.
fn with_members(values: &UnionMap, members: Vec<Member>, budget: &Budget) -> Result<UnionMap> {
    if members.is_empty() {
        return Ok(values.clone());
    }
    values.flat_range_product(&Band::new(members).to_map(budget)?, budget)
}

/// The values of some members of the band at a node, with zeros behind them: `S[..] -> [v.., 0..]`. Conditions of the domain are none of them.
fn values(node: &Cursor, members: &[usize], n: usize, budget: &Budget) -> Result<UnionMap> {
    let Node::Band(band, _) = node.node() else { return Ok(UnionMap::default()) };
    let all = constant(&node.universe_domain(budget)?, 0, budget)?;
    let chosen = members.iter().filter_map(|member| band.members().get(*member)).cloned().collect();
    with_zeros(&with_members(&all, chosen, budget)?, n.saturating_sub(members.len()), budget)
}

/// Values with some zeros behind them.
fn with_zeros(values: &UnionMap, zeros: usize, budget: &Budget) -> Result<UnionMap> {
    match zeros {
        0 => Ok(values.clone()),
        _ => values.flat_range_product(&constant(&values.domain(budget)?.universe(), zeros, budget)?, budget),
    }
}

/// The relation to the zero vector.
fn constant(instances: &UnionSet, n: usize, budget: &Budget) -> Result<UnionMap> {
    let zeros = UnionSet::parse(&format!("{{ [{}] }}", vec!["0"; n].join(", ")), budget)?;
    UnionMap::from_domain_and_range(instances, &zeros, budget)
}

/// Whether a node is the child of a filter of a sequence, and which child: then a barrier is one of the sequence.
pub(crate) fn child_of_sequence(cursor: &Cursor) -> Option<(Cursor, usize)> {
    let filter = cursor.parent().filter(|parent| matches!(parent.node(), Node::Filter(..)))?;
    let sequence = filter.parent().filter(|parent| matches!(parent.node(), Node::Sequence(_)))?;
    Some((sequence, filter.position()?))
}
