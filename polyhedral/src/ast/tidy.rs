//! The last step of generation: conditions next to each other are merged.

use super::cond::Cond;
use super::node::{Ast, For};
use super::options::AstOptions;

/// Merges adjacent conditions with equal tests, and adjacent executions of the same instance under different conditions (of
/// which at most one holds if an instance is executed only `once`).
pub(super) fn tidy(ast: Ast, once: bool, options: &AstOptions) -> Ast {
    match ast {
        Ast::Block(parts) => {
            let mut merged: Vec<Ast> = Vec::with_capacity(parts.len());
            for part in parts.into_iter().map(|part| tidy(part, once, options)) {
                let Some(last) = merged.pop() else {
                    merged.push(part);
                    continue;
                };
                merged.extend(merge(last, part, once, options));
            }
            Ast::block(merged)
        }
        Ast::For(node) => Ast::For(For { body: Box::new(tidy(*node.body, once, options)), ..node }),
        Ast::Mark(name, body) => Ast::Mark(name, Box::new(tidy(*body, once, options))),
        Ast::If { cond, then, otherwise } => Ast::If {
            cond,
            then: Box::new(tidy(*then, once, options)),
            otherwise: otherwise.map(|node| Box::new(tidy(*node, once, options))),
        },
        user @ Ast::User { .. } => user,
    }
}

/// One or two nodes with the meaning of the two given ones.
fn merge(first: Ast, second: Ast, once: bool, options: &AstOptions) -> Vec<Ast> {
    match (first, second) {
        (Ast::If { cond: a, then: x, otherwise: None }, Ast::If { cond: b, then: y, otherwise: None }) => {
            if a == b {
                vec![Ast::If {
                    cond: a,
                    then: Box::new(tidy(Ast::block(vec![*x, *y]), once, options)),
                    otherwise: None,
                }]
            } else if once && options.allow_or && x == y && matches!(*x, Ast::User { .. }) {
                vec![Ast::If { cond: Cond::or(vec![a, b]), then: x, otherwise: None }]
            } else if options.allow_else && a.is_negation_of(&b) {
                vec![Ast::If { cond: a, then: x, otherwise: Some(y) }]
            } else {
                vec![Ast::If { cond: a, then: x, otherwise: None }, Ast::If { cond: b, then: y, otherwise: None }]
            }
        }
        (first, second) => vec![first, second],
    }
}
