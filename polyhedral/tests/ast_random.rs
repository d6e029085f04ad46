//! Random schedule trees over random domains: the AST, interpreted, executes exactly the instances of the domain, each once, in an
//! order that agrees with the tree. Domains are enumerated by brute force from the numbers that made their text, and the
//! order is that of `schedule::order`, so nothing of the generator is used to judge it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstBuild, InterpretError, interpret};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::schedule::order;
use tessera_polyhedral::space::Name;

mod random_trees;
use random_trees::{case, set};

/// Checks one case. False if execution was given up: unrelated functions of several statements in one band can make
/// loops that run far more often than there are instances.
fn check(seed: u64) -> bool {
    let (stmts, tree) = case(seed);
    let with_context = seed.is_multiple_of(2);
    let mut build = AstBuild::new();
    if with_context {
        build = build.with_context(set("[n] -> { : n >= 2 }"));
    }
    let fail = |what: String| -> ! {
        let mut text = format!("seed {seed}: {what}\n{tree}");
        for stmt in &stmts {
            text += &format!("{} {}\n", stmt.name, stmt.set_text(&stmt.parts));
        }
        panic!("{text}");
    };
    let unit = match build.build(&tree, &Budget::new(200_000_000)) {
        Ok(unit) => unit,
        Err(error) => fail(error.to_string()),
    };
    for n in if with_context { [2, 3, 5] } else { [-1, 1, 4] } {
        let params: Vec<(Name, Int)> = vec![(Name::from("n"), Int::from(n))];
        let values: Vec<Int> = unit.params.iter().map(|_| Int::from(n)).collect();
        let events = match interpret(&unit, &values, &Budget::new(2_000_000)) {
            Ok(events) => events,
            Err(InterpretError::Exhausted(_)) => return false,
            Err(error) => fail(format!("{error}\n{unit}")),
        };
        let mut expected: BTreeMap<(String, Vec<Int>), usize> = BTreeMap::new();
        for stmt in &stmts {
            for point in stmt.points(n) {
                expected.insert((stmt.name.clone(), point.into_iter().map(Int::from).collect()), 0);
            }
        }
        for event in &events {
            match expected.get_mut(&(event.stmt.to_string(), event.point.clone())) {
                Some(0) => *expected.get_mut(&(event.stmt.to_string(), event.point.clone())).unwrap() = 1,
                Some(_) => fail(format!("n = {n}: {} {:?} twice\n{unit}", event.stmt, event.point)),
                None => fail(format!("n = {n}: {} {:?} is not in the domain\n{unit}", event.stmt, event.point)),
            }
        }
        if let Some(((name, point), _)) = expected.iter().find(|(_, count)| **count == 0) {
            fail(format!("n = {n}: {name} {point:?} is not executed\n{unit}"));
        }
        let budget = Budget::unlimited();
        for (index, a) in events.iter().enumerate() {
            // Neighbours always, and some pairs that are further apart: unordered instances need not be transitive.
            for b in events.iter().skip(index + 1).take(1).chain(events.iter().skip(index + 7).step_by(13)) {
                let decided = order(&tree, &params, (&a.stmt, &a.point), (&b.stmt, &b.point), &budget).unwrap();
                if decided == Some(Ordering::Greater) {
                    fail(format!("n = {n}: {} {:?} before {} {:?}\n{unit}", a.stmt, a.point, b.stmt, b.point));
                }
            }
        }
    }
    true
}

#[test]
fn random_trees_are_executed_exactly() {
    let first = std::env::var("FIRST").ok().and_then(|x| x.parse().ok()).unwrap_or(0u64);
    let count = std::env::var("COUNT").ok().and_then(|x| x.parse().ok()).unwrap_or(3000u64);
    let done = (first..first + count).filter(|&seed| check(seed)).count() as u64;
    assert!(100 * done >= 99 * count, "only {done} of {count} cases were executed to the end");
}
