//! Conditions: what is known of the pieces at a place, and what has to be tested there.
//!
//! A constraint of a piece over known columns is *implied* if the scope guarantees it (then it is dropped), *tested* here if all pieces
//! need it, and stays *pending* in the piece otherwise, until it is tested further inside for fewer pieces. What is tested
//! becomes part of what the scope guarantees.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::relation::{Row, add_scaled, gcd, negated};

use super::build::{Builder, Next, Result, insert_scope_column};
use super::cond::Cond;
use super::node::Ast;
use super::piece::Piece;
use super::scope::Scope;
use super::stride::congruences;
use super::system::{Plain, System};

impl Builder<'_> {
    /// [`refine`] with the budget of the generator.
    pub(super) fn refine(&self, scope: &mut Scope, pieces: Vec<Piece>) -> Result<Vec<Piece>> {
        Ok(refine(scope, pieces, self.budget)?)
    }

    /// Refines the pieces, tests what all of them need and the scope does not guarantee, and generates the rest inside.
    pub(super) fn guarded(&mut self, scope: Scope, pieces: Vec<Piece>, next: Next<'_>) -> Result<Ast> {
        let mut scope = scope;
        let pieces = self.refine(&mut scope, pieces)?;
        if pieces.is_empty() {
            return Ok(Ast::Block(Vec::new()));
        }
        let (mut conds, mut pieces) = (Vec::new(), pieces);
        loop {
            let before = conds.len();
            let only = scope.take_only_case(pieces.iter().map(|piece| &piece.system), self.budget)?;
            let only = only.into_iter().flat_map(System::into_rows);
            for (row, is_eq) in only.chain(common_rows(&scope, &pieces, self.budget)?) {
                // Conditions found before are part of the scope now.
                let known = if is_eq {
                    scope.known.implies_eq(&row, self.budget)?
                } else {
                    scope.known.implies(&row, self.budget)?
                };
                if known {
                    continue;
                }
                conds.push(scope.test(&row, is_eq));
                scope.known.add(row, is_eq);
            }
            if conds.len() == before {
                break;
            }
            // What is tested may determine unknowns, and then more constraints can be tested, and must be.
            pieces = self.refine(&mut scope, pieces)?;
        }
        let body = next(self, scope, pieces)?;
        Ok(Ast::guarded(Cond::and(conds), body))
    }
}

/// The constraints over the scope, equalities first, that every piece implies and the scope does not. True marks an
/// equality.
pub(super) fn common_rows(
    scope: &Scope,
    pieces: &[Piece],
    budget: &Budget,
) -> std::result::Result<Vec<(Row, bool)>, Exhausted> {
    let mut eqs: Vec<(Row, bool)> = Vec::new();
    let mut ineqs: Vec<(Row, bool)> = Vec::new();
    for piece in pieces {
        let (e, i) = piece.known_rows();
        eqs.extend(e.into_iter().map(|row| (row, true)));
        ineqs.extend(i.into_iter().map(|row| (row, false)));
    }
    let mut result: Vec<(Row, bool)> = Vec::new();
    for candidate in eqs.into_iter().chain(ineqs) {
        if result.contains(&candidate) {
            continue;
        }
        let (row, is_eq) = &candidate;
        let mut common = true;
        for piece in pieces {
            if !common {
                break;
            }
            let rows = if *is_eq { &piece.system.eqs } else { &piece.system.ineqs };
            if rows.iter().any(|known| known[..row.len()] == row[..] && piece.is_known(known)) {
                continue;
            }
            let system = piece.system.and(&scope.known);
            common = if *is_eq { system.implies_eq(row, budget)? } else { system.implies_rational(row, budget)? };
        }
        if common {
            result.push(candidate);
        }
    }
    Ok(result)
}

/// Solves the pieces: unknowns that the scope determines are substituted (the scope may get division columns for that), pieces without a
/// solution are dropped.
pub(super) fn solved(
    scope: &mut Scope,
    pieces: Vec<Piece>,
    budget: &Budget,
) -> std::result::Result<Vec<Piece>, Exhausted> {
    let mut pieces = pieces;
    // New divisions add no values that matter.
    let values = scope.values();
    let mut index = 0;
    while index < pieces.len() {
        pieces[index].substitute_values(&values);
        if !pieces[index].solve(budget)? {
            pieces.remove(index);
            continue;
        }
        match pieces[index].determined() {
            None if pieces[index].combine() => {}
            None => {
                if divisible(scope, &mut pieces, index, budget)? {
                    index += 1;
                } else {
                    pieces.remove(index);
                }
            }
            Some((column, row, den)) => {
                let (mut value, added) = scope.floor_div(&row, &den);
                let mut column = column;
                if added {
                    insert_scope_column(&mut pieces, scope.n());
                    column += 1;
                }
                let piece = &mut pieces[index];
                value.resize(piece.system.n + 1, Int::zero());
                piece.substitute(column, &value);
            }
        }
    }
    Ok(pieces)
}

/// [Solves](solved) and reduces the pieces: implied constraints and empty pieces are dropped.
pub(super) fn refine(
    scope: &mut Scope,
    pieces: Vec<Piece>,
    budget: &Budget,
) -> std::result::Result<Vec<Piece>, Exhausted> {
    let pieces = solved(scope, pieces, budget)?;
    let mut kept = Vec::with_capacity(pieces.len());
    for mut piece in pieces {
        if piece.reduce(scope, budget)? {
            kept.push(piece);
        }
    }
    Ok(kept)
}

/// Writes down what the equalities of a piece say about divisibility over the scope, unless the scope guarantees it: `4 i + 6 j = n`
/// needs an even `n`. False if the piece is empty.
fn divisible(
    scope: &mut Scope,
    pieces: &mut [Piece],
    index: usize,
    budget: &Budget,
) -> std::result::Result<bool, Exhausted> {
    let first = pieces[index].first_unknown();
    for (mut row, modulus) in congruences(&pieces[index].system.eqs, first) {
        row.resize(scope.n() + 1, Int::zero());
        row.iter_mut().for_each(|x| *x = x.rem_floor(&modulus));
        let g = gcd(&row[1..]).gcd(&modulus);
        if !g.divides(&row[0]) {
            return Ok(false);
        }
        if g == modulus {
            continue;
        }
        // row = modulus q + r with 0 < r < modulus.
        let mut remainder = scope.known.clone();
        remainder.insert_columns(remainder.n + 1, 1);
        let mut low = row.clone();
        low.push(-&modulus);
        let mut high = negated(&low);
        low[0] -= 1;
        high[0] += &modulus - 1;
        remainder.ineqs.extend([low, high]);
        if remainder.is_empty(budget)? {
            continue;
        }
        let (quotient, added) = scope.floor_div(&row, &modulus);
        if added {
            insert_scope_column(pieces, scope.n());
        }
        row.resize(scope.n() + 1, Int::zero());
        add_scaled(&mut row, &-&modulus, &quotient);
        let piece = &mut pieces[index];
        row.resize(piece.system.n + 1, Int::zero());
        piece.system.eqs.push(row);
    }
    // The equalities may be there already.
    Ok(pieces[index].system.equate() == Plain::Unknown)
}
