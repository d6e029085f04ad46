//! SCoPs made by chance.

use super::random_trees::Random;
use super::random_trees::nests::schedule;

/// Draws a SCoP, as text.
pub(crate) fn random_scop(random: &mut Random) -> String {
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
    text
}
