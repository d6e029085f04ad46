//! Innermost loops that do what register tiles leave over.
//!
//! ```text
//! for i in blocks of 4: for j: { S(i, j); S(i+1, j); S(i+2, j); S(i+3, j) }
//! for the i behind them: for j: S(i, j)                                          left over
//! ```
//!
//! The compiler would make of each such loop what it makes of one that matters: several vectors side by side, a second loop in narrower
//! vectors, and copies of what is left. That is most of the code of a nest and of the time to compile it, for at most three of many rows.
//! One vector at a time is enough here.

use super::lanes::collect;
use std::collections::{HashMap, HashSet};
use tessera_polyhedral::ast::{Ast, IterId};

/// The innermost loops that have fewer copies of each of their statements than another innermost loop has.
pub(super) fn left_over(body: &Ast) -> HashSet<IterId> {
    let mut loops = Vec::new();
    innermost(body, &mut loops);
    let mut most: HashMap<&str, usize> = HashMap::new();
    for (statement, copies) in loops.iter().flat_map(|(_, counts)| counts) {
        let known = most.entry(statement).or_default();
        *known = (*known).max(*copies);
    }
    let is_less = |(statement, copies): (&&str, &usize)| most.get(statement).is_some_and(|most| copies < most);
    loops.iter().filter(|(_, counts)| counts.iter().all(is_less)).map(|(iter, _)| *iter).collect()
}

/// Adds the innermost loops below a node, with the numbers of copies of their statements; the answer is whether there is a loop.
fn innermost<'a>(ast: &'a Ast, loops: &mut Vec<(IterId, HashMap<&'a str, usize>)>) -> bool {
    let mut found = false;
    for part in ast.children() {
        found |= innermost(part, loops);
    }
    let Ast::For(node) = ast else { return found };
    if !found {
        let mut instances = Vec::new();
        collect(&node.body, &mut instances);
        let mut counts = HashMap::new();
        for (statement, _) in instances {
            *counts.entry(statement).or_default() += 1;
        }
        loops.push((node.iter, counts));
    }
    true
}
