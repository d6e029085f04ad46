//! What is known about innermost loops.

use crate::budget::Budget;
use crate::error::Result;
use crate::flow::AccessKind;
use crate::relation::{Map, UnionMap, UnionSet};
use crate::schedule::{Cursor, EditError, LoopType, Node, Path, ScheduleTree};
use crate::scop::{Access, Array, Dependence, DependenceKind, Dependences, Scop, Storage};
use crate::space::DimKind;

use super::program::Program;
use super::records::lies_in_records;

/// The same tree in which bands without loops below them say whether their iterations are independent where all other counters of
/// statements stand still, and all other bands say nothing. A loop in whose single iterations accesses to neighbouring elements may meet says
/// nothing, either: compilers that are told of independent iterations also change the order of accesses inside of one (LLVM moves the
/// first of the stores to `a[2 k]` and `a[2 k + 1]` down to the second, past a load of `a[2 f(k)]` with `f(k) = k` now and then). Cost: one
/// emptiness test per dependence inside such a band.
///
/// Where points of loops around are copies in its body (`for j: C[4 i][j] += ..; C[4 i + 1][j] += ..`), other counters do not stand still in an
/// iteration: such a band is free if no dependence at all leads from one of its iterations to another. There alone a band may be free where fields of
/// records meet, for those who make vectors of such a body on their own (`strategy::records`): no compiler may be told.
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
    let is_loop = |cursor: &Cursor| match cursor.node() {
        Node::Band(band, _) => band.members().iter().any(|member| member.loop_type != LoopType::Unroll),
        _ => false,
    };
    let has_below = |cursor: &Cursor, is_it: &dyn Fn(&Cursor) -> bool| {
        cursor.find(&mut |below| below.depth() > cursor.depth() && is_it(below)).is_some()
    };
    let is_innermost = |cursor: &&Cursor| is_band(cursor) && !has_below(cursor, &is_loop);
    let innermost: Vec<&Cursor> = cursors.iter().filter(is_innermost).collect();
    // Per band, whether it is free, and whether it is only if no dependence at all leads from one of its iterations to another.
    let mut found: Vec<(&Cursor, bool, bool)> = Vec::new();
    for cursor in &cursors {
        let Node::Band(band, _) = cursor.node() else { continue };
        let mut is_open = false;
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
                // Where a loop around runs along a sum of counters, `i + j`, another counter moves with this one.
                let around = || {
                    cursors
                        .iter()
                        .filter(|outer| cursor.path().starts_with(outer.path()) && outer.path() != cursor.path())
                };
                let is_shared = |(s, dim): (&usize, &Option<usize>)| {
                    dim.is_some_and(|dim| {
                        around().any(|outer| moves_with(outer.node(), &scop.statements[*s].name, dim))
                    })
                };
                let shared: Vec<bool> = statements.iter().zip(&dims).map(is_shared).collect();
                let alone = dims.iter().zip(&shared).map(|(dim, shared)| dim.filter(|_| !shared)).collect::<Vec<_>>();
                let is_jammed = has_below(cursor, &is_band);
                let mut free = match is_jammed {
                    true => !may_meet(scop, &statements, &alone),
                    false => !meets_itself(scop, dependences, (&statements, &alone), budget)?,
                };
                let mut is_known = false;
                if free && is_jammed {
                    let fixed: Vec<Vec<usize>> = statements
                        .iter()
                        .map(|s| {
                            around().filter_map(|outer| fixed_by(outer.node(), &scop.statements[*s].name)).collect()
                        })
                        .collect();
                    is_known = !leads_on(dependences, (&statements, &dims, &fixed), budget)?;
                }
                is_open = !is_known && (is_jammed || shared.contains(&true));
                for dependence in dependences.merged.iter().filter(|_| !is_jammed) {
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
        found.push((cursor, free, free && is_open));
    }
    let open: Vec<Path> =
        found.iter().filter(|(.., is_open)| *is_open).map(|(cursor, ..)| cursor.path().to_vec()).collect();
    let mut exact = coincident(tree, &open, dependences, budget)?.into_iter();
    for (cursor, free, is_open) in found {
        let free = free && (!is_open || exact.next().unwrap_or(false));
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

/// For each of some bands, whether no dependence leads from one of its iterations to another.
fn coincident(tree: &ScheduleTree, bands: &[Path], dependences: &Dependences, budget: &Budget) -> Result<Vec<bool>> {
    let maps: Vec<Map> = dependences.merged.iter().map(|dependence| dependence.map.clone()).collect();
    match maps.is_empty() {
        true => Ok(vec![true; bands.len()]),
        false => tree.are_coincident(bands, &UnionMap::from_members(maps)?, budget),
    }
}

/// The dimension of a statement that a band of one member fixes: that the loop runs along, and not only its tiles.
fn fixed_by(node: &Node, statement: &str) -> Option<usize> {
    let Node::Band(band, _) = node else { return None };
    let [member] = band.members() else { return None };
    member.dimension_either_way(statement).map(|(dim, _)| dim)
}

/// Whether a dependence may lead from one iteration of a loop to another, forwards or backwards, if all that stands still are the
/// dimensions that loops around fix. `dims` says which dimension of each statement the loop runs along. True is a guess, false is sure.
fn leads_on(
    dependences: &Dependences,
    (statements, dims, fixed): (&[usize], &[Option<usize>], &[Vec<usize>]),
    budget: &Budget,
) -> Result<bool> {
    let position = |s: usize| statements.iter().position(|other| *other == s);
    for dependence in &dependences.merged {
        let (Some(source), Some(sink)) = (position(dependence.source), position(dependence.sink)) else { continue };
        let (Some(a), true) = (dims[source], source == sink) else { return Ok(true) };
        let mut map = dependence.map.clone();
        for d in &fixed[source] {
            map = map.equate(*d, *d)?;
        }
        if !map.order_lt(a, a)?.is_empty(budget)? || !map.reverse().order_lt(a, a)?.is_empty(budget)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a member of a band changes from one value of a dimension of a statement to the next. A member with a division, the number of a
/// tile, does not fix other dimensions, and does not count.
fn moves_with(node: &Node, statement: &str, dim: usize) -> bool {
    let Node::Band(band, _) = node else { return false };
    band.members().iter().any(|member| match member.get(statement) {
        Some(function) => function.divs().is_empty() && !function.coefficient(DimKind::Out, dim).is_zero(),
        None => member.function(statement).is_some(),
    })
}

/// Whether an access of one iteration of a loop around some statements may touch what an earlier one of the same iteration has written, if
/// a compiler may also change the order of the two: it does so for elements that iterations have side by side, as the fields of a
/// structure are. `dims` says for every statement which dimension the loop runs along if all others stand still.
fn meets_itself(
    scop: &Scop,
    dependences: &Dependences,
    (statements, dims): (&[usize], &[Option<usize>]),
    budget: &Budget,
) -> Result<bool> {
    let some: Vec<usize> =
        (0..scop.arrays.len()).filter(|array| is_interleaved(scop, *array, statements, dims)).collect();
    if some.is_empty() {
        return Ok(false);
    }
    for pair in &dependences.pairs {
        let Dependence { source, sink, map, .. } = &pair.dependence;
        let is_inside = source != sink && statements.contains(source) && statements.contains(sink);
        if !is_inside || pair.kind == DependenceKind::Anti || !some.contains(&pair.array) {
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
    Ok(statements.iter().any(|s| some.iter().any(|array| touches_again(scop, *s, *array))))
}

/// Whether there are accesses whose order inside of an iteration a compiler may change, to an array that is written.
fn may_meet(scop: &Scop, statements: &[usize], dims: &[Option<usize>]) -> bool {
    let is_written = |array: usize| {
        let mut accesses = statements.iter().flat_map(|s| &scop.statements[*s].accesses);
        accesses.any(|access| scop.array_of(access) == Some(array) && access.kind != AccessKind::Read)
    };
    let meets =
        |array: usize| is_interleaved(scop, array, statements, dims) && !lies_in_records(scop, array, statements, dims);
    (0..scop.arrays.len()).any(|array| is_written(array) && meets(array))
}

/// The most elements from one iteration to the next that compilers look for neighbours in (LLVM: 8), twice.
const FARTHEST_NEIGHBOURS: i128 = 16;

/// Whether a loop has elements of an array in memory side by side that belong to different accesses, such as `a[2 k]` and `a[2 k + 1]`. Where
/// iterations are one element apart, or a number that is not known, each access has its own elements. What counts is what is accessed, not
/// the unit of the array, which is one byte for a structure of numbers and characters.
fn is_interleaved(scop: &Scop, array: usize, statements: &[usize], dims: &[Option<usize>]) -> bool {
    let Array { storage, unit, .. } = &scop.arrays[array];
    if *storage == Storage::Scalar {
        return false;
    }
    let places = statements.iter().zip(dims);
    let accesses: Vec<(&Access, Option<usize>)> = places
        .flat_map(|(s, dim)| scop.statements[*s].accesses.iter().map(|access| (access, *dim)))
        .filter(|(access, _)| scop.array_of(access) == Some(array))
        .collect();
    let Some((first, _)) = accesses.first() else { return false };
    let function = |access: &Access| access.relation.with_tuple_name(DimKind::In, "");
    let first = function(first);
    if accesses.iter().all(|(access, _)| function(access).is_plainly_equal(&first)) {
        return false;
    }
    let widths: Option<Vec<i128>> =
        accesses.iter().map(|(access, _)| access.count()?.checked_mul(i128::from(*unit))).collect();
    let Some(widths) = widths else { return true };
    let widest = widths.iter().copied().max().unwrap_or(0);
    let is_uniform = widths.iter().all(|width| *width == widest);
    accesses.iter().any(|(access, dim)| {
        // Along a sum of counters, or where subscripts are not affine, anything may be.
        let Some(dim) = dim.filter(|dim| access.moves(*dim).is_some()) else { return true };
        let stride = scop.stride(access, dim);
        stride.is_some_and(|stride| {
            let is_next = is_uniform && stride == widest;
            stride != 0 && !is_next && stride <= FARTHEST_NEIGHBOURS.saturating_mul(widest)
        })
    })
}

/// Whether a statement may touch an array after it has written to it, as one with branches may.
fn touches_again(scop: &Scop, statement: usize, array: usize) -> bool {
    let mut accesses = scop.statements[statement].accesses.iter().filter(|access| scop.array_of(access) == Some(array));
    accesses.any(|access| access.kind != AccessKind::Read) && accesses.next().is_some()
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
