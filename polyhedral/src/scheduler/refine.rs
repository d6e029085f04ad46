//! Finer parts of constraints, where no row carries the parts that there are.
//!
//! A row is asked to respect the *rational polyhedron* of every part, and it carries a part only as a whole. So there
//! can be no row although every pair has an order, for two reasons, and each has its cure:
//!
//! - Pairs of several levels of the loops were written as one conjunction: its polyhedron contains pairs without
//!   distance. Parts are split by the signs of the differences of corresponding coordinates, so that the first
//!   difference of a part is known.
//! - The polyhedron is larger than the convex hull of its integer points, and some of the points between have distances
//!   below zero. As long as a vertex has a fractional coordinate, parts are split beside it, as in branch and bound.
//!
//! If the constraints hold in some order given by one affine function per statement and level (such as that of the
//! loops of a program), every level of that order is a row that respects all refined parts, and some level carries one
//! of them. So what is still refused after both steps either contradicts itself, or needs a schedule that is piecewise
//! or not affine, or has parts that are not integral after [`PIECES`] splits.

use crate::arith::{Int, Row};
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Conjunction, Map, negated, zeros};
use crate::space::DimKind;

use super::cone::Cone;
use super::graph::{Edge, Graph};

/// A part is split into at most so many with integral vertices.
const PIECES: usize = 64;

impl Graph {
    /// Splits the constraints of statements on themselves by the signs of the differences of their coordinates.
    pub(super) fn split_levels(&mut self, budget: &Budget) -> Result<()> {
        self.split(&|edge| edge.source == edge.sink, false, budget)
    }

    /// Splits the constraints between different statements likewise, and then all constraints until their vertices are
    /// integral.
    pub(super) fn split_to_integral(&mut self, budget: &Budget) -> Result<()> {
        self.split(&|edge| edge.source != edge.sink, false, budget)?;
        self.split(&|_| true, true, budget)
    }

    fn split(&mut self, chosen: &dyn Fn(&Edge) -> bool, integral: bool, budget: &Budget) -> Result<()> {
        for edge in self.edges.iter_mut().filter(|e| chosen(e)) {
            let mut parts = Vec::with_capacity(edge.parts.len());
            for part in &edge.parts {
                parts.extend(if integral {
                    integral_pieces(&part.relation, edge.source == edge.sink, budget)?
                } else {
                    by_signs(&part.relation, budget)?
                });
            }
            edge.split_into(parts);
        }
        Ok(())
    }
}

/// The parts of a relation in which the sign of the difference of every two corresponding coordinates is known.
fn by_signs(relation: &Conjunction, budget: &Budget) -> Result<Vec<Conjunction>> {
    let space = relation.space();
    let n = space.dim(DimKind::In).min(space.dim(DimKind::Out));
    let mut parts = vec![relation.clone()];
    for k in 0..n {
        let difference = difference(relation, k);
        let mut split = Vec::with_capacity(parts.len());
        for part in parts {
            let map = Map::from_conjunction(part);
            let sides =
                [map.add_eq(&difference), map.add_ineq(&above(&difference, 1)), map.add_ineq(&below(&difference, -1))];
            for side in sides {
                push_nonempty(&mut split, side, budget)?;
            }
        }
        parts = split;
    }
    Ok(parts)
}

/// The parts of a relation whose polyhedra have integral vertices, as far as [`PIECES`] allows; for a relation on one
/// statement, the polyhedra of differences.
fn integral_pieces(relation: &Conjunction, same: bool, budget: &Budget) -> Result<Vec<Conjunction>> {
    let (mut open, mut done) = (vec![relation.clone()], Vec::new());
    while let Some(part) = open.pop() {
        let cone = if same { Cone::of_differences(&part, &[], budget)? } else { Cone::of_pairs(&part, budget)? };
        let Some((column, value)) = fractional(&cone).filter(|_| open.len() + done.len() + 1 < PIECES) else {
            done.push(part);
            continue;
        };
        let first = part.space().offset(DimKind::In);
        let row = if same && column >= first {
            difference(&part, column - first)
        } else {
            let mut row = zeros(part.space().n_col());
            row[column] = Int::one();
            row
        };
        let map = Map::from_conjunction(part);
        for side in [map.add_ineq(&below(&row, value)), map.add_ineq(&above(&row, value + 1))] {
            push_nonempty(&mut open, side, budget)?;
        }
    }
    Ok(done)
}

/// The last coordinate (so that parameters come last of all) of a vertex that is not an integer, and its floor.
fn fractional(cone: &Cone) -> Option<(usize, i64)> {
    for g in cone.rays.iter().filter(|g| g[0] > Int::one()) {
        let column = (1..g.len()).rev().find(|&k| !(&g[k] - &(g[k].div_floor(&g[0]) * &g[0])).is_zero());
        if let Some(column) = column
            && let Some(value) = g[column].div_floor(&g[0]).to_i64()
        {
            return Some((column, value));
        }
    }
    None
}

fn push_nonempty(list: &mut Vec<Conjunction>, map: Map, budget: &Budget) -> Result<()> {
    for conjunction in map.conjunctions() {
        if !conjunction.is_empty(budget)? {
            list.push(conjunction.clone());
        }
    }
    Ok(())
}

/// The difference of the coordinates `k` of both sides, as a row over the columns of a relation.
fn difference(relation: &Conjunction, k: usize) -> Row {
    let space = relation.space();
    let mut row = zeros(space.n_col());
    row[space.offset(DimKind::Out) + k] = Int::one();
    row[space.offset(DimKind::In) + k] = Int::from(-1);
    row
}

/// The constraint `row >= value`.
fn above(row: &Row, value: i64) -> Row {
    let mut row = row.clone();
    row[0] -= value;
    row
}

/// The constraint `row <= value`.
fn below(row: &Row, value: i64) -> Row {
    let mut row = negated(row);
    row[0] += value;
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A triangle whose rational vertex lies between the integer points: three pieces with integral vertices that cover
    /// it.
    #[test]
    fn pieces_are_integral_and_complete() {
        let budget = Budget::unlimited();
        let map = Map::parse(
            "{ S[i] -> T[j, k] : 0 <= 2i <= 3 and 2j >= 2i + k - 1 and i <= k <= 2 - i and j <= 4 }",
            &budget,
        )
        .unwrap();
        let [relation] = map.conjunctions() else { panic!("{map}") };
        let pieces = integral_pieces(relation, false, &budget).unwrap();
        for piece in &pieces {
            assert!(fractional(&Cone::of_pairs(piece, &budget).unwrap()).is_none(), "{piece:?}");
        }
        let union = Map::from_conjunctions(map.space().clone(), pieces).unwrap();
        assert!(union.is_equal(&map, &budget).unwrap(), "{union}");
    }
}
