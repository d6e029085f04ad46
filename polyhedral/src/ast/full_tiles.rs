//! Isolation of full tiles: one version with constant trip counts, and the general one for the rest.
//!
//! When the members of a tile band are known, the members of the point bands below lie in a box of constant size. A tile is full if
//! every other constraint holds at the worst corner of that box; this is a condition over the scope. Below it, the constraints
//! follow from the box, so the point loops have exactly the bounds of the tile.

use crate::budget::Budget;
use crate::relation::{Row, add_scaled};

use super::build::{Builder, Next};
use super::cond::Cond;
use super::error::AstError;
use super::node::Ast;
use super::piece::Piece;
use super::scope::Scope;
use super::system::Plain;

/// Generates the pieces twice, for full tiles and for all others, where that is possible; once otherwise. `points` are the same
/// pieces with the members of the point band as their held unknowns.
pub(super) fn full_tiles(
    builder: &mut Builder<'_>,
    scope: Scope,
    pieces: Vec<Piece>,
    points: &[Piece],
    next: Next<'_>,
) -> Result<Ast, AstError> {
    let mut rows: Vec<Row> = Vec::new();
    for piece in points {
        let Some(full) = full_rows(piece) else { return next(builder, scope, pieces) };
        for row in full {
            if !rows.contains(&row) && !scope.known.implies(&row, builder.budget)? {
                rows.push(row);
            }
        }
    }
    let mut inside = scope.clone();
    let mut conds = Vec::new();
    for row in minimal(rows, &scope, builder.budget)? {
        conds.push(scope.at_least_zero(&row));
        inside.known.ineqs.push(row);
    }
    if conds.is_empty() || inside.known.is_empty(builder.budget)? {
        return next(builder, scope, pieces);
    }
    let then = builder.guarded(inside, pieces.clone(), next)?;
    let otherwise = next(builder, scope, pieces)?;
    if then.is_empty() || then == otherwise {
        return Ok(otherwise);
    }
    Ok(Ast::If { cond: Cond::and(conds), then: Box::new(then), otherwise: Some(Box::new(otherwise)) })
}

/// The rows without those that follow from the others.
fn minimal(rows: Vec<Row>, scope: &Scope, budget: &Budget) -> Result<Vec<Row>, AstError> {
    let mut system = super::system::System { n: scope.n(), eqs: Vec::new(), ineqs: rows };
    if system.normalize() == Plain::Unknown {
        system.drop_implied(&scope.known, |_| true, budget)?;
    }
    Ok(system.ineqs)
}

/// The conditions over the scope under which all points of the box of the held unknowns are in the piece; nothing if the
/// piece has no such box.
fn full_rows(piece: &Piece) -> Option<Vec<Row>> {
    let first = piece.first_unknown();
    let end = first + piece.held;
    if piece.n_unknown != piece.held || piece.system.eqs.iter().any(|row| !piece.is_known(row)) {
        return None;
    }
    let mut lower: Vec<Row> = Vec::new();
    let mut upper: Vec<Row> = Vec::new();
    for column in first..end {
        let (low, up) = width(piece, column)?;
        lower.push(low);
        upper.push(up);
    }
    let mut rows = Vec::new();
    for row in &piece.system.ineqs {
        if piece.is_known(row) {
            continue;
        }
        let mut corner = Row::from(&row[..first]);
        for (k, x) in row[first..end].iter().enumerate() {
            // A positive coefficient is worst at the least value.
            add_scaled(&mut corner, x, if x.is_positive() { &lower[k] } else { &upper[k] });
        }
        if corner[1..].iter().any(|x| !x.is_zero()) || corner[0].is_negative() {
            rows.push(corner);
        }
    }
    Some(rows)
}

/// The smallest and the largest value of an unknown in its box, as rows over the scope: from two inequalities
/// `low <= unknown <= up` with constant `up - low`.
fn width(piece: &Piece, column: usize) -> Option<(Row, Row)> {
    let first = piece.first_unknown();
    let only =
        |row: &&Row| row[column].is_unit() && (first..row.len()).all(|other| other == column || row[other].is_zero());
    for up in piece.system.ineqs.iter().filter(only).filter(|row| row[column].is_negative()) {
        for low in piece.system.ineqs.iter().filter(only).filter(|row| row[column].is_positive()) {
            if (1..first).all(|i| (&low[i] + &up[i]).is_zero()) && up[1..first].iter().any(|x| !x.is_zero()) {
                let lower = low[..first].iter().map(|x| -x).collect();
                return Some((lower, Row::from(&up[..first])));
            }
        }
    }
    None
}
