//! Closures of relations with several conjunctions from closures of simpler ones.

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Map, Set};

use super::exactness::{closure_is_exact, paths_are_exact};
use super::paths::{LENGTH, paths};
use super::{Closure, MAX_DEPTH, attempt, closure, coalesced};

/// A decomposition: the closure of a relation at a depth of nested decompositions, if it applies.
type Way = fn(&Map, usize, &Budget) -> Result<Option<Closure>>;

/// Decompositions of relations with more conjunctions are not tried.
const MAX_PARTS: usize = 12;

/// Powers of relations with more conjunctions are not tried.
const MAX_ROOT_PARTS: usize = 2;

/// Plain iteration gives up after this many steps.
const MAX_STEPS: usize = 12;

/// The closure, composed of those of the strongly connected components of the conjunctions.
///
/// There is an edge from `a` to `b` if a step of `a` followed by one of `b` cannot always be replaced by one of `b`
/// followed by one of `a`. Without an edge from `b` to `a`, all steps of `a` can be moved to the front. So the paths
/// are paths of the components in the topological order.
pub(super) fn components(map: &Map, depth: usize, budget: &Budget) -> Result<Closure> {
    let parts: Vec<Map> = map.parts().collect();
    if parts.len() == 1 || parts.len() > MAX_PARTS {
        return component(map, depth, budget);
    }
    let Some(edges) = attempt(budget, |share| order_of_steps(&parts, share))? else {
        return component(map, depth, budget);
    };
    let groups = strongly_connected(&edges);
    if groups.len() == 1 {
        return component(map, depth, budget);
    }
    let mut result: Option<Map> = None;
    let mut exact = true;
    for group in groups {
        let mut whole = Map::empty(map.space().clone());
        for k in group {
            whole = whole.union(&parts[k])?;
        }
        let (next, next_exact) = closure(&whole, depth + 1, budget)?;
        exact &= next_exact;
        result = Some(match result {
            None => next,
            Some(before) => coalesced(before.union(&next)?.union(&before.apply_range(&next, budget)?)?, budget)?,
        });
    }
    Ok((result.unwrap_or_else(|| map.clone()), exact))
}

/// Whether a step of the first followed by one of the second must sometimes be taken in this order.
fn order_of_steps(parts: &[Map], budget: &Budget) -> Result<Vec<Vec<bool>>> {
    let mut edges = vec![vec![false; parts.len()]; parts.len()];
    for a in 0..parts.len() {
        for b in 0..a {
            let (ab, ba) = (parts[a].apply_range(&parts[b], budget)?, parts[b].apply_range(&parts[a], budget)?);
            let (ab_empty, ba_empty) = (ab.is_empty(budget)?, ba.is_empty(budget)?);
            edges[a][b] = !ab_empty && (ba_empty || !ab.is_subset(&ba, budget)?);
            edges[b][a] = !ba_empty && (ab_empty || !ba.is_subset(&ab, budget)?);
        }
    }
    Ok(edges)
}

/// The strongly connected components of a graph given by its matrix, each before those that it has edges to.
pub(super) fn strongly_connected(edges: &[Vec<bool>]) -> Vec<Vec<usize>> {
    let n = edges.len();
    let mut reach: Vec<Vec<bool>> = edges.to_vec();
    (0..n).for_each(|k| {
        let via = reach[k].clone();
        for row in reach.iter_mut().filter(|row| row[k]) {
            row.iter_mut().zip(&via).for_each(|(x, &y)| *x |= y);
        }
    });
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (k, row) in reach.iter().enumerate() {
        match groups.iter_mut().find(|g| reach[g[0]][k] && row[g[0]]) {
            Some(group) => group.push(k),
            None => groups.push(vec![k]),
        }
    }
    // Repeatedly the first group that no other remaining group leads to.
    let mut ordered: Vec<Vec<usize>> = Vec::new();
    while !groups.is_empty() {
        let next = (0..groups.len())
            .find(|&g| groups.iter().enumerate().all(|(h, other)| h == g || !reach[other[0]][groups[g][0]]));
        ordered.push(groups.remove(next.unwrap_or(0)));
    }
    ordered
}

/// The closure of one component: by multiples of differences, or else in the first other way that is exact.
fn component(map: &Map, depth: usize, budget: &Budget) -> Result<Closure> {
    let (by_differences, exact) = from_paths(map, budget)?;
    if exact {
        return Ok((by_differences, true));
    }
    if depth < MAX_DEPTH && map.conjunctions().len() <= MAX_PARTS {
        let ways: [Way; 4] = [between_classes, by_root, iterate, one_by_one];
        for way in ways {
            if let Some(Some((result, true))) = attempt(budget, |share| way(map, depth + 1, share))? {
                return Ok((result, true));
            }
        }
    }
    Ok((by_differences, false))
}

/// The closure from the multiples of differences.
fn from_paths(map: &Map, budget: &Budget) -> Result<Closure> {
    let paths = paths(map, budget)?;
    let exact = attempt(budget, |share| paths_are_exact(map, &paths, share))?.unwrap_or(false);
    let closure = coalesced(paths.project_out_param(LENGTH, budget)?, budget)?;
    let exact = exact || attempt(budget, |share| closure_is_exact(map, &closure, share))?.unwrap_or(false);
    Ok((closure, exact))
}

/// Floyd-Warshall. The domains and ranges of all conjunctions fall into classes that do not overlap; each conjunction
/// leads from one class to one class. Nothing if there is only one class.
fn between_classes(map: &Map, depth: usize, budget: &Budget) -> Result<Option<Closure>> {
    let parts: Vec<Map> = map.parts().collect();
    let mut ends: Vec<Set> = Vec::with_capacity(2 * parts.len());
    for part in &parts {
        ends.push(part.domain(budget)?);
        ends.push(part.range(budget)?);
    }
    let mut class: Vec<usize> = (0..ends.len()).collect();
    for a in 0..ends.len() {
        for b in 0..a {
            if class[a] != class[b] && !ends[a].is_disjoint(&ends[b], budget)? {
                let (from, to) = (class[a].max(class[b]), class[a].min(class[b]));
                class.iter_mut().filter(|c| **c == from).for_each(|c| *c = to);
            }
        }
    }
    let mut names = class.clone();
    names.sort_unstable();
    names.dedup();
    if names.len() == 1 {
        return Ok(None);
    }
    let index = |end: usize| names.iter().position(|&c| c == class[end]).unwrap_or(0);
    let mut grid = vec![vec![Map::empty(map.space().clone()); names.len()]; names.len()];
    for (k, part) in parts.iter().enumerate() {
        let cell = &mut grid[index(2 * k)][index(2 * k + 1)];
        *cell = cell.union(part)?;
    }
    let exact = floyd_warshall(&mut grid, depth, budget)?;
    let mut result = Map::empty(map.space().clone());
    for cell in grid.iter().flatten() {
        result = result.union(cell)?;
    }
    Ok(Some((coalesced(result, budget)?, exact)))
}

/// Replaces the relations between nodes by the paths between them; whether all steps were exact.
pub(super) fn floyd_warshall(grid: &mut [Vec<Map>], depth: usize, budget: &Budget) -> Result<bool> {
    let n = grid.len();
    let mut exact = true;
    for r in 0..n {
        let (around, around_exact) = if grid[r][r].is_plainly_empty() {
            (grid[r][r].clone(), true)
        } else {
            closure(&grid[r][r], depth, budget)?
        };
        exact &= around_exact;
        // Paths from p to r, and from r to q, with any number of rounds at r.
        let mut into: Vec<Map> = Vec::with_capacity(n);
        for (p, row) in grid.iter().enumerate() {
            into.push(if p == r {
                around.clone()
            } else {
                coalesced(row[r].union(&row[r].apply_range(&around, budget)?)?, budget)?
            });
        }
        for q in (0..n).filter(|&q| q != r) {
            let step = grid[r][q].clone();
            if step.is_plainly_empty() {
                continue;
            }
            for p in 0..n {
                if !into[p].is_plainly_empty() {
                    let more = into[p].apply_range(&step, budget)?;
                    grid[p][q] = coalesced(grid[p][q].union(&more)?, budget)?;
                }
            }
        }
        for (p, paths) in into.into_iter().enumerate() {
            grid[p][r] = paths;
        }
    }
    Ok(exact)
}

/// Adds powers until nothing changes.
fn iterate(map: &Map, _depth: usize, budget: &Budget) -> Result<Option<Closure>> {
    let mut all = map.clone();
    let mut last = map.clone();
    for _ in 0..MAX_STEPS {
        last = last.apply_range(map, budget)?.subtract(&all, budget)?.coalesce(budget)?;
        if last.is_empty(budget)? {
            return Ok(Some((all, true)));
        }
        all = all.union(&last)?.coalesce(budget)?;
        if all.conjunctions().len() > 2 * MAX_PARTS {
            break;
        }
    }
    Ok(None)
}

/// The closure from that of a power: `R+` is `S+`, the lower powers, and these followed by `S+`, for `S = R^2` or
/// `R^3`. A relation that exchanges coordinates or reflects them has a power that does not.
fn by_root(map: &Map, _depth: usize, budget: &Budget) -> Result<Option<Closure>> {
    if map.conjunctions().len() > MAX_ROOT_PARTS {
        return Ok(None);
    }
    let mut lower = map.clone();
    let mut last = map.clone();
    for _ in 2..=3 {
        last = last.apply_range(map, budget)?.coalesce(budget)?;
        let (closure, exact) = from_paths(&last, budget)?;
        if exact {
            let all = closure.union(&lower)?.union(&lower.apply_range(&closure, budget)?)?;
            return Ok(Some((all.coalesce(budget)?, true)));
        }
        lower = lower.union(&last)?;
    }
    Ok(None)
}

/// Takes out one conjunction `C` with exact closure: `R+` is `C+` and the closure of the others, each with any number
/// of steps of `C` in front and behind.
fn one_by_one(map: &Map, depth: usize, budget: &Budget) -> Result<Option<Closure>> {
    let parts: Vec<Map> = map.parts().collect();
    if parts.len() < 2 {
        return Ok(None);
    }
    for (k, part) in parts.iter().enumerate() {
        let (own, exact) = closure(part, depth, budget)?;
        if !exact {
            continue;
        }
        let mut others = Map::empty(map.space().clone());
        for (_, other) in parts.iter().enumerate().filter(|&(j, _)| j != k) {
            let front = other.union(&own.apply_range(other, budget)?)?;
            others = others.union(&front)?.union(&front.apply_range(&own, budget)?)?;
        }
        let others = others.coalesce(budget)?;
        if others.conjunctions().len() > MAX_PARTS {
            continue;
        }
        let (rest, exact) = closure(&others, depth, budget)?;
        if exact {
            return Ok(Some((own.union(&rest)?.coalesce(budget)?, true)));
        }
    }
    Ok(None)
}
