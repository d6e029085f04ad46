//! Nodes that speak about the members of the outer bands: contexts, guards, extensions.
//!
//! Their sets are over the parameters and those members; [`Scope::outer`] has the values. The integer divisions of the sets are
//! functions of known columns and become columns of the scope themselves.

use std::collections::BTreeMap;

use crate::arith::Int;
use crate::relation::{Conjunction, Row, Set};
use crate::space::Space;

use super::build::{Builder, Result, insert_scope_column};
use super::cond::Cond;
use super::error::AstError;
use super::piece::Piece;
use super::plan::{Part, units};
use super::scope::Scope;
use super::sets::Columns;

impl Builder<'_> {
    /// The rows over the scope that the columns of a part over `[params | outer]` stand for.
    pub(super) fn outer_rows(&self, scope: &Scope) -> Vec<Row> {
        let mut images = units(1, self.input.params.len());
        images.extend(scope.outer.iter().cloned());
        images
    }

    /// The parts in terms of the scope, those that cannot hold left out and what the scope guarantees left out of the others.
    fn in_scope(&self, scope: &mut Scope, pieces: &mut [Piece], parts: &[Part]) -> Result<Vec<Piece>> {
        let before = scope.n();
        let images = self.outer_rows(scope);
        let mut result = Vec::with_capacity(parts.len());
        for part in parts {
            let mut piece = Piece::blank(0, before);
            piece.constrain(part, &images);
            result.push(piece);
        }
        let result = self.refine(scope, result)?;
        for n in before + 1..=scope.n() {
            insert_scope_column(pieces, n);
        }
        if result.iter().any(|piece| piece.n_unknown > 0) {
            // Disjoint parts define all their locals, so this does not happen for sets that come from `Columns::disjoint`.
            let what = "a context or guard with an integer that the outer loops do not determine".to_owned();
            return Err(AstError::Unsupported { what });
        }
        Ok(result)
    }

    /// Adds to what the scope knows what all parts have in common. False if none of them can hold.
    pub(super) fn assume(&self, scope: &mut Scope, pieces: &mut [Piece], parts: &[Part]) -> Result<bool> {
        let found = self.in_scope(scope, pieces, parts)?;
        for (row, is_eq) in self.common_rows(scope, &found)? {
            if is_eq { scope.known.eqs.push(row) } else { scope.known.ineqs.push(row) }
        }
        Ok(!found.is_empty())
    }

    /// The condition that one of the parts holds; the scope then knows what all of them have in common.
    pub(super) fn enforce(&self, scope: &mut Scope, pieces: &mut [Piece], parts: &[Part]) -> Result<Cond> {
        let found = self.in_scope(scope, pieces, parts)?;
        let cond = |piece: &Piece| {
            let eqs = piece.system.eqs.iter().map(|row| scope.zero(row));
            Cond::and(eqs.chain(piece.system.ineqs.iter().map(|row| scope.at_least_zero(row))).collect())
        };
        let result = Cond::or(found.iter().map(cond).collect());
        for (row, is_eq) in self.common_rows(scope, &found)? {
            if is_eq { scope.known.eqs.push(row) } else { scope.known.ineqs.push(row) }
        }
        Ok(result)
    }

    /// The pieces of an extension: its instances for those values of the outer members for which some piece has an instance.
    pub(super) fn extended(
        &self,
        scope: &Scope,
        pieces: &[Piece],
        extension: &BTreeMap<usize, Vec<Part>>,
    ) -> Result<Vec<Piece>> {
        let reached = self.reached(scope, pieces)?;
        let columns = units(1, scope.n());
        let outer = self.outer_rows(scope);
        let mut result = Vec::new();
        for (&stmt, parts) in extension {
            for part in parts {
                for place in &reached {
                    let mut piece = Piece::blank(stmt, scope.n());
                    for _ in 0..self.input.stmts[stmt].n_dim {
                        let column = piece.add_unknown();
                        piece.point.extend(units(column, 1));
                    }
                    let n_col = piece.system.n + 1;
                    piece.point.iter_mut().for_each(|row| row.resize(n_col, Int::zero()));
                    let mut images = outer.clone();
                    images.extend(piece.point.iter().cloned());
                    piece.constrain(part, &images);
                    piece.constrain(place, &columns);
                    result.push(piece);
                }
            }
        }
        Ok(result)
    }

    /// The values of the columns of the scope for which some piece has an instance, as disjoint parts.
    fn reached(&self, scope: &Scope, pieces: &[Piece]) -> Result<Vec<Part>> {
        let n = scope.n();
        let names: Vec<String> = (0..n).map(|column| format!("x{column}")).collect();
        let space = Space::set(&Space::params::<&str>(&[]), "", &names);
        let mut found = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let mut conjunction = Conjunction::universe(space.clone());
            for _ in 0..piece.n_unknown {
                conjunction.add_existential();
            }
            piece.system.eqs.iter().for_each(|row| conjunction.add_eq(row.clone()));
            piece.system.ineqs.iter().for_each(|row| conjunction.add_ineq(row.clone()));
            found.push(conjunction.simplify());
        }
        let found = Set::from_conjunctions(space.clone(), found)?;
        let mut known = Conjunction::universe(space);
        scope.known.eqs.iter().for_each(|row| known.add_eq(row.clone()));
        scope.known.ineqs.iter().for_each(|row| known.add_ineq(row.clone()));
        let known = Set::from_conjunction(known.simplify());
        let found = found.make_divs_explicit(self.budget)?.gist(&known, self.budget)?;
        Columns::new(Vec::new()).disjoint(&found, self.budget)
    }
}
