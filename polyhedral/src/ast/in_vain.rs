//! Loops one after the other that would run in vain under one condition.
//!
//! ```c
//! for (i = 0; i <= 2; i += 1) for (j = 1; j < n; j += 1) A(i, j);      if (n >= 2) {
//! for (i = 3; i <= 7; i += 1) for (j = i; j < n; j += 1) B(i, j);  =>    ... the same three
//! for (i = 8; i <= 9; i += 1) for (j = 1; j < n; j += 1) C(i, j);      }
//! ```
//!
//! An outer loop whose inner loop enforces a condition on parameters runs for nothing where that does not hold, which costs about as much
//! as a test (see `nested`). Where loops are taken apart, as by unrolling, there are many of them, and one test is less than what they run.
//!
//! Invariant: what is executed stays the same. The condition follows from two bounds of a loop directly inside, neither of which an iterator
//! occurs in; the outer loop does nothing else.

use crate::arith::Int;

use super::cond::Cond;
use super::expr::Expr;
use super::node::{Ast, For};

/// So many loops are worth a test.
const WORTH_A_TEST: usize = 3;

/// The parts of a block, those that run in vain under a common condition together under that. `is_known` says what need not be tested.
pub(super) fn under_common_conditions<E>(
    parts: Vec<Ast>,
    mut is_known: impl FnMut(&Cond) -> Result<bool, E>,
) -> Result<Vec<Ast>, E> {
    if parts.len() < WORTH_A_TEST {
        return Ok(parts);
    }
    let mut result = Vec::with_capacity(parts.len());
    let mut run: Vec<Ast> = Vec::new();
    let mut common: Vec<Cond> = Vec::new();
    for part in parts {
        let mut own = Vec::new();
        for cond in needed_inside(&part) {
            if !is_known(&cond)? {
                own.push(cond);
            }
        }
        let shared: Vec<Cond> = common.iter().filter(|cond| own.contains(cond)).cloned().collect();
        if shared.is_empty() {
            close(&mut run, std::mem::replace(&mut common, own), &mut result);
        } else {
            common = shared;
        }
        run.push(part);
    }
    close(&mut run, common, &mut result);
    Ok(result)
}

/// Moves loops that belong together to the result.
fn close(run: &mut Vec<Ast>, common: Vec<Cond>, result: &mut Vec<Ast>) {
    match run.len() >= WORTH_A_TEST && !common.is_empty() {
        true => result.push(Ast::guarded(Cond::and(common), Ast::block(std::mem::take(run)))),
        false => result.append(run),
    }
}

/// The conditions on parameters without which a loop executes nothing, although it runs.
fn needed_inside(ast: &Ast) -> Vec<Cond> {
    let Ast::For(outer) = ast else { return Vec::new() };
    let Ast::For(For { lower, upper: Some(upper), .. }) = &*outer.body else { return Vec::new() };
    let lower = match lower {
        Expr::Max(args) => args.as_slice(),
        other => std::slice::from_ref(other),
    };
    let upper = match upper {
        Expr::Min(args) => args.as_slice(),
        other => std::slice::from_ref(other),
    };
    let pairs = upper.iter().flat_map(|high| lower.iter().map(move |low| (low, high)));
    pairs.filter_map(|(low, high)| at_most(low, high)).collect()
}

/// `low <= high` in one form, if no iterator occurs in it and it is not plain.
fn at_most(low: &Expr, high: &Expr) -> Option<Cond> {
    if low.contains_iter() || high.contains_iter() {
        return None;
    }
    let mut terms: Vec<(Int, Expr)> = Vec::new();
    let constant = high.linear_terms(&Int::one(), &mut terms) + low.linear_terms(&-Int::one(), &mut terms);
    let mut sum: Vec<(Int, Expr)> = Vec::with_capacity(terms.len());
    for (factor, term) in terms {
        match sum.iter_mut().find(|(_, known)| *known == term) {
            Some((known, _)) => *known += &factor,
            None => sum.push((factor, term)),
        }
    }
    sum.retain(|(factor, _)| !factor.is_zero());
    sum.sort_by(|(_, a), (_, b)| a.cmp(b));
    (!sum.is_empty()).then(|| Cond::Ge(Expr::sum(sum, constant)))
}
