//! Parts of a loop that are about different iterations of it, in loops of their own.
//!
//! The compiler takes a condition out of a loop by copying it: of
//!
//! ```text
//! for i < m: for j < n: { s = 0; for k = i + 1 to m - 1: s += A[i][k] * B[k][j]; B[i][j] = s }
//! ```
//!
//! where the loop over `k` runs only if `i + 1 < m`, comes
//!
//! ```text
//! for i < m: if (i == m - 1) for j: ... else for j: ...
//! ```
//!
//! As one loop over `i` with two parts that is no nest that anything could be done to. It is the same as two loops, one after the other:
//! `for i < m - 1: for j: ...`, then the one with `i = m - 1`.
//!
//! Invariant: the order in which instances execute does not change. A part that is about one value of the counter leaves the loop if all
//! others are about smaller values, or all about greater ones, exactly.

use crate::model::scop::{Order, Statement, statements_of};
use crate::model::sets::library_error;
use crate::reasons::Reason;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Comparison;
use tessera_polyhedral::space::DimKind;

/// The same order with such parts in loops of their own.
pub(super) fn separated(
    order: Vec<Order>,
    statements: &[Statement],
    depth: usize,
    budget: &Budget,
) -> Result<Vec<Order>, Reason> {
    let mut result = Vec::new();
    for node in order {
        let Order::Loop { index, body } = node else {
            result.push(node);
            continue;
        };
        let (single, others): (Vec<Order>, Vec<Order>) =
            body.iter().cloned().partition(|part| is_about_one_iteration(part, statements, depth));
        let come_first = |first: &[Order], second: &[Order]| are_ordered(first, second, statements, depth, budget);
        let parts = if single.is_empty() || others.is_empty() {
            vec![body]
        } else if come_first(&others, &single)? {
            vec![others, single]
        } else if come_first(&single, &others)? {
            vec![single, others]
        } else {
            vec![body]
        };
        for body in parts {
            result.push(Order::Loop { index, body: separated(body, statements, depth + 1, budget)? });
        }
    }
    Ok(result)
}

/// Whether parameters and the loops around say which iteration of the loop at a depth all statements of a part are about.
fn is_about_one_iteration(part: &Order, statements: &[Statement], depth: usize) -> bool {
    let is_fixed = |s: usize| statements[s].domain.plainly_follows(DimKind::Out, depth).unwrap_or(false);
    statements_of(std::slice::from_ref(part)).into_iter().all(is_fixed)
}

/// Whether every iteration that one of the first parts is about comes before all that the second ones are about, in the same iteration of the
/// loops around.
fn are_ordered(
    first: &[Order],
    second: &[Order],
    statements: &[Statement],
    depth: usize,
    budget: &Budget,
) -> Result<bool, Reason> {
    for early in statements_of(first) {
        for late in statements_of(second) {
            let (early, late) = (&statements[early].domain, &statements[late].domain);
            let mut pairs = early.product_map(late, budget).map_err(library_error)?;
            for dim in 0..depth {
                pairs = pairs.equate(dim, dim).map_err(library_error)?;
            }
            let back = pairs.compare_dims(DimKind::In, depth, Comparison::Ge, DimKind::Out, depth);
            if !back.map_err(library_error)?.is_empty(budget).map_err(library_error)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
