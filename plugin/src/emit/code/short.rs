//! Innermost loops that never run more than a few times, as their bounds say.
//!
//! ```text
//! for j = max(4 * floor(i / 4) + 1, 512 t) to i: S(i, j)         at most three times: i - 4 floor(i / 4) is a remainder
//! ```
//!
//! Triangles that register tiles leave over are such loops. The compiler does not see it and makes vectors of them, which is much code and time for
//! loops that fill none.

use super::sum::{Sum, for_each_term};
use std::collections::HashMap;
use tessera_polyhedral::ast::{Expr, For};

/// A vector may not pay for so many iterations.
const FEW: i128 = 4;

/// The longest rows of tiles.
const ROW: i128 = 64;

/// Whether a loop with these bounds, and steps of one, has at most a few iterations.
pub(super) fn is_short(lower: &Expr, upper: &Expr) -> bool {
    is_at_most(lower, upper, FEW)
}

/// Whether a loop with these bounds, and steps of one, has so many iterations at most.
pub(super) fn is_at_most(lower: &Expr, upper: &Expr, number: i128) -> bool {
    bounds(lower, upper).any(|most| most < number)
}

/// Whether a loop runs along a row of a tile of constant size, which is cut off at its ends at most.
pub(super) fn is_row_of_tile(node: &For) -> bool {
    node.upper.as_ref().is_some_and(|upper| bounds(&node.lower, upper).any(|most| most < ROW))
}

/// How many iterations a loop has that begins with the last of these bounds, if that is a number that can be read off them for one of these, with that one.
pub(super) fn exact_count<'l>(lower: &'l Expr, upper: &Expr) -> Option<(&'l Expr, i128)> {
    let parts = match lower {
        Expr::Max(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    parts.iter().find_map(|part| {
        let mut sum = Sum::default();
        sum.add(upper, 1)?;
        sum.add(part, -1)?;
        (sum.terms.is_empty() && sum.constant >= 0).then_some((part, sum.constant + 1))
    })
}

/// What the bounds of a loop say of the most that `upper - lower` can be.
fn bounds(lower: &Expr, upper: &Expr) -> impl Iterator<Item = i128> {
    let parts = |bound: &Expr| match bound {
        Expr::Min(parts) | Expr::Max(parts) => parts.clone(),
        other => vec![other.clone()],
    };
    let lowers = if matches!(lower, Expr::Min(_)) { vec![lower.clone()] } else { parts(lower) };
    let uppers = if matches!(upper, Expr::Max(_)) { vec![upper.clone()] } else { parts(upper) };
    uppers.into_iter().flat_map(move |upper| {
        let each: Vec<i128> = lowers.iter().filter_map(|lower| distance(lower, &upper)).collect();
        each
    })
}

/// The most that `upper - lower` can be, if that is known of their form alone.
fn distance(lower: &Expr, upper: &Expr) -> Option<i128> {
    let mut bounded = Bounded::default();
    bounded.add(upper, 1)?;
    bounded.add(lower, -1)?;
    let mut most = bounded.sum.constant;
    for ((_, size), factor) in &bounded.remainders {
        most = most.checked_add(if *factor > 0 { factor.checked_mul(size - 1)? } else { 0 })?;
    }
    bounded.sum.terms.is_empty().then_some(most)
}

/// A sum, and remainders with factors.
#[derive(Default)]
struct Bounded {
    sum: Sum,
    /// By dividend and divisor. Also what a multiple of a quotient lacks to the dividend is one.
    remainders: HashMap<(Expr, i128), i128>,
}

impl Bounded {
    /// Adds `factor` times an expression. Nothing where a number is too large.
    fn add(&mut self, expr: &Expr, factor: i128) -> Option<()> {
        for_each_term(expr, factor, &mut |term, factor| match term {
            Expr::FloorDiv(a, by) | Expr::Div(a, by)
                if by.to_i64().is_some_and(|by| by > 0 && factor % i128::from(by) == 0) =>
            {
                let by = i128::from(by.to_i64()?);
                self.add(a, factor / by)?;
                self.remainder(a, by, (factor / by).checked_neg()?)
            }
            Expr::Mod(a, by) | Expr::Rem(a, by) if by.is_positive() => {
                self.remainder(a, i128::from(by.to_i64()?), factor)
            }
            other => self.sum.add_term(other, factor),
        })
    }

    fn remainder(&mut self, dividend: &Expr, by: i128, factor: i128) -> Option<()> {
        let known = self.remainders.entry((dividend.clone(), by)).or_default();
        *known = known.checked_add(factor)?;
        Some(())
    }
}
