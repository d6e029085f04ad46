//! The option `isolate`: the iterations before, in and after a part of a loop, and those of loops without that part.
//!
//! The isolated part is one conjunction `I` over the outer columns and the iterator `t`. Every piece is cut:
//! - *other*: the outer columns leave `I` without rational points,
//! - *before*: `t` violates a lower bound of `I`,
//! - *after*: `t` violates no lower bound but an upper bound,
//! - *center*: the rest, which is `I`.
//!
//! For fixed outer columns everything before has smaller `t` than the center, and everything after has greater `t`: the order before,
//! center, after is right, and where there is something in *other* there is nothing else. (Section 5.3 of the TOPLAS paper
//! defines the same parts; here they are cut so that every piece stays one conjunction.)

use crate::relation::{Row, add_scaled, negated, zeros};

use super::build::{Builder, Result};
use super::piece::Piece;
use super::plan::units;
use super::project::{as_inequalities, shadow};
use super::scope::Scope;
use super::system::System;

/// The pieces before, in, after and apart from the isolated part, in the order of execution; true marks the isolated part.
pub(super) fn split(
    builder: &Builder<'_>,
    scope: &Scope,
    pieces: &[Piece],
    isolated: &System,
) -> Result<Vec<(Vec<Piece>, bool)>> {
    let t = scope.n() + 1;
    let mut images = builder.outer_rows(scope);
    images.extend(units(t, 1));
    let translate = |row: &Row| {
        let mut result = zeros(t + 1);
        result[0] = row[0].clone();
        for (x, image) in row[1..].iter().zip(&images) {
            add_scaled(&mut result, x, image);
        }
        result
    };
    let rows: Vec<Row> = as_inequalities(isolated).iter().map(translate).collect();
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for row in &rows {
        match row[t].signum() {
            1 => lower.push(row.clone()),
            -1 => upper.push(row.clone()),
            _ => {}
        }
    }
    let system = System { n: t, eqs: Vec::new(), ineqs: rows };
    let mut outer = Vec::new();
    match shadow(&system, scope.n(), &scope.known, builder.budget)? {
        None => return Ok(vec![(pieces.to_vec(), false)]),
        Some(shadow) => {
            for row in as_inequalities(&shadow) {
                if !scope.known.implies(&row, builder.budget)? {
                    outer.push(row);
                }
            }
        }
    }
    let mut parts = vec![(Vec::new(), false), (Vec::new(), true), (Vec::new(), false), (Vec::new(), false)];
    for piece in pieces {
        let mut rest = piece.clone();
        let mut apart = false;
        for row in &outer {
            apart = apart || is_empty(&with(&rest, row.clone()), scope, builder)?;
        }
        if apart {
            parts[3].0.push(rest);
            continue;
        }
        for (rows, part) in [(&outer, 3), (&lower, 0), (&upper, 2)] {
            for row in rows {
                let mut contrary = negated(row);
                contrary[0] -= 1;
                let violating = with(&rest, contrary);
                if !is_empty(&violating, scope, builder)? {
                    parts[part].0.push(violating);
                    rest = with(&rest, row.clone());
                }
            }
        }
        if !is_empty(&rest, scope, builder)? {
            parts[1].0.push(rest);
        }
    }
    parts.retain(|(pieces, _)| !pieces.is_empty());
    Ok(parts)
}

fn with(piece: &Piece, mut row: Row) -> Piece {
    let mut piece = piece.clone();
    row.resize(piece.system.n + 1, crate::arith::Int::zero());
    piece.system.ineqs.push(row);
    piece
}

fn is_empty(piece: &Piece, scope: &Scope, builder: &Builder<'_>) -> Result<bool> {
    Ok(piece.system.and(&scope.known).is_empty(builder.budget)?)
}
