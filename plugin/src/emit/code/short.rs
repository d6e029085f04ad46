//! Innermost loops that never run more than a few times, as their bounds say.
//!
//! ```text
//! for j = max(4 * floor(i / 4) + 1, 512 t) to i: S(i, j)         at most three times: i - 4 floor(i / 4) is a remainder
//! ```
//!
//! Triangles that register tiles leave over are such loops. The compiler does not see it and makes vectors of them, which is much code and time for
//! loops that fill none.

use std::collections::HashMap;
use tessera_polyhedral::ast::Expr;

/// A vector may not pay for so many iterations.
const FEW: i128 = 4;

/// Whether a loop with these bounds, and steps of one, has at most a few iterations.
pub(super) fn is_short(lower: &Expr, upper: &Expr) -> bool {
    let parts = |bound: &Expr| match bound {
        Expr::Min(parts) | Expr::Max(parts) => parts.clone(),
        other => vec![other.clone()],
    };
    let lowers = if matches!(lower, Expr::Min(_)) { vec![lower.clone()] } else { parts(lower) };
    let uppers = if matches!(upper, Expr::Max(_)) { vec![upper.clone()] } else { parts(upper) };
    uppers.iter().any(|upper| lowers.iter().any(|lower| distance(lower, upper).is_some_and(|most| most < FEW)))
}

/// The most that `upper - lower` can be, if that is known of their form alone.
fn distance(lower: &Expr, upper: &Expr) -> Option<i128> {
    let mut sum = Sum::default();
    sum.add(upper, 1)?;
    sum.add(lower, -1)?;
    let mut most = sum.constant;
    // A remainder, or what a multiple of a quotient lacks to the dividend.
    for (size, factor) in sum.remainders.values().copied() {
        most = most.checked_add(if factor > 0 { factor.checked_mul(size - 1)? } else { 0 })?;
    }
    sum.terms.values().all(|factor| *factor == 0).then_some(most)
}

/// A sum of multiples of expressions, of remainders and a constant. Expressions are known by how they are written.
#[derive(Default)]
struct Sum {
    terms: HashMap<String, i128>,
    /// By dividend and divisor: the divisor, and the factor.
    remainders: HashMap<(String, i128), (i128, i128)>,
    constant: i128,
}

impl Sum {
    /// Adds `factor` times an expression. Nothing where a number is too large.
    fn add(&mut self, expr: &Expr, factor: i128) -> Option<()> {
        match expr {
            Expr::Const(value) => {
                self.constant = self.constant.checked_add(i128::from(value.to_i64()?).checked_mul(factor)?)?;
            }
            Expr::Add(a, b) => {
                self.add(a, factor)?;
                self.add(b, factor)?;
            }
            Expr::Sub(a, b) => {
                self.add(a, factor)?;
                self.add(b, factor.checked_neg()?)?;
            }
            Expr::Neg(a) => self.add(a, factor.checked_neg()?)?,
            Expr::Mul(by, a) => self.add(a, factor.checked_mul(i128::from(by.to_i64()?))?)?,
            Expr::FloorDiv(a, by) | Expr::Div(a, by)
                if by.to_i64().is_some_and(|by| by > 0 && factor % i128::from(by) == 0) =>
            {
                let by = i128::from(by.to_i64()?);
                self.add(a, factor / by)?;
                self.remainder(a, by, (factor / by).checked_neg()?)?;
            }
            Expr::Mod(a, by) | Expr::Rem(a, by) if by.is_positive() => {
                self.remainder(a, i128::from(by.to_i64()?), factor)?;
            }
            other => {
                let known = self.terms.entry(format!("{other:?}")).or_default();
                *known = known.checked_add(factor)?;
            }
        }
        Some(())
    }

    fn remainder(&mut self, dividend: &Expr, by: i128, factor: i128) -> Option<()> {
        let (_, known) = self.remainders.entry((format!("{dividend:?}"), by)).or_insert((by, 0));
        *known = known.checked_add(factor)?;
        Some(())
    }
}
