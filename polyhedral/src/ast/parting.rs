//! Parting a loop by a condition: `if (c) { loop over all } else { loop over those that do not need c }`.
//!
//! Pieces that share a loop may need different conditions on the outer columns. Where nothing else bounds the loop, it
//! runs also where the condition of a piece does not hold, over points without statements; the condition may also be
//! one that only the bounds of its inner loops enforce. It has the same value in all iterations, so that parting by it
//! changes no order; conditions of pieces whose iterations others have anyway are left to the body.
//!
//! Also the bounds of a piece may leave it no value: with `S` at `0 <= t <= n - c` and `T` at `t = 9`, a loop over both
//! runs ten times where `c > n`. To part every such loop would make tiled code much longer. It is done only
//! - for two pieces of an innermost loop, where one has few iterations and the loop would run further for the bounds of
//!   the other one, which leave that no value,
//! - where the pieces that are left have a step at least four times as long, and the loop is not cut any further by its
//!   [`rivals`](super::rivals): with `S` at `t = 0, 8, 16, ..` and `T` at `c <= t <= n`, a loop for `c > n` has the step 8.
//!
//! Atomic pieces are parted, too, unless all outer members are atomic: with `S` at `i = 0`, `0 <= j <= n` and `T` at `0 <= i <= n`, `j = 1`, where
//! `j` is atomic, a loop over `j` that both have would run `n` times for every `i`. Cutting the loop over `i` at 0 instead would
//! write `T` as often.

use crate::arith::Int;
use crate::relation::{Row, negated};
use crate::schedule::LoopType;

use super::bounds::minimal;
use super::build::{Below, Builder, Origin, Result};
use super::cond::Cond;
use super::group::common_stride;
use super::loops::Work;
use super::node::Ast;
use super::piece::{Piece, quotient};
use super::plan::Plan;
use super::project::{self, as_inequalities};
use super::rivals::{MOST_OF_ALL, statements};
use super::scope::Scope;
use super::separate::complement;
use super::system::{Minimum, System};

/// The most partings of one generation: each may double what is below.
pub(super) const MOST_PARTINGS: usize = 96;

/// With more pieces than this loops are not parted.
pub(super) const MOST_PIECES: usize = 10;

/// A piece with at most so many iterations on either side of those of another one needs no loop without it.
const FEW: i64 = 2;

/// A loop without a piece is worth writing if its step is so many times as long.
const LONG: i64 = 4;

/// A conjunction over the scope; true marks equalities.
type Condition = Vec<(Row, bool)>;

/// A condition by which a loop is to be parted, and for each piece whether it has iterations only where it holds.
pub(super) struct Parting {
    condition: Condition,
    inside: Vec<bool>,
}

impl Parting {
    /// The positions of the pieces that have iterations also where the condition does not hold.
    fn rest(&self) -> Vec<usize> {
        (0..self.inside.len()).filter(|&index| !self.inside[index]).collect()
    }
}

/// Whether a loop without a piece, given by its position, is much better for those at the other positions, where a
/// system holds.
type Pays<'p> = &'p dyn Fn(usize, &[usize], &System) -> Result<bool>;

impl Builder<'_> {
    /// The condition of a piece, or of all pieces of a statement, by which the loop is to be parted.
    pub(super) fn parting(&self, work: &Work<'_>) -> Result<Option<Parting>> {
        let n = work.pieces.len();
        if !self.may_part(work) {
            return Ok(None);
        }
        if n > MOST_PIECES {
            return self.parting_of_statement(work);
        }
        let conditions: Vec<Condition> = work.pieces.iter().map(condition).collect();
        for (own, condition) in conditions.iter().enumerate() {
            let nested = if condition.is_empty() { self.nested_condition(work, own)? } else { Vec::new() };
            let condition = if condition.is_empty() { &nested } else { condition };
            let mut needed = !condition.is_empty();
            for other in (0..n).filter(|&other| other != own && conditions[other].is_empty()) {
                needed = needed && !self.nearly_covers(&work.scope, &work.shadows[other], &work.shadows[own])?;
            }
            if needed {
                let needs = |(piece, shadow)| needs(piece, shadow, condition);
                let inside = work.pieces.iter().zip(&work.shadows).map(needs).collect();
                let parting = Parting { condition: condition.clone(), inside };
                if self.keeps_atomic(work, &parting)? {
                    return Ok(Some(parting));
                }
            }
        }
        if let Some(parting) = self.parting_of_two(work)? {
            return Ok(Some(parting));
        }
        self.parting_of_statement(work)
    }

    /// A condition without which one of the two pieces of an innermost loop has no iterations, if the other has few.
    fn parting_of_two(&self, work: &Work<'_>) -> Result<Option<Parting>> {
        let Origin::Member(_, Below { members: [], child: Plan::Leaf }) = work.origin else { return Ok(None) };
        if work.pieces.len() != 2 {
            return Ok(None);
        }
        self.parting_by_range(work, &|own, rest, without| {
            let few = rest.iter().all(|&other| is_narrow(&work.shadows[other]));
            Ok(few && self.exceeds(without, &work.shadows[own], &work.shadows[rest[0]])?)
        })
    }

    /// Whether the bounds of one shadow on one side would lead a loop further than those of another one.
    fn exceeds(&self, known: &System, own: &System, other: &System) -> Result<bool> {
        let t = own.n;
        let (own, other) = (as_inequalities(own), as_inequalities(other));
        for is_lower in [true, false] {
            let on_side = |row: &&Row| !row[t].is_zero() && row[t].is_positive() == is_lower;
            let mut system = known.clone();
            system.insert_columns(t, 1);
            system.ineqs.extend(own.iter().filter(on_side).cloned());
            for row in other.iter().filter(on_side) {
                match system.minimum_rational(row, self.budget)? {
                    Minimum::Empty => {}
                    Minimum::AtLeast(least) if !least.is_negative() => {}
                    Minimum::AtLeast(_) | Minimum::Unbounded => return Ok(true),
                }
            }
        }
        Ok(false)
    }

    /// A condition without which some pieces have no iterations, if the other ones then have a much longer step.
    pub(super) fn parting_for_step(&self, work: &Work<'_>) -> Result<Option<Parting>> {
        // The order of pieces with different shifts is known only where the loops are written.
        if !self.may_part(work) || work.pieces.iter().any(|piece| !piece.shift.is_zero()) {
            return Ok(None);
        }
        self.parting_by_range(work, &|_, rest, _| Ok(self.has_longer_step(work, rest)))
    }

    /// Whether some pieces, given by their positions, have a much longer step together than with the others, and more
    /// than a few iterations.
    fn has_longer_step(&self, work: &Work<'_>, some: &[usize]) -> bool {
        let step = |pieces: &[Piece]| common_stride(&work.scope, pieces).map_or(Int::one(), |stride| stride.step);
        let pieces: Vec<Piece> = some.iter().map(|&index| work.pieces[index].clone()).collect();
        !some.iter().all(|&index| is_narrow(&work.shadows[index]))
            && step(&pieces) >= step(&work.pieces) * Int::from(LONG)
    }

    /// A condition without which the bounds of a piece leave it no value, if that pays for the other pieces.
    fn parting_by_range(&self, work: &Work<'_>, pays: Pays<'_>) -> Result<Option<Parting>> {
        let (n, known) = (work.scope.n(), &work.scope.known);
        for (own, shadow) in work.shadows.iter().enumerate() {
            let Some(range) = project::shadow(shadow, n, known, self.budget)? else { continue };
            for row in as_inequalities(&range) {
                if known.implies_rational(&row, self.budget)? {
                    continue;
                }
                let mut without = known.clone();
                without.ineqs.push(complement(&row));
                let mut inside = Vec::with_capacity(work.pieces.len());
                for piece in &work.pieces {
                    inside.push(piece.system.and(&without).is_empty_rational(self.budget)?);
                }
                let parting = Parting { condition: vec![(row, false)], inside };
                let rest = parting.rest();
                if !parting.inside[own] || rest.is_empty() || !pays(own, &rest, &without)? {
                    continue;
                }
                if self.keeps_atomic(work, &parting)? {
                    return Ok(Some(parting));
                }
            }
        }
        Ok(None)
    }

    /// A condition that all pieces of a statement need, where there are several.
    fn parting_of_statement(&self, work: &Work<'_>) -> Result<Option<Parting>> {
        let units = statements(&work.pieces);
        if units.len() < 2 || units.len() == work.pieces.len() {
            return Ok(None);
        }
        let (hulls, known) = (self.hulls(work, &units)?, &work.scope.known);
        for (own, hull) in hulls.iter().enumerate() {
            let mut condition = Vec::new();
            for (row, is_eq) in outer_rows(hull) {
                let row = Row::from(&row[..hull.n]);
                if !known.implies_rational(&row, self.budget)? {
                    condition.push((row, is_eq));
                }
            }
            let mut needed = !condition.is_empty();
            for (_, other) in hulls.iter().enumerate().filter(|(other, _)| *other != own) {
                needed = needed && !self.nearly_covers(&work.scope, other, hull)?;
                // What the others need too is no reason.
                condition.retain(|(row, _)| !outer_rows(other).any(|(known, _)| known[..hull.n] == row[..]));
            }
            if needed && !condition.is_empty() {
                let inside = (0..work.pieces.len()).map(|piece| units[own].contains(&piece)).collect();
                let parting = Parting { condition, inside };
                if self.keeps_atomic(work, &parting)? {
                    return Ok(Some(parting));
                }
            }
        }
        Ok(None)
    }

    /// Whether loops may be written for parts of what they are for.
    fn may_part(&self, work: &Work<'_>) -> bool {
        let n = work.pieces.len();
        self.options.allow_else
            && self.partings > 0
            && (2..=MOST_OF_ALL).contains(&n)
            && self.spare.is_none_or(|spare| spare >= n)
            && work.pieces.iter().all(|piece| piece.loop_type != LoopType::Unroll)
    }

    /// Whether a statement whose code may come only once gets at most one loop: in one of the two parts it has no iterations, or is alone and
    /// has only one value there, which is substituted. Where the code may come several times anyway, one loop for each value of a condition
    /// is one loop each time.
    fn keeps_atomic(&self, work: &Work<'_>, parting: &Parting) -> Result<bool> {
        let once = |piece: &Piece| piece.loop_type == LoopType::Atomic && !piece.repeats;
        if !work.pieces.iter().any(once) {
            return Ok(true);
        }
        let mut holds = work.scope.known.clone();
        for (row, is_eq) in &parting.condition {
            holds.add(row.clone(), *is_eq);
        }
        let (mut then, mut otherwise) = (Vec::new(), Vec::new());
        for (index, piece) in work.pieces.iter().enumerate() {
            if !piece.system.and(&holds).is_empty(self.budget)? {
                then.push(index);
            }
            if !parting.inside[index] {
                otherwise.push(index);
            }
        }
        let loops = |part: &[usize], stmt: usize| {
            let single = |index: usize| {
                let shadow = &work.shadows[index];
                quotient(shadow, shadow.n, shadow.n).is_some()
            };
            part.iter().any(|&index| work.pieces[index].stmt == stmt) && (part.len() > 1 || !single(part[0]))
        };
        Ok(!work.pieces.iter().any(|piece| once(piece) && loops(&then, piece.stmt) && loops(&otherwise, piece.stmt)))
    }

    /// What the inner loops of a piece need of the scope and those of another piece do not: where it does not hold, the bounds of the
    /// iterator mean nothing.
    fn nested_condition(&self, work: &Work<'_>, own: usize) -> Result<Condition> {
        let (known, shadow) = (&work.scope.known, &work.shadows[own]);
        let mut result = Vec::new();
        for (row, is_eq) in outer_rows(shadow) {
            if work.shadows.iter().all(|other| outer_rows(other).any(|known| known == (row, is_eq))) {
                continue;
            }
            let row = Row::from(&row[..shadow.n]);
            let implied = known.implies_rational(&row, self.budget)?
                && (!is_eq || known.implies_rational(&negated(&row), self.budget)?);
            if !implied {
                result.push((row, is_eq));
            }
        }
        Ok(result)
    }

    /// Whether the bounds of one shadow, a little further out, hold for all iterations of the other one.
    pub(super) fn nearly_covers(&self, scope: &Scope, bounds: &System, inside: &System) -> Result<bool> {
        let system = inside.and(&scope.known);
        let few = if is_narrow(bounds) { 0 } else { FEW };
        for row in minimal(bounds, scope, self.budget)?.ineqs.iter().filter(|row| !row[bounds.n].is_zero()) {
            match system.minimum_rational(row, self.budget)? {
                Minimum::Empty => {}
                Minimum::Unbounded => return Ok(false),
                Minimum::AtLeast(least) if least < &row[bounds.n].abs() * Int::from(-few) => return Ok(false),
                Minimum::AtLeast(_) => {}
            }
        }
        Ok(true)
    }

    /// Generates the two parts.
    pub(super) fn parted(&mut self, work: Work<'_>, parting: Parting, below: Below<'_>) -> Result<Ast> {
        let Work { scope, pieces, origin, next, .. } = work;
        let Parting { condition, inside } = parting;
        let rest: Vec<Piece> =
            pieces.iter().zip(&inside).filter(|(_, inside)| !**inside).map(|(piece, _)| piece.clone()).collect();
        self.partings -= 1;
        self.spare = self.spare.map(|spare| spare - rest.len());
        let (mut inside, mut outside) = (scope.clone(), scope.clone());
        let mut contrary = Cond::True;
        if let [(row, false)] = condition.as_slice() {
            contrary = scope.at_least_zero(&complement(row));
            outside.known.ineqs.push(complement(row));
        }
        let mut parts = Vec::with_capacity(condition.len());
        for (row, is_eq) in condition {
            parts.push(scope.test(&row, is_eq));
            inside.known.add(row, is_eq);
        }
        let mut part = |scope: Scope, pieces: Vec<Piece>| {
            self.guarded(scope, pieces, &|builder, scope, pieces| {
                let (pieces, shadows) = builder.shadows(&scope, pieces)?;
                builder.grouped(Work { scope, pieces, shadows, origin, next }, below)
            })
        };
        let then = part(inside, pieces)?;
        let otherwise = part(outside, rest)?;
        Ok(match (then.is_empty(), otherwise.is_empty()) {
            (_, true) => Ast::guarded(Cond::and(parts), then),
            // Then nothing is executed where the condition holds, and the rest has its own conditions.
            (true, false) => Ast::guarded(contrary, otherwise),
            _ => Ast::If { cond: Cond::and(parts), then: Box::new(then), otherwise: Some(Box::new(otherwise)) },
        })
    }
}

/// Whether a piece has at most so many iterations that a few more are many.
fn is_narrow(shadow: &System) -> bool {
    let t = shadow.n;
    let rows = as_inequalities(shadow);
    rows.iter().filter(|row| row[t].is_positive()).any(|low| {
        let opposite = |high: &&Row| (1..=t).all(|column| (&high[column] + &low[column]).is_zero());
        rows.iter().filter(opposite).any(|high| &low[0] + &high[0] < &low[t] * Int::from(2 * FEW))
    })
}

/// What a piece needs of the scope that the scope does not guarantee.
fn condition(piece: &Piece) -> Condition {
    let (eqs, ineqs) = piece.known_rows();
    eqs.into_iter().map(|row| (row, true)).chain(ineqs.into_iter().map(|row| (row, false))).collect()
}

/// Whether all of a condition is among the constraints of a piece.
fn needs(piece: &Piece, shadow: &System, condition: &Condition) -> bool {
    let own = self::condition(piece);
    let nested = |row: &Row, is_eq: bool| {
        outer_rows(shadow).any(|(known, known_eq)| known_eq == is_eq && known[..shadow.n] == row[..])
    };
    condition.iter().all(|(row, is_eq)| own.contains(&(row.clone(), *is_eq)) || nested(row, *is_eq))
}

/// The rows of a shadow that do not mention the iterator; true marks equalities.
pub(super) fn outer_rows(shadow: &System) -> impl Iterator<Item = (&Row, bool)> {
    let rows = shadow.eqs.iter().map(|row| (row, true)).chain(shadow.ineqs.iter().map(|row| (row, false)));
    rows.filter(|(row, _)| row[shadow.n].is_zero())
}
