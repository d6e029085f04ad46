//! Whether a schedule interrupts the life of a value: examples, and random trees against all triples of instances.

use std::cmp::Ordering;

use tessera_polyhedral::affine::Aff;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Map, Set};
use tessera_polyhedral::schedule::{Band, Instances, Lives, Member, Node, ScheduleTree, order};

fn map(text: &str) -> Map {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn instances(text: &str) -> Instances {
    Instances::from_sets(text.split('|').map(|set| set.parse::<Set>().unwrap())).unwrap()
}

fn band(members: &[String]) -> Band {
    let member = |text: &String| Member::new(text.split('|').map(|t| t.parse::<Aff>().unwrap())).unwrap();
    Band::new(members.iter().map(member).collect())
}

/// `W[i, j]; R[i, j]` in the given loops.
fn cell(loops: &[&str]) -> ScheduleTree {
    let domain = "[n] -> { W[i, j] : 0 <= i, j < n }|[n] -> { R[i, j] : 0 <= i, j < n }";
    let body = Node::sequence(vec![
        Node::filter(instances("{ W[i, j] }"), Node::leaf()),
        Node::filter(instances("{ R[i, j] }"), Node::leaf()),
    ]);
    let members: Vec<String> =
        loops.iter().map(|l| format!("{{ W[i, j] -> [({l})] }}|{{ R[i, j] -> [({l})] }}")).collect();
    ScheduleTree::new(instances(domain), Node::band(band(&members), body))
}

fn is_interrupted(tree: &ScheduleTree, flow: &str, writes: &[&str]) -> bool {
    let lives = Lives { flow: map(flow), writes: writes.iter().map(|text| map(text)).collect() };
    tree.first_interruption(&[lives], &Budget::unlimited()).unwrap().is_some()
}

const OTHERS: &str = "[n] -> { W[i, j] -> W[x, y] : x < i; W[i, j] -> W[x, y] : x > i; W[i, j] -> W[i, y] : y != j }";

/// One cell for all iterations: any order of the iterations will do, but each must be one.
#[test]
fn values_of_one_iteration() {
    let own = "[n] -> { W[i, j] -> R[i, j] : 0 <= i, j < n }";
    for loops in [&["i", "j"], &["j", "i"], &["-j", "i"], &["i + j", "j"]] {
        assert!(!is_interrupted(&cell(loops), own, &[OTHERS]), "{loops:?}");
    }
    for loops in [["i", "i"], ["i + j", "i + j"], ["floor(i/2)", "j"]] {
        assert!(is_interrupted(&cell(&loops), own, &[OTHERS]), "{loops:?}");
    }
    let tiled = ["floor(i/4)", "floor(j/4)", "j", "i"];
    assert!(!is_interrupted(&cell(&tiled), own, &[OTHERS]));
}

/// The value is that of the row before.
#[test]
fn values_of_another_iteration() {
    let before = "[n] -> { W[i, j] -> R[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }";
    assert!(is_interrupted(&cell(&["i", "j"]), before, &[OTHERS]));
    let same_row = "[n] -> { W[i, j] -> W[i, y] : y < j; W[i, j] -> W[i, y] : y > j + 1 }";
    assert!(!is_interrupted(&cell(&["i", "j"]), before, &[same_row]));
    // All readers come before their writers: that is a matter of dependences.
    assert!(!is_interrupted(&cell(&["i", "-j"]), before, &[same_row]));
    let same_column = "[n] -> { W[i, j] -> W[x, j] : x != i }";
    assert!(is_interrupted(&cell(&["j", "i"]), before, &[same_column]));
    assert!(!is_interrupted(&cell(&["i", "j"]), before, &[same_column]));
}

/// The reader may overwrite what it reads; another instance at the same time may not.
#[test]
fn the_reader_overwrites() {
    let own = "[n] -> { W[i, j] -> R[i, j] : 0 <= i, j < n }";
    assert!(!is_interrupted(&cell(&["i", "j"]), own, &["{ W[i, j] -> R[i, j] }"]));
    assert!(!is_interrupted(&cell(&["i"]), own, &["{ W[i, j] -> R[i, j] }"]));
    assert!(is_interrupted(&cell(&["i"]), own, &["{ W[i, j] -> R[i, y] }"]));
}

/// Whether a pair of instances belongs to a relation.
type Holds = fn(&[i64], &[i64]) -> bool;

const FLOWS: [(&str, Holds); 3] = [
    ("x = i and y = j", |a, b| b[0] == a[0] && b[1] == a[1]),
    ("x = i and y = j + 1", |a, b| b[0] == a[0] && b[1] == a[1] + 1),
    ("x = j and y >= i", |a, b| b[0] == a[1] && b[1] >= a[0]),
];

const WRITES: [(&str, Holds); 4] = [
    ("x > i", |a, b| b[0] > a[0]),
    ("x < i and y = j", |a, b| b[0] < a[0] && b[1] == a[1]),
    ("x = i and y > j", |a, b| b[0] == a[0] && b[1] > a[1]),
    ("x + y < i + j", |a, b| b[0] + b[1] < a[0] + a[1]),
];

const TIMES: [&str; 9] = ["i", "j", "i", "j", "i + j", "-i", "floor(i/2)", "floor((i + j)/2)", "0"];

struct Random(u64);

impl Random {
    fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        &items[(self.0 >> 33) as usize % items.len()]
    }

    fn tree(&mut self) -> ScheduleTree {
        let domain: Vec<String> =
            ["W", "R", "V"].iter().map(|s| format!("{{ {s}[i, j] : 0 <= i <= 2 and 0 <= j <= 2 }}")).collect();
        let mut band = |statements: &[&str], depth: usize| {
            let members: Vec<String> = (0..depth)
                .map(|_| {
                    let together = *self.pick(&TIMES);
                    let time = |s: &&str| {
                        let own = if *self.pick(&[true, true, true, false]) { together } else { *self.pick(&TIMES) };
                        format!("{{ {s}[i, j] -> [({own})] }}")
                    };
                    statements.iter().map(time).collect::<Vec<_>>().join("|")
                })
                .collect();
            self::band(&members)
        };
        let outer = band(&["W", "R", "V"], 2);
        let inner = ["W", "R", "V"].map(|statement| band(&[statement], 2));
        let mut order: Vec<usize> = vec![0, 1, 2];
        for at in 0..2 {
            let other = *self.pick(&[at, 2]);
            order.swap(at, other);
        }
        let names = ["W", "R", "V"];
        let filter = |at: &usize| {
            let text = format!("{{ {}[i, j] }}", names[*at]);
            Node::filter(instances(&text), Node::band(inner[*at].clone(), Node::leaf()))
        };
        let filters = order.iter().map(filter).collect();
        let body = if *self.pick(&[true, true, false]) { Node::sequence(filters) } else { Node::set(filters) };
        ScheduleTree::new(instances(&domain.join("|")), Node::band(outer, body))
    }
}

#[test]
fn random_trees() {
    let budget = Budget::unlimited();
    let points: Vec<[i64; 2]> = (0..9).map(|k| [k / 3, k % 3]).collect();
    let mut random = Random(1);
    let mut counts = [0, 0];
    for _ in 0..400 {
        let tree = random.tree();
        let (flow, flows) = *random.pick(&FLOWS);
        let (write, writes) = *random.pick(&WRITES);
        let other = *random.pick(&["V", "W", "R"]);
        let lives = Lives {
            flow: map(&format!("{{ W[i, j] -> R[x, y] : {flow} }}")),
            writes: vec![map(&format!("{{ W[i, j] -> {other}[x, y] : {write} }}"))],
        };
        let compare = |a: (&str, [i64; 2]), b: (&str, [i64; 2])| {
            let (x, y) = (a.1.map(Int::from), b.1.map(Int::from));
            order(&tree, &[], (a.0, &x), (b.0, &y), &budget).unwrap()
        };
        let mut expected = false;
        for w in &points {
            for r in points.iter().filter(|r| flows(w, *r)) {
                for x in points.iter().filter(|x| writes(w, *x) && (other != "R" || x != &r)) {
                    expected |= compare((other, *x), ("W", *w)) != Some(Ordering::Less)
                        && compare((other, *x), ("R", *r)) != Some(Ordering::Greater);
                }
            }
        }
        let found = tree.first_interruption(&[lives], &budget).unwrap().is_some();
        assert_eq!(found, expected, "{tree}\nW -> R: {flow}\nW -> {other}: {write}");
        counts[usize::from(found)] += 1;
    }
    assert!(counts.iter().all(|count| *count > 40), "{counts:?}");
}
