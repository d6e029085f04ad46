//! Who touches what: the accesses of a program and of the new code to some arrays and their buffers, in the form that the analysis of
//! values takes.
//!
//! Every access has a tuple of its own, `[S[..] -> access2[]]`: the instance, and which of its accesses. Copies have their own
//! instances. The read of all memory afterwards is the statement `A#after[..]`, one instance per element of an array.

use crate::affine::MultiAff;
use crate::budget::Budget;
use crate::error::Result;
use crate::flow::{AccessKind, AccessOrder};
use crate::relation::{Map, Set, UnionMap, UnionSet};
use crate::schedule::{FlatSchedule, Instances, Node, ScheduleTree, TimeDim};
use crate::scop::Storage;
use crate::space::{DimKind, Space, Tuple};

use super::{Defect, Draft};

/// One access of one statement.
pub(super) struct Accessed {
    pub(super) statement: usize,
    pub(super) number: usize,
    pub(super) kind: AccessKind,
    /// The kind of the reduction it belongs to, if its statement is one in the new code, too.
    pub(super) reduction: Option<String>,
    /// Whether an instance touches at most one element.
    pub(super) function: bool,
    /// What it touches in the program.
    pub(super) original: Map,
    /// What it touches in the new code.
    pub(super) now: Vec<Map>,
    /// The instances in which it reads what its own instance has just written, in the program as in the new code (where not, the
    /// accesses are [mixed up](Events::mixed_up)): what they get is no question.
    pub(super) own: Option<Set>,
    /// `[S[..] -> access2[]]`.
    tuple: Tuple,
}

/// All that touches some arrays.
pub(super) struct Events<'d> {
    draft: &'d Draft<'d>,
    pub(super) accesses: Vec<Accessed>,
    /// Of every copy what it reads, what it writes, and its element.
    pub(super) copies: Vec<(Map, Map, Map)>,
    /// The elements that are read afterwards, in the tuples `A#after`, and what each is.
    after: Vec<(Set, Map)>,
    flat: Vec<FlatSchedule>,
}

impl Accessed {
    /// What it touches where it does not read what its own instance has just written.
    pub(super) fn foreign(&self, map: &Map, budget: &Budget) -> Result<Map> {
        match &self.own {
            Some(own) => map.subtract_domain(own, budget),
            None => Ok(map.clone()),
        }
    }

    /// `[S[..] -> access2[]] -> A[..]` of `S[..] -> A[..]`.
    pub(super) fn tagged(&self, map: &Map, budget: &Budget) -> Result<Map> {
        let tag = Tuple::new::<&str>(&format!("access{}", self.number), &[]);
        let space = Space::map_of(&map.space().params_space(), tag, map.space().range_tuple().clone());
        map.domain_product(&Map::universe(space), budget)
    }
}

impl<'d> Events<'d> {
    pub(super) fn new(draft: &'d Draft<'d>, arrays: &[usize], budget: &Budget) -> Result<Events<'d>> {
        let (scop, placement) = (draft.scop, &draft.placement);
        let mut accesses = Vec::new();
        for (s, statement) in scop.statements.iter().enumerate() {
            let keeps = placement.keeps_reduction(scop, s, budget)?;
            for (number, access) in statement.accesses.iter().enumerate() {
                if !scop.array_of(access).is_some_and(|array| arrays.contains(&array)) {
                    continue;
                }
                let original = access.relation.intersect_domain(&statement.domain, budget)?;
                let original = original.intersect_params(&scop.context, budget)?;
                let reduction = statement.reduction.as_ref().filter(|_| keeps);
                let reduction = reduction.filter(|r| r.read == number || r.write == number);
                let tag = Tuple::new::<&str>(&format!("access{number}"), &[]);
                accesses.push(Accessed {
                    statement: s,
                    number,
                    kind: access.kind,
                    reduction: reduction.map(|r| r.kind.clone()),
                    function: original.is_single_valued(budget)?,
                    now: placement.locations(scop, s, number, budget)?,
                    own: None,
                    tuple: Tuple::nest(original.space().domain().range_tuple(), &tag),
                    original,
                });
            }
        }
        for read in 0..accesses.len() {
            let own = own_values(&accesses, &accesses[read], budget)?;
            accesses[read].own = own;
        }
        let flat = draft.tree.flatten(budget)?;
        let mut copies = Vec::new();
        for copy in &placement.copies {
            let scheduled = flat.iter().filter(|entry| *entry.stmt == *copy.statement);
            let scheduled = UnionSet::from_members(scheduled.map(|entry| entry.domain.clone()))?;
            let scheduled = scheduled.intersect_params(&scop.context, budget)?;
            let scheduled = scheduled.extract(&copy.element.space().domain());
            let [read, write, element] = [copy.source(), copy.destination(), &copy.element];
            let restricted = |map: &Map| map.intersect_domain(&scheduled, budget);
            copies.push((restricted(read)?, restricted(write)?, restricted(element)?));
        }
        let mut after = Vec::new();
        for array in arrays.iter().map(|array| &scop.arrays[*array]).filter(|a| a.storage != Storage::Scalar) {
            let written = accesses.iter().filter(|access| access.kind != AccessKind::Read);
            let written = written.map(|access| &access.original).chain(copies.iter().map(|(_, write, _)| write));
            let of_array = written.filter(|map| map.space().range_tuple().name().is_some_and(|n| **n == *array.name));
            let elements = of_array.map(|map| map.range(budget)).collect::<Result<Vec<_>>>()?;
            for set in UnionSet::from_members(elements)?.coalesce(budget)?.members() {
                let name = format!("{}#after", array.name);
                let read = set.identity()?.with_tuple_name(DimKind::In, &name);
                after.push((set.with_tuple_name(DimKind::Out, &name), read));
            }
        }
        Ok(Events { draft, accesses, copies, after, flat })
    }

    /// The access with a tuple; also of the tuple `[access -> element]`.
    pub(super) fn access(&self, tuple: &Tuple) -> Option<&Accessed> {
        let found = |tuple: &Tuple| self.accesses.iter().find(|access| access.tuple == *tuple);
        found(tuple).or_else(|| found(&tuple.factors()?.0))
    }

    /// Whether this is what touches at most one element at a time.
    pub(super) fn is_function(&self, tuple: &Tuple) -> bool {
        self.access(tuple).is_none_or(|access| access.function)
    }

    /// Whether the tuple is that of a copy.
    pub(super) fn is_copy(&self, tuple: &Tuple) -> bool {
        tuple.name().is_some_and(|name| self.draft.placement.copy(name).is_some())
    }

    /// A reader for people.
    pub(super) fn name_of(&self, tuple: &Tuple) -> String {
        if let Some(access) = self.access(tuple) {
            return format!("access {} of {}", access.number, self.draft.scop.statements[access.statement].name);
        }
        let name = tuple.name().map_or("", |name| name);
        format!("memory after the program, {}", name.trim_end_matches("#after"))
    }

    /// The reads of all that is left in memory.
    pub(super) fn final_reads(&self) -> Result<UnionMap> {
        UnionMap::from_members(self.after.iter().map(|(_, read)| read.clone()))
    }

    /// The order of the program, and the reads of memory after it.
    pub(super) fn program_order(&self) -> Result<AccessOrder> {
        self.with_final_reads(&self.draft.scop.schedule)
    }

    /// The order of the new code, and the reads of memory after it.
    pub(super) fn draft_order(&self) -> Result<AccessOrder> {
        self.with_final_reads(&self.draft.tree)
    }

    fn with_final_reads(&self, tree: &ScheduleTree) -> Result<AccessOrder> {
        if self.after.is_empty() {
            return Ok(AccessOrder::Tree(tree.clone()));
        }
        let reads = Instances::from_sets(self.after.iter().map(|(elements, _)| elements.clone()))?;
        Ok(AccessOrder::Tree(ScheduleTree::from_root(followed(tree.root(), &reads)?)))
    }

    /// Two accesses of one instance, a write and a later read, that met and no longer do, or the other way round: their order is that
    /// inside the instance, which the flow between instances does not show.
    pub(super) fn mixed_up(&self, budget: &Budget) -> Result<Option<Defect>> {
        for write in self.accesses.iter().filter(|access| access.kind != AccessKind::Read) {
            let reads = self.accesses.iter().filter(|read| read.kind == AccessKind::Read);
            for read in reads.filter(|read| read.statement == write.statement && read.number > write.number) {
                let old = meeting(std::slice::from_ref(&write.original), std::slice::from_ref(&read.original), budget)?;
                if !old.is_equal(&meeting(&write.now, &read.now, budget)?, budget)? {
                    let reader = self.name_of(&read.tuple);
                    let what = format!("it meets access {} of its instance at other places", write.number);
                    return Ok(Some(Defect::Values { reader, what }));
                }
            }
        }
        Ok(None)
    }

    /// Two instances that touch the same place, one of which writes it, and that the tree does not order.
    pub(super) fn race(&self, budget: &Budget) -> Result<Option<Defect>> {
        let mut all: Vec<(&Map, bool, Option<&str>)> = Vec::new();
        for access in &self.accesses {
            let writes = access.kind != AccessKind::Read;
            all.extend(access.now.iter().map(|map| (map, writes, access.reduction.as_deref())));
        }
        for (read, write, _) in &self.copies {
            all.extend([(read, false, None), (write, true, None)]);
        }
        for (position, (a, a_writes, a_kind)) in all.iter().enumerate() {
            for (b, b_writes, b_kind) in &all[..=position] {
                let reassociated = a_kind.is_some() && a_kind == b_kind;
                let apart = a.space().range_tuple() != b.space().range_tuple();
                if apart || reassociated || !(*a_writes || *b_writes) {
                    continue;
                }
                let pairs = a.apply_range(&b.reverse(), budget)?;
                if !pairs.is_empty(budget)? && self.unordered(&pairs, budget)? {
                    let what = format!("instances that touch the same place are not ordered: {pairs}");
                    return Ok(Some(Defect::Race { what }));
                }
            }
        }
        Ok(None)
    }

    /// Whether the tree leaves the order of some pairs of different instances open.
    fn unordered(&self, pairs: &Map, budget: &Budget) -> Result<bool> {
        let entries = |tuple: Option<&Tuple>| {
            let tuple = tuple.cloned();
            self.flat.iter().filter(move |entry| Some(entry.domain.space().range_tuple()) == tuple.as_ref())
        };
        for a in entries(pairs.space().domain_tuple()) {
            for b in entries(Some(pairs.space().range_tuple())) {
                let Some(tied) = tied(a, b) else { continue };
                let times = [a, b].map(|entry| times(entry, tied, budget));
                let [a_times, b_times] = times;
                let mut open = pairs.intersect(&a_times?.apply_range(&b_times?.reverse(), budget)?, budget)?;
                if pairs.space().domain_tuple() == Some(pairs.space().range_tuple()) {
                    open = open.subtract(&Map::identity(&open.space().domain())?, budget)?;
                }
                if !open.is_empty(budget)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// How many components of time two leaves have to share for nothing to order their instances; nothing if a sequence always does.
fn tied(a: &FlatSchedule, b: &FlatSchedule) -> Option<usize> {
    for (k, (x, y)) in a.time.iter().zip(&b.time).enumerate() {
        if let (Some(x), Some(y)) = (x.constant_value(), y.constant_value())
            && x != y
        {
            return (a.dims[k] == TimeDim::Unordered && b.dims[k] == TimeDim::Unordered).then_some(k);
        }
    }
    Some(a.time.len())
}

/// The first components of time as a relation from instances.
fn times(entry: &FlatSchedule, components: usize, budget: &Budget) -> Result<Map> {
    let mut params = entry.domain.space().params_space();
    for aff in &entry.time {
        params = params.align_params(&aff.space().params_space());
    }
    let domain = entry.domain.align_params(&params);
    let range = Space::set_of(&params, Tuple::anonymous(components));
    let time = entry.time[..components].iter().map(|aff| aff.align_params(&params)).collect();
    MultiAff::new(Space::map(domain.space(), &range), time)?.to_map()?.intersect_domain(&domain, budget)
}

/// The instances in which a read comes behind a certain write of the same element by the same instance.
fn own_values(all: &[Accessed], read: &Accessed, budget: &Budget) -> Result<Option<Set>> {
    let mut own: Option<Set> = None;
    if read.kind != AccessKind::Read || !read.function {
        return Ok(own);
    }
    let earlier = all.iter().filter(|write| write.statement == read.statement && write.number < read.number);
    for write in earlier.filter(|write| write.kind == AccessKind::MustWrite && write.function) {
        if write.original.space().range_tuple() == read.original.space().range_tuple() {
            let here = write.original.intersect(&read.original, budget)?.domain(budget)?;
            own = Some(match own {
                Some(known) => known.union(&here)?,
                None => here,
            });
        }
    }
    Ok(own)
}

/// The instances in which two accesses touch the same.
fn meeting(a: &[Map], b: &[Map], budget: &Budget) -> Result<UnionSet> {
    let (a, b) = (UnionMap::from_members(a.to_vec())?, UnionMap::from_members(b.to_vec())?);
    a.intersect(&b, budget)?.domain(budget)
}

/// A tree that runs other instances after all of its own.
fn followed(node: &Node, others: &Instances) -> Result<Node> {
    match node {
        Node::Context(set, child) => Ok(Node::context(set.clone(), followed(child, others)?)),
        Node::Domain(instances, child) => {
            let mut all = instances.clone();
            for (_, set) in others.iter() {
                all.add(set.clone())?;
            }
            let own = Node::filter(instances.clone(), (**child).clone());
            let last = Node::filter(others.clone(), Node::leaf());
            Ok(Node::Domain(all, std::sync::Arc::new(Node::sequence(vec![own, last]))))
        }
        other => Ok(other.clone()),
    }
}
