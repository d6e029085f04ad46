//! Counters of inner loops that begin where those of the program do.
//!
//! The compiler counts the iterations of every loop from zero. Of
//!
//! ```text
//! for i < n: for j = i + 1 to n - 1: C[i][j] += A[k][i] * A[k][j]
//! ```
//!
//! it says `C[i][i + 1 + j']` and `A[k][i + 1 + j']`, so that the same `A[k][j]` seems to be another element for every `i`. With `j = j' + i`
//! for the counter there is one access that moves with `i` instead of three. What follows asks such questions: what is used again, which
//! rows lie side by side, what stays in a register.
//!
//! A loop with a bound that moves with an outer counter gets the multiple of that with which the bound does not, and which leaves the fewest
//! subscripts with the outer counter; nothing changes if these are as many as before.
//!
//! Invariants: all statements in a loop have the same counter for it. The order of iterations is the same. Only statements are rewritten, with the
//! entries of tables that lead to their rows and the times at which these are read: what else the guard checks speaks about the compiler's
//! counters, with domains of its own.

use crate::formula::poly::{Poly, Sym};
use crate::model::scop::{Operand, Statement};
use crate::model::sets::library_error;
use crate::model::time::Time;
use crate::reasons::Reason;
use tessera_polyhedral::affine::{Aff, MultiAff};
use tessera_polyhedral::arith::{Int, Row};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::space::DimKind;

/// Gives inner loops of the statements counters with which fewer subscripts move with outer loops. `reads` has times of the original program
/// by statement, in its counters.
pub(super) fn align(
    statements: &mut [Statement],
    reads: &mut [(usize, usize, Time)],
    budget: &Budget,
) -> Result<(), Reason> {
    let chains: Vec<Vec<usize>> = statements.iter().map(|statement| statement.loops.clone()).collect();
    let mut seen = Vec::new();
    for chain in chains {
        for (depth, inner) in chain.iter().enumerate() {
            if seen.contains(inner) {
                continue;
            }
            seen.push(*inner);
            for outer in chain[..depth].iter().rev() {
                if let Some(factor) = factor(statements, *inner, *outer) {
                    let distance = distance(statements, *inner, *outer, factor);
                    shift(statements, reads, (*inner, *outer), (factor, distance), budget)?;
                }
            }
        }
    }
    Ok(())
}

/// The subscripts that move with a loop.
fn moving_subscripts(statements: &[Statement], inner: usize) -> impl Iterator<Item = (i128, &Poly)> {
    let inside = statements.iter().filter(move |statement| statement.loops.contains(&inner));
    let subscripts = inside.flat_map(|statement| &statement.accesses).flat_map(|access| &access.subscripts);
    subscripts.map(move |subscript| (subscript.coefficient(Sym::Iv(inner)), subscript)).filter(|(step, _)| *step != 0)
}

/// The multiple of the outer counter that the inner counter should contain, if any. Domains whose pieces begin in several ways stay as they are: tiles
/// across the outer loop are found by the compiler's counters there.
fn factor(statements: &[Statement], inner: usize, outer: usize) -> Option<i128> {
    let mut inside = statements.iter().filter(|statement| statement.loops.contains(&inner));
    if !inside.all(|statement| begins_alike(statement, inner)) {
        return None;
    }
    let subscripts: Vec<(i128, i128)> = moving_subscripts(statements, inner)
        .map(|(step, subscript)| (step, subscript.coefficient(Sym::Iv(outer))))
        .collect();
    let moving = |factor: i128| subscripts.iter().filter(|(inner, outer)| *outer != factor * inner).count();
    let possible = subscripts.iter().filter(|(inner, outer)| outer % inner == 0).map(|(inner, outer)| outer / inner);
    // Only loops that begin or end with the outer counter: others are as the program has them.
    let possible = possible.filter(|factor| follows(statements, inner, outer, *factor));
    // Of blocks nothing is used again in the next one: counters without that of the block would hide that it moves.
    let possible = possible.filter(|factor| !is_block(statements, inner, *factor));
    let best = possible.min_by_key(|factor| (moving(*factor), factor.abs()))?;
    (moving(best) < moving(0)).then_some(best)
}

/// Whether a loop has the same bounds in all pieces of the domain of a statement, as where another one leaves out an iteration: `i != k`.
fn begins_alike(statement: &Statement, inner: usize) -> bool {
    let Some(dim) = statement.dim(inner) else { return false };
    let (pieces, column) = (statement.domain.conjunctions(), statement.domain.space().offset(DimKind::Out) + dim);
    let bounds = |piece: usize| {
        let rows = pieces[piece].eqs().iter().chain(pieces[piece].ineqs());
        let mut bounds: Vec<&Row> = rows.filter(|row| !row[column].is_zero()).collect();
        bounds.sort_unstable();
        bounds
    };
    pieces.len() == 1
        || !pieces.is_empty()
            && pieces.iter().all(|piece| piece.n_local() == 0)
            && (1..pieces.len()).all(|piece| bounds(piece) == bounds(0))
}

/// Whether some bound of a loop moves with the outer counter, and would not if the inner one contained that multiple of it.
fn follows(statements: &[Statement], inner: usize, outer: usize, factor: i128) -> bool {
    statements.iter().any(|statement| {
        let (Some(at), Some(from)) = (statement.dim(inner), statement.dim(outer)) else { return false };
        let first = statement.domain.space().offset(DimKind::Out);
        let moves =
            |row: &Row| !row[first + from].is_zero() && row[first + from] == &row[first + at] * &Int::from(factor);
        statement.domain.conjunctions().iter().any(|conjunction| conjunction.ineqs().iter().any(moves))
    })
}

/// Whether a loop has at most as many iterations as an outer one makes steps for it: `for j = 32*i to 32*i + 31`.
fn is_block(statements: &[Statement], inner: usize, factor: i128) -> bool {
    factor.abs() > 1
        && statements.iter().filter(|statement| statement.loops.contains(&inner)).all(|statement| {
            let last = statement.dim(inner).map(|at| statement.domain.plain_upper_bound(DimKind::Out, at));
            matches!(last, Some(Ok(Some(last))) if last < Int::from(factor.abs()))
        })
}

/// The number that the counter should contain besides: that of most subscripts that the factor leaves without the outer counter.
fn distance(statements: &[Statement], inner: usize, outer: usize, factor: i128) -> i128 {
    let fitting = moving_subscripts(statements, inner)
        .filter(|(step, subscript)| subscript.coefficient(Sym::Iv(outer)) == factor * step);
    let constants: Vec<i128> = fitting
        .map(|(step, subscript)| (step, subscript.constant_term()))
        .filter(|(step, constant)| constant % step == 0)
        .map(|(step, constant)| constant / step)
        .collect();
    let often = |constant: &i128| constants.iter().filter(|other| *other == constant).count();
    constants.iter().copied().max_by_key(|constant| (often(constant), -constant.abs())).unwrap_or(0)
}

/// `inner + factor * outer + distance` for the counter `inner` of a loop, in all statements inside it and in their times.
fn shift(
    statements: &mut [Statement],
    reads: &mut [(usize, usize, Time)],
    (inner, outer): (usize, usize),
    (factor, distance): (i128, i128),
    budget: &Budget,
) -> Result<(), Reason> {
    let symbol = Sym::Iv(inner);
    let outer_part = Poly::symbol(Sym::Iv(outer)).scale(factor).ok_or(Reason::TooLarge)?;
    let added = Poly::constant(distance).and_then(|constant| constant.add(&outer_part)).ok_or(Reason::TooLarge)?;
    let before = Poly::symbol(symbol).sub(&added).ok_or(Reason::TooLarge)?;
    let rewrite = |poly: &mut Poly| -> Result<(), Reason> {
        *poly = poly.substitute(symbol, &before).ok_or(Reason::TooLarge)?;
        Ok(())
    };
    for (number, statement) in statements.iter_mut().enumerate() {
        let (Some(at), Some(from)) = (statement.dim(inner), statement.dim(outer)) else { continue };
        let own = reads.iter_mut().filter(|(of, ..)| *of == number);
        own.flat_map(|(.., time)| time).try_for_each(rewrite)?;
        let space = statement.domain.space();
        let counter = |dim: usize| Aff::var(space.clone(), dim).map_err(library_error);
        let added = counter(from)?.scale(&Int::from(factor)).add_constant(&Int::from(distance));
        let shifted = counter(at)?.sub(&added).map_err(library_error)?;
        let old = MultiAff::identity(space).and_then(|all| all.with_component(at, &shifted)).map_err(library_error)?;
        statement.domain = statement.domain.preimage(&old, budget).map_err(library_error)?;
        statement.condition = statement.condition.substitute(symbol, &before)?;
        statement.time.iter_mut().try_for_each(rewrite)?;
        for access in &mut statement.accesses {
            access.subscripts.iter_mut().chain(&mut access.entries).try_for_each(rewrite)?;
            rewrite(&mut access.offset)?;
        }
        for op in &mut statement.body {
            op.operands_mut().filter_map(affine).try_for_each(rewrite)?;
        }
    }
    Ok(())
}

/// What an operand computes from counters, if it does.
fn affine(operand: &mut Operand) -> Option<&mut Poly> {
    match operand {
        Operand::Affine(poly, _) => Some(poly),
        Operand::Invariant(_) | Operand::Result(_) => None,
    }
}
