//! [`Transfers`]: what has to be copied to a device before a part of a program runs there, and back behind it.
//!
//! ```text
//! for i: if (B[i] > 0) A[i] = B[i]      copy in   B[i], and A[i]: elements that are not written must come back as they were
//!                                       copy out  A[i]
//! ```
//!
//! For the instances of a *region*, a subtree at one point of outer bands, with the values of the program's order as it is now:
//! - **live in** is what the region may read before it has certainly written it;
//! - **copy out** is what the region may write so that something behind it may get the value: another read, or memory after the
//!   program. Scalars are dead then;
//! - **may persist** is what something behind the region may get from before it;
//! - **copy in** is what is live in, and what is copied out, may persist and is not certainly written by the region: it would come back as
//!   whatever the device had there.
//!
//! The sets are exact, up to what statements touch only perhaps. Where exact sets are costly to copy, [`Extent`] takes rectangles around them. Then more
//! is copied out, and so more has to be copied in. A rectangle may have elements that the program never touches: take it only for arrays that
//! have them.
//!
//! S. Verdoolaege, G. Janssens, "Scheduling for PPCG", 2017; C. Alias, A. Darte, A. Plesco, "Optimizing Remote Accesses for Offloaded
//! Kernels", IMPACT 2012.

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::flow::{AccessInfo, AccessKind, AccessOrder, Flow};
use crate::relation::{Map, Set, UnionMap, UnionSet};
use crate::schedule::{Node, Path};
use crate::scop::{Scop, Storage};
use crate::space::{DimKind, Tuple};

use super::{Defect, Draft};

/// Which elements are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Those that have to be.
    Exact,
    /// Those that have to be of an array if they are one conjunction without divisions; otherwise the smallest rectangle around them.
    Simple,
    /// The smallest rectangle around those that have to be, array by array.
    Rectangles,
    /// The smallest rectangle around all elements that the program touches, of the arrays of which some have to be.
    Arrays,
}

/// A part of a program: a subtree at one point of the bands above it.
#[derive(Clone, Debug)]
pub struct Region {
    /// The parameters that are the values of the members above, `h0`, `h1`, ...
    pub host: Vec<String>,
    /// The instances.
    pub instances: UnionSet,
}

/// What is copied for a region. The sets are those of elements, `[n, h0] -> { A[x] : .. }`.
#[derive(Clone, Debug)]
pub struct Transfers {
    /// To the device, before.
    pub copy_in: UnionSet,
    /// From the device, behind.
    pub copy_out: UnionSet,
    /// Of what is copied out, what something behind the region may get from before it.
    pub may_persist: UnionSet,
}

/// What the analyses of a region share.
struct Analysis {
    reads: UnionMap,
    must_writes: UnionMap,
    may_writes: UnionMap,
    /// Points in time, one component longer than those of the tree: memory afterwards is read at the end.
    time: UnionMap,
    components: usize,
    region: UnionSet,
    /// Instances behind the region.
    later: UnionSet,
}

impl Draft<'_> {
    /// The instances of a subtree at one point of the bands above it; of a filter those that pass it. Names of parameters are those that are free.
    pub fn region(&self, path: &Path, budget: &Budget) -> Result<Region> {
        let cursor = self.tree.cursor_at(path).ok_or_else(|| Error::OutOfRange {
            operation: "find a region",
            what: format!("the tree has no node at {path:?}"),
        })?;
        let below = cursor.child(0).filter(|_| matches!(cursor.node(), Node::Filter(..)));
        let cursor = below.unwrap_or(cursor);
        let is_taken = |name: &str| self.scop.context.space().param_index(name).is_some();
        let host: Vec<String> =
            (0..).map(|k| format!("h{k}")).filter(|name| !is_taken(name)).take(cursor.schedule_depth()).collect();
        let list = host.join(", ");
        let here = UnionSet::parse(&format!("[{list}] -> {{ [{list}] }}"), budget)?;
        let instances = cursor.prefix_relation(budget)?.intersect_range(&here, budget)?.domain(budget)?;
        Ok(Region { host, instances: instances.intersect_params(&self.scop.context, budget)? })
    }

    /// What has to be copied for a region. `dead` are elements whose values from before the program nobody needs. Exact as the module says.
    /// Cost: three value-based flow analyses of the program.
    pub fn transfers(&self, region: &Region, dead: &UnionSet, extent: Extent, budget: &Budget) -> Result<Transfers> {
        let all = Analysis::new(self, region, budget)?;
        let nothing = UnionMap::empty(all.reads.params_space());
        let inside = |map: &UnionMap| map.intersect_domain(&all.region, budget);
        let own =
            all.flow(&inside(&all.reads)?, &inside(&all.must_writes)?, &inside(&all.may_writes)?, &nothing, budget)?;
        let live_in = own.may_no_source().range(budget)?;
        let written = inside(&all.must_writes)?.union(&inside(&all.may_writes)?)?.range(budget)?;
        let behind = all.reads.intersect_domain(&all.later, budget)?;
        let out = all.seen(&behind, &self.in_memory(&written)?, budget)?;
        let out = elements(&out.full_may_dependence().intersect_domain(&all.region, budget)?, budget)?;
        let copy_out = self.extended(&out.coalesce(budget)?, extent, budget)?;
        let behind = behind.intersect_range(&copy_out, budget)?;
        let seen = all.seen(&behind, &self.in_memory(&copy_out)?, budget)?;
        let may_persist = copy_out.intersect(&all.earlier_elements(&seen, dead, budget)?, budget)?;
        let kept = may_persist.subtract(&inside(&all.must_writes)?.range(budget)?, budget)?;
        let needed = live_in.union(&kept)?.coalesce(budget)?;
        Ok(Transfers { copy_in: self.extended(&needed, extent, budget)?, copy_out, may_persist })
    }

    /// Elements that are memory of the program: scalars are dead afterwards.
    fn in_memory(&self, elements: &UnionSet) -> Result<UnionSet> {
        let is_memory = |set: &&Set| {
            let array = set.space().range_tuple().name().and_then(|name| self.scop.array(name));
            array.is_some_and(|array| self.scop.arrays[array].storage != Storage::Scalar)
        };
        UnionSet::from_members(elements.members().filter(is_memory).cloned())
    }

    fn extended(&self, elements: &UnionSet, extent: Extent, budget: &Budget) -> Result<UnionSet> {
        let mut sets = Vec::new();
        for set in elements.members() {
            let is_simple = set.conjunctions().len() <= 1 && set.conjunctions().iter().all(|part| part.n_local() == 0);
            sets.push(match extent {
                Extent::Exact => set.clone(),
                Extent::Simple if is_simple => set.clone(),
                Extent::Simple | Extent::Rectangles => rectangle(set, budget)?,
                Extent::Arrays => {
                    let mut all = set.clone();
                    for statement in &self.scop.statements {
                        for access in &statement.accesses {
                            if access.relation.space().range_tuple() == set.space().range_tuple() {
                                let touched = access.relation.intersect_domain(&statement.domain, budget)?;
                                let touched = touched.intersect_params(&self.scop.context, budget)?.range(budget)?;
                                // Only where something of it is copied.
                                all = all.union(&touched.intersect_params(&set.params(budget)?, budget)?)?;
                            }
                        }
                    }
                    rectangle(&all, budget)?
                }
            });
        }
        UnionSet::from_members(sets)
    }
}

/// The smallest rectangle around a set, for every value of the parameters. Exact.
pub fn rectangle(set: &Set, budget: &Budget) -> Result<Set> {
    let n = set.space().dim(DimKind::Out);
    let mut all: Option<Set> = None;
    for dim in 0..n {
        let side = set.with_space(&set.space().with_tuple(DimKind::Out, Tuple::anonymous(n)))?;
        let side =
            side.project_out(DimKind::Out, dim + 1, n - dim - 1, budget)?.project_out(DimKind::Out, 0, dim, budget)?;
        let space = side.space().clone();
        let above = side.apply(&Map::lex_le(&space)?, budget)?;
        let side = side.apply(&Map::lex_ge(&space)?, budget)?.intersect(&above, budget)?.coalesce(budget)?;
        all = Some(match all {
            Some(known) => known.flat_product(&side, budget)?,
            None => side,
        });
    }
    match all {
        Some(all) => all.with_space(&all.space().with_tuple(DimKind::Out, set.space().range_tuple().clone())),
        None => Ok(set.clone()),
    }
}

/// The elements of an array that a program may read before it has certainly written them: what is *live in*. Exact up to what statements
/// touch only perhaps. Cost: one value-based flow analysis of the accesses to the array.
pub fn live_in(scop: &Scop, array: &str, budget: &Budget) -> Result<UnionSet> {
    let [reads, must_source, may_source] = accesses(scop, |name| name == array, budget)?;
    let kill = UnionMap::empty(reads.params_space());
    let order = AccessOrder::Map(scop.schedule.to_map(budget)?.intersect_params(&scop.context, budget)?);
    let flow = AccessInfo { sink: reads, must_source, may_source, kill, order }.compute_flow(budget)?;
    flow.may_no_source().range(budget)?.coalesce(budget)
}

/// The reads, certain writes and possible writes of arrays with some names, of the instances that there are.
fn accesses(scop: &Scop, is_meant: impl Fn(&str) -> bool, budget: &Budget) -> Result<[UnionMap; 3]> {
    let mut all = [const { Vec::new() }; 3];
    for statement in &scop.statements {
        for access in &statement.accesses {
            if !access.relation.space().range_tuple().name().is_some_and(|name| is_meant(name)) {
                continue;
            }
            let relation = access.relation.intersect_domain(&statement.domain, budget)?;
            let kind = match access.kind {
                AccessKind::Read => 0,
                AccessKind::MustWrite => 1,
                AccessKind::MayWrite => 2,
            };
            all[kind].push(relation.intersect_params(&scop.context, budget)?);
        }
    }
    let [reads, must_writes, may_writes] = all.map(UnionMap::from_members);
    Ok([reads?, must_writes?, may_writes?])
}

/// The elements of `source -> [sink -> element]`.
fn elements(dependences: &UnionMap, budget: &Budget) -> Result<UnionSet> {
    dependences.range(budget)?.unwrap()?.range(budget)
}

impl Analysis {
    fn new(draft: &Draft<'_>, region: &Region, budget: &Budget) -> Result<Analysis> {
        let scop = draft.scop;
        let [reads, must_writes, may_writes] = accesses(scop, |_| true, budget)?;
        let time = draft.tree.to_map(budget)?.intersect_params(&scop.context, budget)?;
        let components = time.members().next().map_or(0, |map| map.space().dim(DimKind::Out));
        let own = time.intersect_domain(&region.instances, budget)?.range(budget)?;
        let mut later = UnionSet::empty(own.params_space());
        for times in own.members() {
            let behind = UnionSet::from_members([times.apply(&Map::lex_lt(times.space())?, budget)?])?;
            later = later.union(&behind.apply(&time.reverse()?, budget)?)?;
        }
        let later = later.subtract(&region.instances, budget)?.coalesce(budget)?;
        let dims: Vec<String> = (0..components).map(|k| format!("t{k}")).collect();
        let dims = dims.join(", ");
        let first =
            UnionMap::parse(&format!("{{ [{dims}] -> [0{}{dims}] }}", if components > 0 { ", " } else { "" }), budget)?;
        Ok(Analysis {
            reads,
            must_writes,
            may_writes,
            time: time.apply_range(&first, budget)?,
            components,
            region: region.instances.clone(),
            later,
        })
    }

    /// The flow to some sinks, and to reads `A#after[..] -> A[..]` behind everything.
    fn flow(
        &self,
        sink: &UnionMap,
        must: &UnionMap,
        may: &UnionMap,
        after: &UnionMap,
        budget: &Budget,
    ) -> Result<Flow> {
        let end = UnionSet::parse(&format!("{{ [1{}] }}", ", 0".repeat(self.components)), budget)?;
        let time = self.time.union(&UnionMap::from_domain_and_range(&after.domain(budget)?, &end, budget)?)?;
        AccessInfo {
            sink: sink.union(after)?,
            must_source: must.clone(),
            may_source: may.clone(),
            kill: UnionMap::empty(sink.params_space()),
            order: AccessOrder::Map(time),
        }
        .compute_flow(budget)
    }

    /// What some reads get in the program, and memory afterwards where it is about some elements.
    fn seen(&self, reads: &UnionMap, memory: &UnionSet, budget: &Budget) -> Result<Flow> {
        self.flow(reads, &self.must_writes, &self.may_writes, &after(memory)?, budget)
    }

    /// The elements that the sinks of a flow may get from before the region.
    fn earlier_elements(&self, flow: &Flow, dead: &UnionSet, budget: &Budget) -> Result<UnionSet> {
        let others = self.region.union(&self.later)?;
        let earlier = flow.full_may_dependence().subtract_domain(&others, budget)?;
        let initial = flow.may_no_source().range(budget)?.subtract(dead, budget)?;
        elements(&earlier, budget)?.union(&initial)
    }
}

/// The reads of memory afterwards, `A#after[..] -> A[..]`.
fn after(memory: &UnionSet) -> Result<UnionMap> {
    let read = |set: &Set| {
        let name = set.space().range_tuple().name().map_or_else(String::new, ToString::to_string);
        Ok(set.identity()?.with_tuple_name(DimKind::In, &format!("{name}#after")))
    };
    UnionMap::from_members(memory.members().map(read).collect::<Result<Vec<_>>>()?)
}

/// What is wrong with the copies around a region, if anything is: a value that is not copied in, or not copied out. It asks the flow
/// of values through the whole program, and shares no reasoning with [`Draft::transfers`]. Sound and exact up to accesses that happen
/// perhaps. Cost: one value-based flow analysis.
pub fn check_transfers(
    draft: &Draft<'_>,
    region: &Region,
    transfers: &Transfers,
    dead: &UnionSet,
    budget: &Budget,
) -> Result<Option<Defect>> {
    let all = Analysis::new(draft, region, budget)?;
    let written = all.must_writes.union(&all.may_writes)?.range(budget)?.union(&transfers.copy_out)?;
    let memory = draft.in_memory(&written.coalesce(budget)?)?;
    let flow = all.seen(&all.reads, &memory, budget)?;
    let triples = flow.full_may_dependence();
    let sinks = |pairs: &UnionMap| pairs.range(budget)?.unwrap();
    let open = flow.may_no_source();
    let into =
        sinks(&triples.subtract_domain(&all.region, budget)?)?.union(open)?.intersect_domain(&all.region, budget)?;
    let missing = |wanted: &UnionSet, there: &UnionSet| -> Result<Option<String>> {
        let missing = wanted.subtract(there, budget)?;
        Ok(if missing.is_empty(budget)? { None } else { Some(missing.coalesce(budget)?.to_string()) })
    };
    let defect = |reader: &str, what: String| Ok(Some(Defect::Values { reader: reader.to_owned(), what }));
    if let Some(what) = missing(&into.range(budget)?, &transfers.copy_in)? {
        return defect("the device", format!("{what} is not copied in"));
    }
    let out = sinks(&triples.intersect_domain(&all.region, budget)?)?.subtract_domain(&all.region, budget)?;
    if let Some(what) = missing(&out.range(budget)?, &transfers.copy_out)? {
        return defect("the host", format!("{what} is not copied out"));
    }
    // Those behind the region: what executes neither in it nor before it.
    let earlier = all.reads.domain(budget)?.subtract(&all.later, budget)?;
    let others = all.region.union(&all.later)?;
    let before = sinks(&triples.subtract_domain(&others, budget)?)?.subtract_domain(&earlier, budget)?.range(budget)?;
    let initial = open.subtract_domain(&earlier, budget)?.range(budget)?.subtract(dead, budget)?;
    let kept = before.union(&initial)?.intersect(&transfers.copy_out, budget)?;
    if let Some(what) = missing(&kept, &transfers.copy_in)? {
        return defect("the host", format!("{what} is copied out without having been copied in"));
    }
    Ok(None)
}
