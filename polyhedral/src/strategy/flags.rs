//! What is known about innermost loops.

use crate::budget::Budget;
use crate::error::Result;
use crate::flow::AccessKind;
use crate::relation::UnionSet;
use crate::schedule::{Cursor, EditError, Node, ScheduleTree};
use crate::scop::{Access, Dependence, DependenceKind, Dependences, Scop, Storage};
use crate::space::DimKind;

use super::program::Program;

/// The same tree in which bands without bands below them say whether their iterations are independent where all other counters of
/// statements stand still, and all other bands say nothing. A loop in whose single iterations accesses may meet by chance says nothing,
/// either: compilers that are told of independent iterations also change the order of accesses inside of one (LLVM moves the first of
/// the stores to `a[2 k]` and `a[2 k + 1]` down to the second, past a load of `a[2 f(k)]` with `f(k) = k` now and then). Cost: one
/// emptiness test per dependence inside such a band.
pub fn with_free_loops(
    tree: &ScheduleTree,
    scop: &Scop,
    dependences: &Dependences,
    budget: &Budget,
) -> std::result::Result<ScheduleTree, EditError> {
    let _phase = crate::phase!("flags", budget);
    let mut marked = tree.clone();
    let cursors = tree.cursors();
    let is_band = |cursor: &Cursor| matches!(cursor.node(), Node::Band(..));
    let is_innermost = |cursor: &&Cursor| {
        is_band(cursor) && cursor.find(&mut |below| below.depth() > cursor.depth() && is_band(below)).is_none()
    };
    let innermost: Vec<&Cursor> = cursors.iter().filter(is_innermost).collect();
    for cursor in &cursors {
        let Node::Band(band, _) = cursor.node() else { continue };
        let free = match band.members() {
            [member] if innermost.iter().any(|other| other.path() == cursor.path()) => {
                let inside = |s: &usize| member.function(&scop.statements[*s].name).is_some();
                let statements: Vec<usize> = (0..scop.statements.len()).filter(inside).collect();
                let dim = |s: &usize| member.dimension_either_way(&scop.statements[*s].name).map(|(dim, _)| dim);
                let dims: Vec<_> = statements.iter().map(dim).collect();
                // Where a loop was cut, each part has only some of the instances.
                let is_divided = |s: &usize| {
                    let has = |cursor: &&&Cursor| has_function(cursor.node(), &scop.statements[*s].name);
                    innermost.iter().filter(has).count() > 1
                };
                let some = match statements.iter().any(is_divided) {
                    true => Some(cursor.domain(budget)?),
                    false => None,
                };
                let mut free = !meets_itself(scop, dependences, &statements, budget)?;
                for dependence in &dependences.merged {
                    let of = |s: usize| statements.iter().position(|other| *other == s).map(|k| dims[k]);
                    let (Some(a), Some(b)) = (of(dependence.source), of(dependence.sink)) else { continue };
                    free = free
                        && match &some {
                            None => !waits(dependence, a, b, budget)?,
                            Some(instances) => !waits(&within(dependence, instances, budget)?, a, b, budget)?,
                        };
                }
                free
            }
            _ => false,
        };
        let here = marked.cursor_at(cursor.path());
        let here = here.ok_or_else(|| EditError::NoSuchNode { path: cursor.path().to_vec() })?;
        marked = here
            .update_band(|band, members| {
                band.permutable = true;
                members.iter_mut().for_each(|member| member.coincident = free);
            })
            .map(Cursor::into_tree)?;
    }
    Ok(marked)
}

/// The same tree in which only innermost loops say whether their iterations are independent, as the tree has it: of the last member of bands
/// without bands below them. For a tree whose flags are those that dependences allow, and whose loops may run along sums of counters: there
/// [`with_free_loops`] is wrong, as other counters move with the loop. Loops in whose iterations accesses may meet say nothing, as there.
pub(super) fn with_innermost_flags(
    tree: &ScheduleTree,
    scop: &Scop,
    dependences: &Dependences,
    budget: &Budget,
) -> std::result::Result<ScheduleTree, EditError> {
    let mut marked = tree.clone();
    let is_band = |cursor: &Cursor| matches!(cursor.node(), Node::Band(..));
    for cursor in tree.cursors().iter().filter(|cursor| is_band(cursor)) {
        let is_outer = cursor.find(&mut |below| below.depth() > cursor.depth() && is_band(below)).is_some();
        let inside = |s: &usize| has_function(cursor.node(), &scop.statements[*s].name);
        let statements: Vec<usize> = (0..scop.statements.len()).filter(inside).collect();
        let is_free = !is_outer && !meets_itself(scop, dependences, &statements, budget)?;
        let here = marked.cursor_at(cursor.path());
        let here = here.ok_or_else(|| EditError::NoSuchNode { path: cursor.path().to_vec() })?;
        marked = here
            .update_band(|_, members| {
                let last = members.len().saturating_sub(1);
                for (k, member) in members.iter_mut().enumerate() {
                    member.coincident &= k == last && is_free;
                }
            })
            .map(Cursor::into_tree)?;
    }
    Ok(marked)
}

/// Whether an access of one iteration of a loop around some statements may touch what an earlier one of the same iteration has written,
/// without both being the same function of the counters.
fn meets_itself(scop: &Scop, dependences: &Dependences, statements: &[usize], budget: &Budget) -> Result<bool> {
    for pair in &dependences.pairs {
        let Dependence { source, sink, map, .. } = &pair.dependence;
        let is_inside = source != sink && statements.contains(source) && statements.contains(sink);
        if !is_inside || pair.kind == DependenceKind::Anti || scop.arrays[pair.array].storage == Storage::Scalar {
            continue;
        }
        let function = |statement: usize, access: usize| {
            scop.statements[statement].accesses[access].relation.with_tuple_name(DimKind::In, "")
        };
        if function(*source, pair.from).is_plainly_equal(&function(*sink, pair.to)) {
            continue;
        }
        let n = map.space().dim(DimKind::In);
        if n != map.space().dim(DimKind::Out) {
            return Ok(true);
        }
        let mut together = map.clone();
        for d in 0..n {
            together = together.equate(d, d)?;
        }
        if !together.is_empty(budget)? {
            return Ok(true);
        }
    }
    Ok(statements.iter().any(|s| has_unordered_accesses(scop, *s)))
}

/// Whether a statement with branches writes to an array that it touches elsewhere, too: which comes first is not known.
fn has_unordered_accesses(scop: &Scop, statement: usize) -> bool {
    let statement = &scop.statements[statement];
    let in_memory = || statement.accesses.iter().filter(|access| scop.memory_of(access).is_some());
    let meets = |write: &Access| {
        in_memory().any(|other| {
            scop.array_of(other) == scop.array_of(write) && !other.relation.is_plainly_equal(&write.relation)
        })
    };
    statement.branches && in_memory().filter(|access| access.kind != AccessKind::Read).any(meets)
}

/// Whether a band schedules a statement.
fn has_function(node: &Node, statement: &str) -> bool {
    let Node::Band(band, _) = node else { return false };
    band.members().iter().any(|member| member.function(statement).is_some())
}

/// The pairs of a dependence among some instances.
fn within(dependence: &Dependence, instances: &UnionSet, budget: &Budget) -> Result<Dependence> {
    let space = dependence.map.space();
    let source = instances.extract(&space.domain());
    let sink = instances.extract(&space.range());
    let map = dependence.map.intersect_domain(&source, budget)?.intersect_range(&sink, budget)?;
    Ok(Dependence { map, ..*dependence })
}

/// Whether the iterations of an innermost loop, by its number in preorder, are independent where all other counters stand still. Cost: one
/// emptiness test per dependence inside the loop.
pub fn is_free(scop: &Scop, dependences: &Dependences, index: usize, budget: &Budget) -> Result<bool> {
    let Some(program) = Program::of(scop) else { return Ok(false) };
    for dependence in &dependences.merged {
        let dims = (program.dim(dependence.source, index), program.dim(dependence.sink, index));
        if let (source @ Some(_), sink @ Some(_)) = dims
            && waits(dependence, source, sink, budget)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether iterations of a loop depend on each other when all other counters stand still, where the loop's counter is dimension `source` of
/// one statement and `sink` of the other.
pub(super) fn waits(
    dependence: &Dependence,
    source: Option<usize>,
    sink: Option<usize>,
    budget: &Budget,
) -> Result<bool> {
    let (Some(a), Some(b)) = (source, sink) else { return Ok(true) };
    let space = dependence.map.space();
    let n = space.dim(DimKind::In);
    if a != b || n != space.dim(DimKind::Out) {
        return Ok(true);
    }
    let mut map = dependence.map.clone();
    for d in (0..n).filter(|d| *d != a) {
        map = map.equate(d, d)?;
    }
    // The order of the program is that of this loop where all others agree.
    Ok(!map.order_lt(a, b)?.is_empty(budget)?)
}
