//! Nodes that speak about the members of the outer bands: contexts, guards, extensions.
//!
//! Their sets are over the parameters and those members; [`Scope::outer`] has the values. The integer divisions of the sets are
//! functions of known columns and become columns of the scope themselves.

use std::collections::BTreeMap;

use crate::arith::Int;
use crate::budget::Budget;
use crate::relation::{Conjunction, Row, Set};
use crate::space::Space;

use super::build::{Builder, Result, insert_scope_column};
use super::cond::Cond;
use super::error::AstError;
use super::guard::{common_rows, refine};
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
        let result = in_scope(scope, &self.outer_rows(scope), parts, self.budget)?;
        for n in before + 1..=scope.n() {
            insert_scope_column(pieces, n);
        }
        Ok(result)
    }

    /// Adds to what the scope knows what the parts say. False if none of them can hold.
    pub(super) fn assume(&self, scope: &mut Scope, pieces: &mut [Piece], parts: &[Part]) -> Result<bool> {
        let found = self.in_scope(scope, pieces, parts)?;
        learn(scope, &found, self.budget)?;
        Ok(!found.is_empty())
    }

    /// The condition that one of the parts holds; the scope then knows what they say.
    pub(super) fn enforce(&self, scope: &mut Scope, pieces: &mut [Piece], parts: &[Part]) -> Result<Cond> {
        let found = self.in_scope(scope, pieces, parts)?;
        let cond = |piece: &Piece| {
            let eqs = piece.system.eqs.iter().map(|row| scope.zero(row));
            Cond::and(eqs.chain(piece.system.ineqs.iter().map(|row| scope.at_least_zero(row))).collect())
        };
        let result = Cond::or(found.iter().map(cond).collect());
        learn(scope, &found, self.budget)?;
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

/// Parts over the parameters (and what else `images` stand for) in terms of the scope: those that cannot hold left out, what the
/// scope guarantees left out of the others. The scope may get division columns.
fn in_scope(scope: &mut Scope, images: &[Row], parts: &[Part], budget: &Budget) -> Result<Vec<Piece>> {
    let n = scope.n();
    let mut result = Vec::with_capacity(parts.len());
    for part in parts {
        let mut piece = Piece::blank(0, n);
        piece.constrain(part, images);
        result.push(piece);
    }
    let result = refine(scope, result, budget)?;
    if result.iter().any(|piece| piece.n_unknown > 0) {
        // Disjoint parts define all their locals, so this does not happen for sets that come from `Columns::disjoint`.
        let what = "a context or guard with an integer that the outer loops do not determine".to_owned();
        return Err(AstError::Unsupported { what });
    }
    Ok(result)
}

/// Adds to what the scope knows what all parts have in common, and that one of them holds.
fn learn(scope: &mut Scope, parts: &[Piece], budget: &Budget) -> Result<()> {
    if parts.len() > 1 {
        scope.alternatives.push(parts.iter().map(|part| part.system.clone()).collect());
    }
    for (row, is_eq) in common_rows(scope, parts, budget)? {
        scope.known.add(row, is_eq);
    }
    Ok(())
}

/// The scope outside of all loops where one of some parts over the parameters holds.
pub(super) fn outside(n_param: usize, parts: &[Part], budget: &Budget) -> Result<Scope> {
    let mut scope = Scope::new(n_param);
    let found = in_scope(&mut scope, &units(1, n_param), parts, budget)?;
    learn(&mut scope, &found, budget)?;
    Ok(scope)
}
