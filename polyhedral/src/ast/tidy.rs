//! The last step of generation: conditions next to each other are merged.

use super::expr::Cond;
use super::node::{Ast, For};

/// Merges adjacent conditions with equal tests, and adjacent executions of the same instance under different conditions (of
/// which at most one holds if an instance is executed only `once`).
pub(super) fn tidy(ast: Ast, once: bool) -> Ast {
    match ast {
        Ast::Block(parts) => {
            let mut merged: Vec<Ast> = Vec::with_capacity(parts.len());
            for part in parts.into_iter().map(|part| tidy(part, once)) {
                let Some(last) = merged.pop() else {
                    merged.push(part);
                    continue;
                };
                merged.extend(merge(last, part, once));
            }
            Ast::block(merged)
        }
        Ast::For(node) => Ast::For(For { body: Box::new(tidy(*node.body, once)), ..node }),
        Ast::Mark(name, body) => Ast::Mark(name, Box::new(tidy(*body, once))),
        Ast::If { cond, then, otherwise } => Ast::If {
            cond,
            then: Box::new(tidy(*then, once)),
            otherwise: otherwise.map(|node| Box::new(tidy(*node, once))),
        },
        user @ Ast::User { .. } => user,
    }
}

/// One or two nodes with the meaning of the two given ones.
fn merge(first: Ast, second: Ast, once: bool) -> Vec<Ast> {
    match (first, second) {
        (Ast::If { cond: a, then: x, otherwise: None }, Ast::If { cond: b, then: y, otherwise: None }) => {
            if a == b {
                vec![Ast::If { cond: a, then: Box::new(tidy(Ast::block(vec![*x, *y]), once)), otherwise: None }]
            } else if once && x == y && matches!(*x, Ast::User { .. }) {
                vec![Ast::If { cond: Cond::or(vec![a, b]), then: x, otherwise: None }]
            } else if a.is_negation_of(&b) {
                vec![Ast::If { cond: a, then: x, otherwise: Some(y) }]
            } else {
                vec![Ast::If { cond: a, then: x, otherwise: None }, Ast::If { cond: b, then: y, otherwise: None }]
            }
        }
        (first, second) => vec![first, second],
    }
}
