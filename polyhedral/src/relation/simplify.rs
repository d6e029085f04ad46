//! Simplification of one conjunction, without simplex: the driver, and the normal form of single rows. The steps are in
//! files of their own: equalities (`gauss`), parallel inequalities (`parallel`), divisions (`divs`), integer-exact
//! removal of existentials (`existentials`). See the invariants in [`super::conjunction`].
//!
//! Cost: one pass, linear in the number of rows for each equality, for a conjunction without local variables; a small
//! number of passes otherwise.

use crate::arith::Int;
use crate::space::DimKind;

use super::conjunction::Conjunction;
use super::divs::Columns;
use super::row::{self, Row};

/// More passes than any system needs; a guard against a cycle of rewritings, all of which are exact.
const MAX_PASSES: usize = 32;

/// The proof that a conjunction has no integer point.
pub(super) struct Contradiction;

/// What the normal form of a row is.
enum Normal {
    /// The row, which was changed in place if need be.
    Row,
    /// Nothing: the row holds everywhere.
    True,
}

impl Conjunction {
    /// Brings the conjunction to the normal form of all conjunctions in sets and maps: known divisions first, none
    /// twice or unused; equalities reduced against each other and substituted into everything else; rows without common
    /// divisor; inequalities tightened to integers, no two parallel. The set of points is the same.
    pub fn simplify(mut self) -> Conjunction {
        if self.simplify_passes().is_err() {
            self.set_empty();
        }
        self
    }

    fn simplify_passes(&mut self) -> Result<(), Contradiction> {
        self.normalize_rows()?;
        let mut before = None;
        for _ in 0..MAX_PASSES {
            // Without local variables a pass leaves nothing to do, unless a step below says so.
            before = if self.locals.is_empty() { None } else { Some(before.unwrap_or_else(|| self.fingerprint())) };
            if before.is_some() {
                self.open_dependent_divs();
                self.solve_existentials()?;
            }
            self.solve_equalities()?;
            let mut again = self.combine_parallel()?;
            again |= self.eliminate_cheap_existentials();
            if before.is_some() {
                self.columns().normalize();
                self.normalize_rows()?;
                let after = Some(self.fingerprint());
                again = before != after;
                before = after;
            } else if again {
                self.normalize_rows()?;
            }
            if !again {
                break;
            }
        }
        sort(&mut self.eqs);
        self.eqs.dedup();
        sort(&mut self.ineqs);
        Ok(())
    }

    /// A hash of everything that a pass can change, for the test whether it has changed anything.
    fn fingerprint(&self) -> u64 {
        let mut hash = (self.locals.len() as u64) << 32 | (self.eqs.len() as u64) << 16 | self.ineqs.len() as u64;
        for row in self.eqs.iter().chain(&self.ineqs) {
            hash = row::hash(hash, row);
        }
        for (pos, local) in self.locals.iter().enumerate() {
            hash = match local {
                Some(div) => row::hash(row::hash(hash, &div.row), std::slice::from_ref(&div.den)),
                None => hash.rotate_left(7) ^ pos as u64,
            };
        }
        hash
    }

    pub(super) fn columns(&mut self) -> Columns<'_> {
        Columns { base: self.space.n_col(), locals: &mut self.locals, groups: [&mut self.eqs, &mut self.ineqs] }
    }

    /// Divides every row by the common divisor of its coefficients and drops those without coefficients.
    pub(super) fn normalize_rows(&mut self) -> Result<(), Contradiction> {
        self.normalize_eqs()?;
        let mut failed = false;
        self.ineqs.retain_mut(|row| match normalize_ineq(row) {
            Ok(normal) => matches!(normal, Normal::Row),
            Err(Contradiction) => {
                failed = true;
                true
            }
        });
        if failed { Err(Contradiction) } else { Ok(()) }
    }

    /// As [`Conjunction::normalize_rows`], only the equalities.
    pub(super) fn normalize_eqs(&mut self) -> Result<(), Contradiction> {
        let mut failed = false;
        self.eqs.retain_mut(|row| match normalize_eq(row) {
            Ok(normal) => matches!(normal, Normal::Row),
            Err(Contradiction) => {
                failed = true;
                true
            }
        });
        if failed { Err(Contradiction) } else { Ok(()) }
    }

    /// Takes the equalities out.
    pub(crate) fn take_eqs(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.eqs)
    }

    /// Whether a parameter occurs in a constraint.
    pub(super) fn uses_column(&self, column: usize) -> bool {
        self.eqs
            .iter()
            .chain(&self.ineqs)
            .chain(self.locals.iter().flatten().map(|d| &d.row))
            .any(|r| !r[column].is_zero())
    }

    /// Whether a dimension occurs in a constraint.
    pub fn involves(&self, kind: DimKind, pos: usize) -> bool {
        let column = self.space.offset(kind) + pos;
        column < self.n_col() && self.uses_column(column)
    }
}

/// Sorts rows that are often in order already.
fn sort(rows: &mut [Row]) {
    if !rows.is_sorted() {
        rows.sort_unstable();
    }
}

/// The normal form of `row == 0`: no common divisor, the last coefficient positive.
fn normalize_eq(row: &mut Row) -> Result<Normal, Contradiction> {
    let g = row::gcd(&row[1..]);
    if g.is_zero() {
        return if row[0].is_zero() { Ok(Normal::True) } else { Err(Contradiction) };
    }
    if !g.is_one() {
        if !g.divides(&row[0]) {
            return Err(Contradiction);
        }
        row::div_exact(row, &g);
    }
    if row.iter().rev().find(|x| !x.is_zero()).is_some_and(Int::is_negative) {
        row::negate(row);
    }
    Ok(Normal::Row)
}

/// The normal form of `row >= 0`: no common divisor of the coefficients, the constant rounded down.
fn normalize_ineq(row: &mut Row) -> Result<Normal, Contradiction> {
    let g = row::gcd(&row[1..]);
    if g.is_zero() {
        return if row[0].is_negative() { Err(Contradiction) } else { Ok(Normal::True) };
    }
    if !g.is_one() {
        row[0] = row[0].div_floor(&g);
        row::div_exact(&mut row[1..], &g);
    }
    Ok(Normal::Row)
}
