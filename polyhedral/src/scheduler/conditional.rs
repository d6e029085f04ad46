//! Conditional validity: constraints that hold only where an adjacent condition is not at one point.
//!
//! A *condition* is a pair `b -> c`, typically from the write of a live range to a read. A conditional validity
//! constraint `a -> b` or `c -> d` is *adjacent* to it, typically an anti-dependence to the next live range. Where `b`
//! and `c` are at one point of a band, the live range is *local* there, and other live ranges may be moved over it;
//! otherwise the adjacent constraints must be respected. Tags, if there are any, take part in adjacency and in nothing
//! else.
//!
//! Because the members of a band may be interchanged, a constraint violated by any member needs all adjacent
//! conditions local in all members.
//!
//! Source: S. Verdoolaege, A. Cohen, *Live-Range Reordering*, 2016; S. Verdoolaege, G. Janssens, *Scheduling for PPCG*,
//! 2017, sections 4.3 and 6.4.3.

use crate::arith::{Int, Row};
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Map, UnionMap, UnionSet};
use crate::space::{DimKind, Space};

use super::graph::{CONDITION, CONDITIONAL, Edge, Graph, VALIDITY};

/// What is asked of the distance of a pair.
#[derive(Clone, Copy)]
enum Distance {
    Negative,
    NotZero,
}

/// The conditions (by edge) that are not local although an adjacent conditional validity constraint is violated by the
/// present band; not those that are forced to be local already.
pub(super) fn violated_conditions(graph: &Graph, budget: &Budget) -> Result<Vec<usize>> {
    let mut result = Vec::new();
    for edge in graph.edges.iter().filter(|e| e.is(CONDITIONAL) && !e.is(VALIDITY)) {
        let violated = pairs(graph, edge, &edge.conditional, Distance::Negative, budget)?;
        if violated.is_empty(budget)? {
            continue;
        }
        for (index, condition) in graph.edges.iter().enumerate() {
            if condition.is(CONDITION)
                && !condition.local
                && !result.contains(&index)
                && is_adjacent(graph, condition, &violated, budget)?
            {
                result.push(index);
            }
        }
    }
    Ok(result)
}

/// The conditional validity constraints (by edge) that are adjacent to a condition which is not local in the present
/// band. Below this band they hold without condition.
pub(super) fn now_unconditional(graph: &Graph, budget: &Budget) -> Result<Vec<usize>> {
    let mut result = Vec::new();
    for (index, edge) in graph.edges.iter().enumerate() {
        if !edge.is(CONDITIONAL) || edge.is(VALIDITY) {
            continue;
        }
        let all = restricted(graph, edge, &edge.conditional)?;
        for condition in graph.edges.iter().filter(|e| e.is(CONDITION)) {
            if is_adjacent(graph, condition, &all, budget)? {
                result.push(index);
                break;
            }
        }
    }
    Ok(result)
}

/// The conditional validity constraints (by edge) within one node that are adjacent to a condition whose ends come to
/// different nodes, if the statements are distributed over nodes as `of` says. There they hold without condition.
pub(super) fn imposed_by_separation(graph: &Graph, of: &[usize], budget: &Budget) -> Result<Vec<usize>> {
    let separated = graph.edges.iter().filter(|e| e.is(CONDITION) && of[e.source] != of[e.sink]);
    let separated: Vec<UnionMap> = separated.map(|e| restricted(graph, e, &e.conditions)).collect::<Result<_>>()?;
    let mut result = Vec::new();
    if separated.is_empty() {
        return Ok(result);
    }
    for (index, edge) in graph.edges.iter().enumerate() {
        if edge.is(CONDITIONAL) && !edge.is(VALIDITY) && of[edge.source] == of[edge.sink] {
            let constraint = restricted(graph, edge, &edge.conditional)?;
            for condition in &separated {
                if touches(condition, &constraint, budget)? {
                    result.push(index);
                    break;
                }
            }
        }
    }
    Ok(result)
}

/// Whether some condition is adjacent to some constraint.
fn touches(condition: &UnionMap, constraint: &UnionMap, budget: &Budget) -> Result<bool> {
    let meet = |a: UnionSet, b: UnionSet| -> Result<bool> { Ok(!a.is_disjoint(&b, budget)?) };
    Ok(meet(condition.domain(budget)?, constraint.range(budget)?)?
        || meet(condition.range(budget)?, constraint.domain(budget)?)?)
}

/// Whether a condition has pairs that are not local and touch a constraint.
fn is_adjacent(graph: &Graph, condition: &Edge, constraint: &UnionMap, budget: &Budget) -> Result<bool> {
    let open = pairs(graph, condition, &condition.conditions, Distance::NotZero, budget)?;
    touches(&open, constraint, budget)
}

/// The tagged pairs of an edge that no outer band has ordered.
fn restricted(graph: &Graph, edge: &Edge, tagged: &[Map]) -> Result<UnionMap> {
    let mut result = Vec::with_capacity(tagged.len());
    for map in tagged {
        let mut map = map.clone();
        for row in 0..graph.band_start {
            map = map.add_eq(&distance(graph, edge, row, map.space()));
        }
        result.push(map);
    }
    UnionMap::from_members(result)
}

/// The tagged pairs of an edge, not ordered by an outer band, of which some member of the present band has such a
/// distance.
fn pairs(graph: &Graph, edge: &Edge, tagged: &[Map], wanted: Distance, budget: &Budget) -> Result<UnionMap> {
    let mut result = UnionMap::empty(&graph.statements[edge.source].space);
    for map in restricted(graph, edge, tagged)?.members() {
        for row in graph.band_start..graph.n_rows() {
            let distance = distance(graph, edge, row, map.space());
            let mut less: Row = distance.iter().map(|x| -x).collect();
            less[0] -= 1;
            let mut found = map.add_ineq(&less);
            if matches!(wanted, Distance::NotZero) {
                let mut more = distance;
                more[0] -= 1;
                found = found.union(&map.add_ineq(&more))?;
            }
            if !found.is_empty(budget)? {
                result = result.add(&found)?;
            }
        }
    }
    Ok(result)
}

/// The row `f(sink) - f(source)` over the columns of a space of tagged pairs.
fn distance(graph: &Graph, edge: &Edge, row: usize, space: &Space) -> Row {
    let (source, sink) = (&graph.statements[edge.source], &graph.statements[edge.sink]);
    let (f, g) = (source.function(&source.rows[row]), sink.function(&sink.rows[row]));
    let first = 1 + graph.n_param();
    let mut result: Row = (0..space.n_col()).map(|_| Int::zero()).collect();
    for (k, slot) in result[..first].iter_mut().enumerate() {
        *slot = &g.row()[k] - &f.row()[k];
    }
    for (kind, function, sign) in [(DimKind::In, &f, -1), (DimKind::Out, &g, 1)] {
        let at = space.offset(kind);
        for (k, x) in function.row()[first..].iter().enumerate() {
            result[at + k] = x * &Int::from(sign);
        }
    }
    result
}
