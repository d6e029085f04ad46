//! The last step of generation: conditions next to each other are merged, and conditions that do not change in a loop are tested outside.

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
        Ast::For(node) => hoisted(For { body: Box::new(tidy(*node.body, once, options)), ..node }),
        Ast::Mark(name, body) => Ast::Mark(name, Box::new(tidy(*body, once, options))),
        Ast::If { cond, then, otherwise } => {
            let then = Box::new(unrepeated(&cond, tidy(*then, once, options)));
            let otherwise = otherwise.map(|node| Box::new(tidy(*node, once, options)));
            Ast::If { cond, then, otherwise }
        }
        user @ Ast::User { .. } => user,
    }
}

/// What stands under a condition, without what its own condition repeats of that one.
fn unrepeated(outer: &Cond, node: Ast) -> Ast {
    let (cond, then) = match node {
        Ast::If { cond, then, otherwise: None } => (cond, then),
        node => return node,
    };
    let parts = |cond: &Cond| if let Cond::And(parts) = cond { parts.clone() } else { vec![cond.clone()] };
    let known = parts(outer);
    let rest = parts(&cond).into_iter().filter(|part| !known.contains(part)).collect();
    Ast::guarded(Cond::and(rest), *then)
}

/// A loop without the conditions around its whole body that do not change in it: they stand around the loop. They come about where the
/// bounds of the loop are what makes them the only ones that are left of a condition on a quotient.
fn hoisted(node: For) -> Ast {
    let For { iter, body, .. } = node;
    let (cond, then) = match *body {
        Ast::If { cond, then, otherwise: None } => (cond, then),
        body => return Ast::For(For { body: Box::new(body), ..node }),
    };
    let parts = if let Cond::And(parts) = cond { parts } else { vec![cond] };
    let (inside, outside) = parts.into_iter().partition(|part| part.contains(&|other| other == iter));
    let body = Box::new(Ast::guarded(Cond::and(inside), *then));
    Ast::guarded(Cond::and(outside), Ast::For(For { body, ..node }))
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
