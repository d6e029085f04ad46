//! What the bounds of inner loops enforce, and which conditions stand before a loop because of that.
//!
//! `for (i < n) for (j < m) S(i, j)` needs no `if (m >= 1)`: the loop over `j` does not run otherwise. Such a
//! condition, which all pieces of a loop need and the scope does not guarantee, is left to the bounds of inner loops
//! only if
//!
//! - it does not change in the outer loops: else those would run in vain for some of their values,
//! - it does not leave a parameter one value, with which all bounds are simpler: `n >= 2` where `n <= 2`,
//! - the bounds of this loop are not simpler because of it: with `j <= n` and `j <= 8` where `n >= 8`, the loop has the
//!   bound 8 and would run in vain for smaller `n`,
//! - the bounds of the loops that were generated inside do enforce it: `0 <= q` and `q <= n` for a quotient `q` of
//!   iterators are conditions, tested in every iteration, and say that `n >= 0`,
//! - only one loop runs in vain because of it, or the bounds of this loop have a parameter that it lacks: `n >= 4`
//!   stands before `for (i <= 8) for (j <= i) for (k = 4; k <= n)`, where the first two loops run for every `n`,
//! - [`invariant_conditions_outside`](super::AstOptions::invariant_conditions_outside) is off, or an iterator of outer loops occurs in it.
//!
//! [`Nested`] is how the generator knows the last two. *Invariant*: its rows are over columns that all code of the body
//! of the innermost enclosing loop has in common, and hold wherever that code, as far as it has been generated,
//! executes something, because of loop bounds alone.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::relation::{Row, all_zero, negated};

use super::bounds::bounds;
use super::build::{Builder, Result};
use super::cond::Cond;
use super::group::are_atomic;
use super::node::Ast;
use super::parting::outer_rows;
use super::piece::Piece;
use super::project::{as_inequalities, shadow};
use super::scope::Scope;
use super::system::System;

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Nested {
    /// The number of columns that the rows may mention.
    n: usize,
    /// Nothing while no code has been generated.
    system: Option<System>,
    /// The same for the outermost loops of that code alone.
    outermost: Option<System>,
}

impl Nested {
    /// Before code is generated at a place with `n` columns.
    pub(super) fn new(n: usize) -> Nested {
        Nested { n, system: None, outermost: None }
    }

    /// Takes note of code inside, which executes nothing unless a system over at least `n` columns holds, and not one
    /// iteration of its outermost loops unless the other one does.
    fn add(&mut self, system: &System, outermost: &System, budget: &Budget) -> std::result::Result<(), Exhausted> {
        self.system = Some(common(self.n, self.system.as_ref(), system, budget)?);
        self.outermost = Some(common(self.n, self.outermost.as_ref(), outermost, budget)?);
        Ok(())
    }
}

/// What holds wherever a loop executes something, over the columns of its scope.
pub(super) struct Enforced {
    /// Because of all its loops.
    system: System,
    /// Because of its bounds and those of the loops directly inside.
    near: System,
    /// The parameters in its own bounds, as columns.
    params: Vec<usize>,
}

/// What a system says about the first `n` columns and another one, if there is one, says, too.
fn common(
    n: usize,
    known: Option<&System>,
    system: &System,
    budget: &Budget,
) -> std::result::Result<System, Exhausted> {
    let mut rows = as_inequalities(system);
    rows.retain(|row| all_zero(&row[n + 1..]));
    rows.iter_mut().for_each(|row| row.truncate(n + 1));
    let mut kept = Vec::with_capacity(rows.len());
    for row in rows {
        let implied = match known {
            Some(known) => known.implies_rational(&row, budget)?,
            None => true,
        };
        if implied {
            kept.push(row);
        }
    }
    Ok(System { n, eqs: Vec::new(), ineqs: kept })
}

impl Builder<'_> {
    /// Takes note of a statement instance.
    pub(super) fn executes(&mut self, scope: &Scope) -> Result<()> {
        let all = System::universe(scope.n());
        Ok(self.nested.add(&all, &all, self.budget)?)
    }

    /// Takes note of a loop in a scope with the rows that its bounds enforce and what is generated inside.
    pub(super) fn encloses(&mut self, scope: &Scope, enforced: &[Row], inside: Nested) -> Result<Enforced> {
        let n = inside.n;
        let all = |system: Option<System>| system.unwrap_or_else(|| System::universe(n));
        let mut rows: Vec<Row> = Vec::with_capacity(enforced.len());
        // What quotients of iterators leave of a constraint is less than the constraint.
        for row in enforced.iter().filter(|row| !scope.divides_varying(row)) {
            let mut row = row.clone();
            row.resize(n + 1, Int::zero());
            rows.push(row);
        }
        let on_scope = |mut system: System| -> Result<System> {
            system.ineqs.extend(rows.iter().cloned());
            let found = shadow(&system, scope.n(), &System::universe(scope.n()), self.budget)?;
            Ok(found.unwrap_or_else(|| System::contradiction(scope.n())))
        };
        let (own, near) = (on_scope(System::universe(n))?, on_scope(all(inside.outermost))?);
        let system = on_scope(all(inside.system))?;
        self.nested.add(&system, &own, self.budget)?;
        let params = (1..=self.input.params.len()).filter(|&k| enforced.iter().any(|row| !row[k].is_zero())).collect();
        Ok(Enforced { system, near, params })
    }

    /// A loop under the conditions that all its pieces need and that its bounds and those of inner loops do not imply.
    pub(super) fn outside(&self, scope: &Scope, shadows: &[System], enforced: &Enforced, node: Ast) -> Result<Ast> {
        let mut conds = Vec::new();
        let mut known = scope.known.and(&enforced.system);
        let mut near = scope.known.and(&enforced.near);
        for (row, is_eq) in shadows.first().map(outer_rows).into_iter().flatten() {
            let row = Row::from(&row[..=scope.n()]);
            if scope.varies(&row) {
                continue;
            }
            let alone = enforced.params.iter().all(|&param| !row[param].is_zero());
            let system = if alone { &near } else { &known };
            if self.follows(system, &row, is_eq)? || !self.needed(scope, shadows, &row, is_eq)? {
                continue;
            }
            conds.push(scope.test(&row, is_eq));
            for system in [&mut known, &mut near] {
                system.add(row.clone(), is_eq);
            }
        }
        Ok(Ast::guarded(Cond::and(conds), node))
    }

    /// Whether a row or, if `is_eq`, the equality follows over the rationals.
    fn follows(&self, system: &System, row: &Row, is_eq: bool) -> Result<bool> {
        Ok(system.implies_rational(row, self.budget)?
            && (!is_eq || system.implies_rational(&negated(row), self.budget)?))
    }

    /// Whether all pieces need a condition that the scope does not guarantee.
    fn needed(&self, scope: &Scope, shadows: &[System], row: &Row, is_eq: bool) -> Result<bool> {
        let known =
            if is_eq { scope.known.implies_eq(row, self.budget)? } else { scope.known.implies(row, self.budget)? };
        if known {
            return Ok(false);
        }
        for shadow in shadows {
            if !self.follows(&shadow.and(&scope.known), row, is_eq)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A condition that has to be tested before the loop is generated, if it is not enough that inner loops enforce it. True marks an equality.
    pub(super) fn nested_guard(
        &self,
        scope: &Scope,
        pieces: &[Piece],
        shadows: &[System],
    ) -> Result<Option<(Row, bool)>> {
        let t = scope.n() + 1;
        let outside = self.options.invariant_conditions_outside;
        let most = if self.options.exploit_nested_bounds && !outside { 1 } else { shadows.len() };
        let mut enforced: Option<System> = None;
        for shadow in shadows.iter().take(most) {
            for (row, is_eq) in outer_rows(shadow) {
                let row = Row::from(&row[..t]);
                let varies = scope.varies(&row);
                // Together with what is known this is an equality: `n >= 2` where `n <= 2`.
                let meets = !is_eq && scope.known.ineqs.contains(&negated(&row));
                let exploits = self.options.exploit_nested_bounds && (varies || !outside);
                if exploits && !varies && !meets && !self.relies(scope, pieces, shadows, &row)? {
                    continue;
                }
                if !self.needed(scope, shadows, &row, is_eq)? {
                    continue;
                }
                if exploits && varies {
                    let enforced = match &mut enforced {
                        Some(enforced) => enforced,
                        none => none.insert(self.within_bounds(scope, pieces, shadows)?),
                    };
                    if self.follows(enforced, &row, is_eq)? {
                        continue;
                    }
                }
                return Ok(Some((row, is_eq || meets)));
            }
        }
        Ok(None)
    }

    /// What holds in the iterations of a loop that has the bounds of the shadows.
    fn within_bounds(&self, scope: &Scope, pieces: &[Piece], shadows: &[System]) -> Result<System> {
        let minimals = self.minimals(scope, shadows)?;
        let mut system = scope.known.clone();
        system.insert_columns(system.n + 1, 1);
        system.ineqs.extend(bounds(&minimals, are_atomic(pieces), scope, self.budget)?.enforced);
        Ok(system)
    }

    /// Whether a bound of the iterator follows from the other ones only with the help of a row over the scope.
    fn relies(&self, scope: &Scope, pieces: &[Piece], shadows: &[System], row: &Row) -> Result<bool> {
        let t = scope.n() + 1;
        for (piece, shadow) in pieces.iter().zip(shadows) {
            // The shadow does not have all bounds that the piece has.
            let mut bounds = as_inequalities(shadow);
            for bound in as_inequalities(&piece.system).iter().filter(|bound| all_zero(&bound[t + 1..])) {
                let bound = Row::from(&bound[..=t]);
                if !bounds.contains(&bound) {
                    bounds.push(bound);
                }
            }
            bounds.retain(|bound| !bound[t].is_zero());
            if bounds.len() < 3 {
                continue;
            }
            for (index, bound) in bounds.iter().enumerate() {
                let mut system = scope.known.clone();
                system.insert_columns(t, 1);
                let others = bounds.iter().enumerate().filter(|(other, _)| *other != index);
                system.ineqs.extend(others.map(|(_, other)| other.clone()));
                if system.implies_rational(bound, self.budget)? {
                    continue;
                }
                let mut with = row.clone();
                with.resize(t + 1, Int::zero());
                system.ineqs.push(with);
                if system.implies_rational(bound, self.budget)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
