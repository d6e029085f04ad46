//! Random schedule trees with random options over random domains: the AST, interpreted, executes exactly the instances
//! of the domain, each once, in an order that agrees with the tree. Domains are enumerated by brute force from the
//! numbers that made their text, and the order is that of `schedule::order`, so nothing of the generator is used to
//! judge it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstBuild, AstError, InterpretError, interpret};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::UnionSet;
use tessera_polyhedral::schedule::{Band, LoopType, Member, Node, ScheduleTree, order};
use tessera_polyhedral::space::Name;

use crate::random_trees::contexts::Context;
use crate::random_trees::{Random, case, set, switches};

/// The tree with random options for all bands.
fn decorated(seed: u64, tree: ScheduleTree) -> ScheduleTree {
    let mut random = Random(seed ^ 0xdec0);
    let mut tree = tree;
    let bands: Vec<(Vec<usize>, usize)> = tree.bands().iter().map(|(path, band)| (path.clone(), band.len())).collect();
    let budget = Budget::unlimited();
    for (path, len) in &bands {
        let outer: usize =
            bands.iter().filter(|(p, _)| p.len() < path.len() && path.starts_with(p)).map(|(_, n)| n).sum();
        let mut options = Vec::new();
        for member in 0..*len {
            for wrap in [false, true] {
                let word = *random.pick(&["", "", "separate", "atomic", "unroll"]);
                match wrap {
                    _ if word.is_empty() => {}
                    false => options.push(format!("{word}[{member}]")),
                    true => options.push(format!("[isolate[] -> {word}[{member}]]")),
                }
            }
        }
        if random.chance(60) {
            let names: Vec<String> = (0..outer + len).map(|k| format!("x{k}")).collect();
            let (before, own) = names.split_at(outer);
            let mut conditions = Vec::new();
            for (k, name) in names.iter().enumerate() {
                if k >= outer || random.chance(20) {
                    conditions.push(format!("{name} >= {}", random.range(-1, 3)));
                    let bound = *random.pick(&["3", "n - 2", "5", "2n - 3"]);
                    conditions.push(format!("{name} <= {bound}"));
                }
                if k > 0 && random.chance(20) {
                    conditions.push(format!("{name} {} {}", random.pick(&["<=", ">="]), names[k - 1]));
                }
            }
            let (before, own) = (before.join(", "), own.join(", "));
            options.push(format!("isolate[[{before}] -> [{own}]] : {}", conditions.join(" and ")));
        }
        if options.is_empty() {
            continue;
        }
        let text = format!("[n] -> {{ {} }}", options.join("; "));
        let options = UnionSet::parse(&text, &budget).unwrap_or_else(|e| panic!("{text}: {e}"));
        let Some(Node::Band(band, _)) = tree.node(path) else { panic!("no band") };
        let plain = band.members().iter().map(|m| m.clone().with_loop_type(LoopType::Default)).collect();
        let wanted = Band::new(plain).with_options(&options, &budget).unwrap_or_else(|e| panic!("{text}: {e}"));
        let change = |band: &mut Band, members: &mut [Member]| {
            band.isolate.clone_from(&wanted.isolate);
            members.clone_from_slice(wanted.members());
        };
        tree = tree.update_band(path, change).unwrap();
    }
    tree
}

/// The tree with a context node somewhere.
fn with_context(tree: &ScheduleTree, context: &Context, random: &mut Random) -> ScheduleTree {
    let paths: Vec<Vec<usize>> = tree.nodes().iter().map(|(path, _)| path.clone()).collect();
    let path = random.pick(&paths).clone();
    let cursor = tree.cursor_at(&path);
    // There is none above the domain and between a sequence and its filters.
    let changed = cursor.and_then(|cursor| cursor.insert_context(set(&context.text())).ok());
    changed.map_or_else(|| tree.clone(), |cursor| cursor.into_tree())
}

/// Checks one case. False if execution was given up: unrelated functions of several statements in one band can make
/// loops that run far more often than there are instances.
fn check(seed: u64) -> bool {
    let (stmts, mut tree) = case(seed);
    if !seed.is_multiple_of(3) {
        tree = decorated(seed, tree);
    }
    // The context and that of a node in the tree.
    let mut random = Random(seed ^ 0xc0);
    let mut context = |percent| {
        if random.chance(percent) { Context::random(&mut random, false) } else { Context::none() }
    };
    let contexts = [context(60), context(50)];
    if !seed.is_multiple_of(5) && seed.is_multiple_of(4) {
        tree = with_context(&tree, &contexts[1], &mut Random(seed ^ 0xc1));
    }
    let switches = switches(&mut Random(seed ^ 0x0971));
    let build = AstBuild::new().with_options(switches.clone()).with_context(set(&contexts[0].text()));
    let fail = |what: String| -> ! {
        let mut text = format!("seed {seed}: {what}\n{switches:?}\n{}\n{tree}", contexts[0].text());
        for stmt in &stmts {
            text += &format!("{} {}\n", stmt.name, stmt.set_text(&stmt.parts));
        }
        panic!("{text}");
    };
    let unit = match build.build(&tree, &Budget::new(200_000_000)) {
        Ok(unit) => unit,
        // A random loop need not have a constant number of values.
        Err(AstError::CannotUnroll { .. } | AstError::TooManyCopies { .. }) => return true,
        Err(error) => fail(error.to_string()),
    };
    let all = contexts[0].values(60).into_iter().filter(|values| contexts[1].holds(*values));
    let chosen: Vec<[i64; 2]> = all.collect();
    for [n, m] in chosen.iter().copied().step_by(chosen.len().div_ceil(3).max(1)) {
        let params: Vec<(Name, Int)> = vec![(Name::from("n"), Int::from(n)), (Name::from("m"), Int::from(m))];
        let of_param = |name: &Name| Int::from(if **name == *"m" { m } else { n });
        let values: Vec<Int> = unit.params.iter().map(of_param).collect();
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
