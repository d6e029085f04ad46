//! Random schedule trees: the flat schedule and the legality check agree with the definition of the order,
//! `schedule::order`.

use std::cmp::Ordering;

use tessera_polyhedral::arith::Int;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Map;
use tessera_polyhedral::schedule::{TimeDim, order};
use tessera_polyhedral::space::Name;

use crate::random_trees::{Random, Stmt, case, constraint};

fn ints(point: &[i64]) -> Vec<Int> {
    point.iter().map(|&x| Int::from(x)).collect()
}

/// Instances with a value of the parameter: few enough to look at all pairs.
fn sample(random: &mut Random, stmts: &[Stmt], n: i64) -> Vec<(String, Vec<Int>)> {
    let mut all = Vec::new();
    for stmt in stmts {
        let mut points = stmt.points(n);
        while points.len() > 14 {
            let index = random.range(0, points.len() as i64 - 1) as usize;
            points.swap_remove(index);
        }
        all.extend(points.iter().map(|point| (stmt.name.clone(), ints(point))));
    }
    all
}

#[test]
fn flat_schedules_agree_with_the_order() {
    let budget = Budget::unlimited();
    for seed in 0..400 {
        let (stmts, tree) = case(seed);
        let flat = tree.flatten(&budget).unwrap();
        let mut random = Random(seed);
        let n = random.range(0, 4);
        let params = [(Name::from("n"), Int::from(n))];
        let mut instances = Vec::new();
        for (stmt, point) in sample(&mut random, &stmts, n) {
            let mut found = Vec::new();
            for entry in flat.iter().filter(|entry| *entry.stmt == *stmt) {
                let n_param = entry.domain.space().param_names().len();
                let args = |n_param| [vec![Int::from(n); n_param], point.clone()].concat();
                if entry.domain.contains(&args(n_param), &budget).unwrap() {
                    let value = |aff: &tessera_polyhedral::affine::Aff| {
                        aff.eval(&args(aff.space().param_names().len())).unwrap()
                    };
                    found.push((entry.time.iter().map(value).collect::<Vec<Int>>(), entry.dims.clone()));
                }
            }
            assert_eq!(found.len(), 1, "seed {seed}: {stmt} {point:?} is at {} leaves\n{tree}", found.len());
            let (time, dims) = found.remove(0);
            instances.push((stmt, point, time, dims));
        }
        for (stmt, point, time, dims) in &instances {
            for (other_stmt, other_point, other_time, _) in &instances {
                let decided = order(&tree, &params, (stmt, point), (other_stmt, other_point), &budget).unwrap();
                let differs = (0..time.len()).find(|&k| time[k] != other_time[k]);
                let expected = match differs {
                    None => None,
                    Some(k) if dims[k] == TimeDim::Unordered => None,
                    Some(k) => Some(time[k].cmp(&other_time[k])),
                };
                assert_eq!(decided, expected, "seed {seed}: {stmt} {point:?} and {other_stmt} {other_point:?}\n{tree}");
            }
        }
    }
}

#[test]
fn legality_agrees_with_the_order() {
    let budget = Budget::unlimited();
    let (mut legal, mut illegal) = (0, 0);
    for seed in 0..400 {
        let (stmts, tree) = case(seed);
        let mut random = Random(seed + 7);
        let (a, b) = (random.pick(&stmts).clone(), random.pick(&stmts).clone());
        // A dependence: some constraints on source and sink together, for small values of the parameter.
        let dims = a.n_dim + b.n_dim;
        let mut constraints: Vec<_> = (0..random.range(1, 3)).map(|_| constraint(&mut random, dims)).collect();
        for k in 0..a.n_dim.min(b.n_dim) {
            // Sink at a small distance.
            let mut distance = constraint(&mut random, dims);
            distance.dims = vec![0; dims];
            distance.dims[k] = -1;
            distance.dims[a.n_dim + k] = 1;
            distance.param = 0;
            distance.kind =
                if random.chance(70) { crate::random_trees::Kind::Eq } else { crate::random_trees::Kind::Ge };
            distance.constant = random.range(-2, 0);
            constraints.push(distance);
        }
        let names = |prefix: &str, n: usize| (0..n).map(|k| format!("{prefix}{k}")).collect::<Vec<_>>().join(", ");
        let sink: Vec<String> = (0..b.n_dim).map(|k| format!("i{}", a.n_dim + k)).collect();
        let text: Vec<String> = constraints.iter().map(|c| c.text()).collect();
        let text = format!(
            "[n] -> {{ {}[{}] -> {}[{}] : 0 <= n <= 3 and {} }}",
            a.name,
            names("i", a.n_dim),
            b.name,
            sink.join(", "),
            text.join(" and ")
        );
        let dep: Map = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
        let mut expected = true;
        for n in 0..=3 {
            let params = [(Name::from("n"), Int::from(n))];
            for x in a.points(n) {
                for y in b.points(n) {
                    let both: Vec<i64> = x.iter().chain(&y).copied().collect();
                    if expected && constraints.iter().all(|c| c.holds(n, &both)) {
                        let decided =
                            order(&tree, &params, (&a.name, &ints(&x)), (&b.name, &ints(&y)), &budget).unwrap();
                        expected = decided == Some(Ordering::Less);
                    }
                }
            }
        }
        let found = tree.is_legal(&[dep], &budget).unwrap();
        assert_eq!(found, expected, "seed {seed}: {text}\n{tree}");
        if found { legal += 1 } else { illegal += 1 }
    }
    assert!(legal > 50 && illegal > 50, "{legal} legal and {illegal} illegal cases");
}
