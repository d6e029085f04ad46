//! SCoPs made by chance, and what they compute.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstBuild, AstError, interpret};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::schedule::ScheduleTree;
use tessera_polyhedral::scop::Scop;

use super::random_trees::Random;
use super::random_trees::nests::{rolled, schedule};

fn budget() -> Budget {
    Budget::new(200_000_000)
}

/// An array, and the coefficients of the subscript `[constant, i, j]`.
pub(crate) type Access = (&'static str, [i64; 3]);

/// A SCoP made by chance, and how its statements touch memory.
pub(crate) struct Case {
    /// It as text.
    pub(crate) text: String,
    /// Name and accesses, the last one a write.
    pub(crate) statements: Vec<(String, Vec<Access>)>,
}

/// Draws a SCoP.
pub(crate) fn case(random: &mut Random) -> Case {
    let n_statements = random.range(1, 3);
    let mut statements = Vec::new();
    for s in 0..n_statements {
        let mut accesses = Vec::new();
        for _ in 0..random.range(2, 3) {
            let array = ["A", "B", "C"][random.range(0, 2) as usize];
            let subscript = [random.range(-1, 1), random.range(0, 1), random.range(-1, 1)];
            accesses.push((array, subscript));
        }
        statements.push((format!("S{s}"), accesses));
    }
    let mut text = String::from("scop: \"random\"\ncontext: \"[n] -> { : n >= 1 }\"\narrays:\n");
    for array in ["A", "B", "C"] {
        text += &format!("- {{ array: \"{array}\", element: i64, storage: memory }}\n");
    }
    text += "statements:\n";
    let mut domains = Vec::new();
    for (name, accesses) in &statements {
        let bound = ["0 <= j < n", "0 <= j <= i", "i <= j < n"][random.range(0, 2) as usize];
        domains.push(format!("{name}[i, j] : 0 <= i < n and {bound}"));
        text += &format!(
            "- statement: \"{name}\"\n  domain: \"[n] -> {{ {} }}\"\n  accesses:\n",
            domains[domains.len() - 1]
        );
        for (number, (array, [c, i, j])) in accesses.iter().enumerate() {
            let kind = if number + 1 == accesses.len() { "write" } else { "read" };
            text += &format!("  - {{ {kind}: \"{{ {name}[i, j] -> {array}[{c} + {i} i + {j} j] }}\" }}\n");
        }
    }
    let names: Vec<&str> = statements.iter().map(|(name, _)| name.as_str()).collect();
    let shared = if names.len() == 1 { 2 } else { random.range(0, 2) };
    text += &schedule(shared as usize, &names, &domains.join("; "));
    Case { text, statements }
}

/// The memory after the code of a tree has run: every write stores a number that depends on all that was read before.
pub(crate) fn execute(
    case: &Case,
    scop: &Scop,
    tree: &ScheduleTree,
    n: i64,
) -> (HashMap<(&'static str, i64), u64>, usize) {
    let build = AstBuild::new().with_context(scop.context.clone());
    let unit = match build.build(tree, &budget()) {
        // Steps after `jam` may have made the points of a block something that is no fixed number.
        Err(AstError::CannotUnroll { .. }) => build.build(&rolled(tree), &budget()).unwrap(),
        other => other.unwrap(),
    };
    let params: Vec<Int> = unit.params.iter().map(|_| Int::from(n)).collect();
    let mut memory = HashMap::new();
    let events = interpret(&unit, &params, &budget()).unwrap();
    for event in &events {
        let (_, accesses) = case.statements.iter().find(|(name, _)| **name == *event.stmt).unwrap();
        let point: Vec<i64> = event.point.iter().map(|x| x.to_i64().unwrap()).collect();
        let mut hasher = DefaultHasher::new();
        (&*event.stmt, &point).hash(&mut hasher);
        for (number, (array, [c, i, j])) in accesses.iter().enumerate() {
            let element = (*array, c + i * point[0] + j * point[1]);
            if number + 1 == accesses.len() {
                memory.insert(element, hasher.finish());
            } else {
                memory.get(&element).copied().unwrap_or(0).hash(&mut hasher);
            }
        }
    }
    (memory, events.len())
}
