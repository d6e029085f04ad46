//! Dependence analysis against the definition: random programs with must-, may- and kill accesses, judged by looking at all pairs
//! of instances for small parameter values.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::random_trees::Random;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::{AccessInfo, AccessOrder};
use tessera_polyhedral::relation::UnionMap;
use tessera_polyhedral::schedule::{ScheduleTree, order};
use tessera_polyhedral::space::DimKind;

fn budget() -> Budget {
    Budget::new(2_000_000_000)
}

/// `(constant + coefficients . dims)`, then nothing, `floor(/2)` or `mod 2`.
#[derive(Clone, Debug)]
struct Expr {
    constant: i64,
    dims: Vec<i64>,
    kind: i64,
}

impl Expr {
    fn random(random: &mut Random, n_dim: usize) -> Expr {
        let dims = (0..n_dim).map(|_| *random.pick(&[0, 0, 1, 1, 1, -1, 2])).collect();
        Expr { constant: random.range(-1, 1), dims, kind: *random.pick(&[0, 0, 0, 0, 0, 1, 2]) }
    }

    fn plain(constant: i64, dims: Vec<i64>) -> Expr {
        Expr { constant, dims, kind: 0 }
    }

    fn value(&self, point: &[i64]) -> i64 {
        let value = self.constant + self.dims.iter().zip(point).map(|(c, x)| c * x).sum::<i64>();
        match self.kind {
            0 => value,
            1 => value.div_euclid(2),
            _ => value.rem_euclid(2),
        }
    }

    fn text(&self) -> String {
        let mut text = self.constant.to_string();
        for (c, name) in self.dims.iter().zip(NAMES) {
            text += &format!(" + {c}{name}").replace("+ -", "- ");
        }
        match self.kind {
            0 => text,
            1 => format!("floor(({text})/2)"),
            _ => format!("(({text}) mod 2)"),
        }
    }
}

const NAMES: [&str; 2] = ["i", "j"];

#[derive(Clone, Debug)]
struct Stmt {
    name: String,
    n_dim: usize,
    triangular: bool,
    time: Vec<Expr>,
}

impl Stmt {
    fn tuple(&self) -> String {
        format!("{}[{}]", self.name, NAMES[..self.n_dim].join(", "))
    }

    fn condition(&self) -> String {
        let mut text = "0 <= n".to_owned();
        for name in &NAMES[..self.n_dim] {
            text += &format!(" and 0 <= {name} < n");
        }
        if self.triangular {
            text += " and j <= i";
        }
        text
    }

    fn points(&self, n: i64) -> Vec<Vec<i64>> {
        let mut points = vec![Vec::new()];
        for _ in 0..self.n_dim {
            points = points.into_iter().flat_map(|p: Vec<i64>| (0..n).map(move |x| [&p[..], &[x]].concat())).collect();
        }
        points.retain(|p| !self.triangular || p[1] <= p[0]);
        points
    }
}

/// Sink, must, may, kill.
const ROLES: usize = 4;

#[derive(Clone, Debug)]
struct Access {
    stmt: usize,
    role: usize,
    array: &'static str,
    subscripts: Vec<Expr>,
    /// How many elements more than one in the first subscript.
    width: i64,
}

impl Access {
    fn random(random: &mut Random, stmts: &[Stmt], role: usize) -> Access {
        let stmt = random.range(0, stmts.len() as i64 - 1) as usize;
        let (array, n) = *random.pick(&[("A", 1), ("A", 1), ("B", 2), ("t", 0)]);
        let subscripts = (0..n).map(|_| Expr::random(random, stmts[stmt].n_dim)).collect();
        let width = if random.chance(15) { 1 } else { 0 };
        Access { stmt, role, array, subscripts, width }
    }

    fn text(&self, stmts: &[Stmt]) -> String {
        let stmt = &stmts[self.stmt];
        let names: Vec<String> = (0..self.subscripts.len()).map(|k| format!("a{k}")).collect();
        let mut condition = stmt.condition();
        for (k, (name, subscript)) in names.iter().zip(&self.subscripts).enumerate() {
            let text = subscript.text();
            condition += &match (k, self.width) {
                (0, 1) => format!(" and {text} <= {name} <= {text} + 1"),
                _ => format!(" and {name} = {text}"),
            };
        }
        format!("{} -> {}[{}] : {condition}", stmt.tuple(), self.array, names.join(", "))
    }

    fn elements(&self, point: &[i64]) -> Vec<Vec<i64>> {
        let mut first: Vec<i64> = self.subscripts.iter().map(|s| s.value(point)).collect();
        let mut result = vec![first.clone()];
        if self.width == 1 && !first.is_empty() {
            first[0] += 1;
            result.push(first);
        }
        result
    }
}

type Instance = (usize, Vec<i64>);
type Element = (&'static str, Vec<i64>);
type Text = BTreeSet<String>;

fn show(stmts: &[Stmt], (stmt, point): &Instance) -> String {
    format!("{}{point:?}", stmts[*stmt].name)
}

/// Everything that touches something, for one value of the parameter.
struct Trace<'p> {
    stmts: &'p [Stmt],
    touches: [BTreeSet<(Instance, Element)>; ROLES],
}

impl<'p> Trace<'p> {
    fn new(stmts: &'p [Stmt], accesses: &[Access], n: i64) -> Trace<'p> {
        let mut touches: [BTreeSet<(Instance, Element)>; ROLES] = Default::default();
        for access in accesses {
            for point in stmts[access.stmt].points(n) {
                for element in access.elements(&point) {
                    touches[access.role].insert(((access.stmt, point.clone()), (access.array, element)));
                }
            }
        }
        // A certain access is not also a possible one.
        let must = touches[1].clone();
        touches[2].retain(|t| !must.contains(t));
        touches[3].retain(|t| !must.contains(t));
        Trace { stmts, touches }
    }

    /// May- and must-dependences, sinks without kill, sinks without anything.
    fn judge(&self, before: &dyn Fn(&Instance, &Instance) -> bool) -> [Text; 4] {
        let mut result: [Text; 4] = Default::default();
        for (k, a) in &self.touches[0] {
            let earlier = |role: usize| -> Vec<&Instance> {
                self.touches[role].iter().filter(|(i, e)| e == a && before(i, k)).map(|(i, _)| i).collect()
            };
            let (must, may, kill) = (earlier(1), earlier(2), earlier(3));
            let sink = format!("{} {}{:?}", show(self.stmts, k), a.0, a.1);
            if must.is_empty() && kill.is_empty() {
                result[2].insert(sink.clone());
                if may.is_empty() {
                    result[3].insert(sink.clone());
                }
            }
            for i in must.iter().chain(&may) {
                if must.iter().chain(&kill).any(|j| before(i, j)) {
                    continue;
                }
                let text = format!("{} {sink}", show(self.stmts, i));
                let later = must.iter().chain(&may).chain(&kill).filter(|x| *x != i && !before(x, i)).count();
                // An instance may be in two roles for one element, and then counts twice.
                let twice = may.iter().chain(&kill).any(|x| x == i);
                if must.contains(i) && later == 0 && !twice {
                    result[1].insert(text.clone());
                }
                result[0].insert(text);
            }
        }
        result
    }
}

/// The tuples of a relation between wrapped and plain tuples for one value of `n`, as text.
fn tuples(map: &UnionMap, shape: &dyn Fn(&[String], &[Int]) -> String, n: i64) -> Text {
    let mut result = Text::new();
    for member in map.members() {
        let mut set = member.wrap();
        if let Some(pos) = set.space().param_index("n") {
            set = set.fix(DimKind::Param, pos, &n.into()).unwrap();
        }
        let text = set.space().to_string();
        let names: Vec<String> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|w| "S0 S1 S2 A B t".split(' ').any(|x| x == *w))
            .map(str::to_owned)
            .collect();
        let n_param = set.space().param_names().len();
        for point in set.points(&budget()).unwrap() {
            result.insert(shape(&names, &point[n_param..]));
        }
    }
    result
}

fn check(
    stmts: &[Stmt],
    accesses: &[Access],
    order: AccessOrder,
    before: &dyn Fn(i64, &Instance, &Instance) -> bool,
    what: &str,
) {
    let union = |role: usize| {
        let texts: Vec<String> = accesses.iter().filter(|a| a.role == role).map(|a| a.text(stmts)).collect();
        let text = format!("[n] -> {{ {} }}", texts.join("; "));
        UnionMap::parse(&text, &budget()).unwrap_or_else(|e| panic!("{e:#}"))
    };
    let info = AccessInfo { sink: union(0), must_source: union(1), may_source: union(2), kill: union(3), order };
    let flow = info.compute_flow(&budget()).unwrap_or_else(|e| panic!("{what}: {e}\n{info}"));
    let width = |name: &str| match name {
        "A" => 1,
        "B" => 2,
        "t" => 0,
        _ => stmts.iter().find(|s| s.name == name).map_or(0, |s| s.n_dim),
    };
    let shape = |names: &[String], point: &[Int]| {
        let mut rest = point;
        let mut parts = Vec::new();
        for name in names {
            let (now, later) = rest.split_at(width(name));
            rest = later;
            parts.push(format!("{name}{now:?}"));
        }
        parts.join(" ")
    };
    for n in 0..=3 {
        let trace = Trace::new(stmts, accesses, n);
        let expected = trace.judge(&|a, b| before(n, a, b));
        let found = [
            tuples(flow.full_may_dependence(), &shape, n),
            tuples(flow.full_must_dependence(), &shape, n),
            tuples(flow.may_no_source(), &shape, n),
            tuples(&flow.must_no_source(&budget()).unwrap(), &shape, n),
        ];
        for (k, name) in ["may", "must", "may no source", "must no source"].iter().enumerate() {
            let extra: Vec<_> = found[k].difference(&expected[k]).collect();
            let lost: Vec<_> = expected[k].difference(&found[k]).collect();
            assert!(
                extra.is_empty() && lost.is_empty(),
                "{what}: {name} for n = {n}\n{info}\n{}\ntoo many: {extra:?}\nlost: {lost:?}",
                flow.info(&budget()).unwrap()
            );
        }
    }
}

fn accesses(random: &mut Random, stmts: &[Stmt]) -> Vec<Access> {
    let roles: &[usize] = match random.range(0, 5) {
        0 => &[0, 1],
        1 => &[0, 2],
        2 => &[0, 1, 3],
        _ => &[0, 1, 2, 3],
    };
    let mut result = Vec::new();
    for &role in roles {
        for _ in 0..random.range(1, 2 + i64::from(role == 1)) {
            result.push(Access::random(random, stmts, role));
        }
    }
    result
}

/// A time vector: loops with constants between them, sometimes skewed, tiled, or with a loop missing.
fn time(random: &mut Random, n_dim: usize) -> Vec<Expr> {
    let unit = |k: usize| (0..n_dim).map(|d| i64::from(d == k)).collect::<Vec<_>>();
    let mut loops: Vec<Expr> = (0..n_dim).map(|k| Expr::plain(0, unit(k))).collect();
    if n_dim == 2 && random.chance(30) {
        loops.swap(0, 1);
    }
    for expr in &mut loops {
        match random.range(0, 9) {
            0 => expr.dims = vec![1; n_dim],
            1 => expr.kind = 1,
            2 => expr.dims.iter_mut().for_each(|c| *c = -*c),
            3 => expr.dims = vec![0; n_dim],
            _ => {}
        }
    }
    let mut time = Vec::new();
    for k in 0..2 {
        time.push(Expr::plain(random.range(0, 1), vec![0; n_dim]));
        time.push(loops.get(k).cloned().unwrap_or_else(|| Expr::plain(0, vec![0; n_dim])));
    }
    time.push(Expr::plain(random.range(0, 2), vec![0; n_dim]));
    time
}

fn case(seed: u64) {
    let mut random = Random(seed);
    let stmts: Vec<Stmt> = (0..random.range(1, 3))
        .map(|k| {
            let n_dim = *random.pick(&[0, 1, 1, 2]);
            let triangular = n_dim == 2 && random.chance(40);
            Stmt { name: format!("S{k}"), n_dim, triangular, time: time(&mut random, n_dim) }
        })
        .collect();
    let accesses = accesses(&mut random, &stmts);
    let maps: Vec<String> = stmts
        .iter()
        .map(|s| format!("{} -> [{}]", s.tuple(), s.time.iter().map(Expr::text).collect::<Vec<_>>().join(", ")))
        .collect();
    let schedule = UnionMap::parse(&format!("{{ {} }}", maps.join("; ")), &budget()).unwrap();
    let at = |(s, p): &Instance| stmts[*s].time.iter().map(|e| e.value(p)).collect::<Vec<_>>();
    let before = |_: i64, a: &Instance, b: &Instance| at(a) < at(b);
    check(&stmts, &accesses, AccessOrder::Map(schedule), &before, &format!("seed {seed}"));
}

/// A random tree with sequences, sets and bands over all statements.
fn subtree(random: &mut Random, stmts: &[&Stmt], depth: i64) -> String {
    if depth == 0 {
        return "leaf".into();
    }
    if stmts.len() > 1 && random.chance(50) {
        let kind = if random.chance(60) { "sequence" } else { "set" };
        let at = random.range(1, stmts.len() as i64 - 1) as usize;
        let child = |random: &mut Random, part: &[&Stmt]| {
            let tuples: Vec<String> = part.iter().map(|s| s.tuple()).collect();
            let below = subtree(random, part, depth - 1);
            format!("{{ filter: \"{{ {} }}\", child: {below} }}", tuples.join("; "))
        };
        let (first, second) = (child(random, &stmts[..at]), child(random, &stmts[at..]));
        let (first, second) = if random.chance(30) { (second, first) } else { (first, second) };
        return format!("{{ {kind}: [ {first}, {second} ] }}");
    }
    let members: Vec<String> = stmts
        .iter()
        .map(|s| {
            let k = random.range(0, s.n_dim.max(1) as i64 - 1) as usize;
            let dims = (0..s.n_dim).map(|d| i64::from(d == k)).collect();
            let mut expr = Expr::plain(random.range(0, 1), dims);
            expr.kind = *random.pick(&[0, 0, 0, 1]);
            format!("{} -> [({})]", s.tuple(), expr.text())
        })
        .collect();
    format!("{{ schedule: \"[{{ {} }}]\", child: {} }}", members.join("; "), subtree(random, stmts, depth - 1))
}

fn tree_case(seed: u64) {
    let mut random = Random(seed);
    let stmts: Vec<Stmt> = (0..random.range(1, 3))
        .map(|k| Stmt { name: format!("S{k}"), n_dim: *random.pick(&[1, 1, 2]), triangular: false, time: Vec::new() })
        .collect();
    let accesses = accesses(&mut random, &stmts);
    let refs: Vec<&Stmt> = stmts.iter().collect();
    let below = subtree(&mut random, &refs, 4);
    let domains: Vec<String> = stmts.iter().map(|s| format!("{} : {}", s.tuple(), s.condition())).collect();
    let text = format!("{{ domain: \"[n] -> {{ {} }}\", child: {below} }}", domains.join("; "));
    let tree = ScheduleTree::from_yaml(&text, &budget()).unwrap_or_else(|e| panic!("{e:#}\n{text}"));
    let ints = |p: &[i64]| p.iter().map(|&x| Int::from(x)).collect::<Vec<_>>();
    let before = |n: i64, a: &Instance, b: &Instance| {
        let (p, q) = (ints(&a.1), ints(&b.1));
        let found = order(
            &tree,
            &[("n".into(), n.into())],
            (&stmts[a.0].name, &p),
            (&stmts[b.0].name, &q),
            &Budget::new(10_000_000),
        );
        found.unwrap() == Some(Ordering::Less)
    };
    check(&stmts, &accesses, AccessOrder::Tree(tree.clone()), &before, &format!("tree seed {seed}"));
}

#[test]
fn random_programs_with_schedule_maps() {
    let cases = std::env::var("FLOW_CASES").ok().and_then(|x| x.parse().ok()).unwrap_or(150);
    for seed in 0..cases {
        case(seed);
    }
}

#[test]
fn random_programs_with_schedule_trees() {
    let cases = std::env::var("FLOW_CASES").ok().and_then(|x| x.parse().ok()).unwrap_or(100);
    // A kill and a may-source in different children of a set, both before the sink.
    tree_case(1434);
    for seed in 0..cases {
        tree_case(seed);
    }
}
