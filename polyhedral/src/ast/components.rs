//! Components: which pieces must share a loop, and in which order the loops of the others come.
//!
//! Two pieces can have loops of their own if for equal values of all outer columns no instance of one has to run before an
//! instance of the other. The graph with an edge from `a` to `b` where some iteration of `a` is before some iteration of
//! `b`, or equal to it with an order inside, has the groups that must stay together as strongly connected components; their topological order is the
//! execution order. The shadows that are compared may be too large, which can only merge groups.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};

use super::scope::Scope;
use super::system::System;

/// With more different shadows than this everything stays in one loop: the comparison is quadratic.
const MAX_SHADOWS: usize = 24;

/// A question about two pieces, by position.
type Question<'q, E> = &'q dyn Fn(usize, usize) -> Result<bool, E>;

/// Partitions pieces, given by their shadows over the scope and one iterator, into groups in execution order. Each group
/// is a list of positions in ascending order. `before` says whether an instance of the first piece may have to run before one of
/// the second where they have the same value of the iterator; pieces that belong `together` are never separated.
pub(super) fn components<E: From<Exhausted>>(
    shadows: &[System],
    scope: &Scope,
    before: Question<'_, E>,
    together: &dyn Fn(usize, usize) -> bool,
    budget: &Budget,
) -> Result<Vec<Vec<usize>>, E> {
    let mut unique: Vec<&System> = Vec::new();
    let mut class = Vec::with_capacity(shadows.len());
    for shadow in shadows {
        let found = unique.iter().position(|known| same(known, shadow));
        class.push(found.unwrap_or(unique.len()));
        if found.is_none() {
            unique.push(shadow);
        }
    }
    let n = unique.len();
    if n <= 1 || n > MAX_SHADOWS {
        return Ok(vec![(0..shadows.len()).collect()]);
    }
    let members: Vec<Vec<usize>> =
        (0..n).map(|a| (0..shadows.len()).filter(|&piece| class[piece] == a).collect()).collect();
    let mut reach = vec![vec![false; n]; n];
    for a in 0..n {
        for b in 0..n {
            reach[a][b] = a == b
                || may_precede(unique[a], unique[b], 1, scope, budget)?
                || members[a].iter().any(|&x| members[b].iter().any(|&y| together(x, y)));
        }
    }
    for a in 0..n {
        for b in 0..n {
            if reach[a][b] || !may_precede(unique[a], unique[b], 0, scope, budget)? {
                continue;
            }
            for &x in &members[a] {
                for &y in &members[b] {
                    reach[a][b] = reach[a][b] || before(x, y)?;
                }
            }
        }
    }
    for via in 0..n {
        for a in 0..n {
            for b in 0..n {
                reach[a][b] |= reach[a][via] && reach[via][b];
            }
        }
    }
    let mut groups = Vec::new();
    let mut open: Vec<usize> = (0..n).collect();
    while !open.is_empty() {
        // A class that nothing else leads to comes next; there is one, because components form no cycles.
        let first = open.iter().copied().find(|&a| open.iter().all(|&b| !reach[b][a] || reach[a][b]));
        let Some(first) = first else { break };
        let group: Vec<usize> = open.iter().copied().filter(|&b| reach[first][b] && reach[b][first]).collect();
        open.retain(|b| !group.contains(b));
        groups.push((0..shadows.len()).filter(|&piece| group.contains(&class[piece])).collect());
    }
    Ok(groups)
}

/// Whether two systems have the same rows, in any order.
fn same(a: &System, b: &System) -> bool {
    let inside = |a: &System, b: &System| {
        a.eqs.iter().all(|row| b.eqs.contains(row)) && a.ineqs.iter().all(|row| b.ineqs.contains(row))
    };
    a.eqs.len() == b.eqs.len() && a.ineqs.len() == b.ineqs.len() && inside(a, b) && inside(b, a)
}

/// Whether there may be iterations `x` of `a` and `y` of `b` with `x + distance <= y` for some values of the outer columns.
fn may_precede(a: &System, b: &System, distance: i64, scope: &Scope, budget: &Budget) -> Result<bool, Exhausted> {
    let x = a.n;
    let mut other = b.clone();
    other.insert_columns(x, 1);
    let mut both = other.and(a).and(&scope.known);
    let mut order = crate::relation::zeros(both.n + 1);
    order[0] = Int::from(-distance);
    order[x] -= 1;
    order[x + 1] += 1;
    both.ineqs.push(order);
    Ok(!both.is_empty(budget)?)
}
