//! Random statements, domains and schedule trees, with the numbers that made their text.

#![allow(dead_code, reason = "the comparison with isl uses a part")]

pub(crate) mod contexts;
pub(crate) mod nests;

use tessera_polyhedral::affine::Aff;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstOptions, SeparationBounds};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::schedule::{Band, Instances, LoopType, Member, Node, ScheduleTree, TileOptions};

/// A small deterministic generator (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `low ..= high`.
    pub(crate) fn range(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    pub(crate) fn chance(&mut self, percent: i64) -> bool {
        self.range(1, 100) <= percent
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.range(0, items.len() as i64 - 1) as usize]
    }
}

/// Random switches of AST generation, the defaults in half of the cases.
pub(crate) fn switches(random: &mut Random) -> AstOptions {
    if random.chance(50) {
        return AstOptions::default();
    }
    AstOptions {
        atomic_upper_bound: random.chance(70),
        prefer_pdiv: random.chance(70),
        exploit_nested_bounds: random.chance(70),
        scale_strides: random.chance(70),
        allow_else: random.chance(70),
        allow_or: random.chance(70),
        separation_bounds: *random.pick(&[SeparationBounds::Explicit, SeparationBounds::Implicit]),
        group_coscheduled: random.chance(30),
        detect_min_max: random.chance(50),
        max_copies: random.chance(30).then(|| random.range(1, 40) as usize),
        invariant_conditions_outside: random.chance(30),
    }
}

/// `constant + param * n + sum dims`, compared with zero, or its remainder compared with one.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    pub(crate) constant: i64,
    pub(crate) param: i64,
    pub(crate) dims: Vec<i64>,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Ge,
    Eq,
    /// The remainder by the first number equals the second.
    Mod(i64, i64),
    /// The remainder by the first number is at most the second.
    ModLe(i64, i64),
}

impl Constraint {
    pub(crate) fn value(&self, n: i64, point: &[i64]) -> i64 {
        self.constant + self.param * n + self.dims.iter().zip(point).map(|(c, x)| c * x).sum::<i64>()
    }

    pub(crate) fn holds(&self, n: i64, point: &[i64]) -> bool {
        let value = self.value(n, point);
        match self.kind {
            Kind::Ge => value >= 0,
            Kind::Eq => value == 0,
            Kind::Mod(m, r) => value.rem_euclid(m) == r,
            Kind::ModLe(m, r) => value.rem_euclid(m) <= r,
        }
    }

    pub(crate) fn linear(&self) -> String {
        linear(self.constant, self.param, &self.dims)
    }

    pub(crate) fn text(&self) -> String {
        match self.kind {
            Kind::Ge => format!("{} >= 0", self.linear()),
            Kind::Eq => format!("{} = 0", self.linear()),
            Kind::Mod(m, r) => format!("({}) mod {m} = {r}", self.linear()),
            Kind::ModLe(m, r) => format!("({}) mod {m} <= {r}", self.linear()),
        }
    }
}

pub(crate) fn linear(constant: i64, param: i64, dims: &[i64]) -> String {
    let mut text = format!("{constant} + {param}n");
    for (k, c) in dims.iter().enumerate() {
        text += &format!(" + {c}i{k}");
    }
    text
}

/// A statement: a union of conjunctions.
#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    pub(crate) name: String,
    pub(crate) n_dim: usize,
    pub(crate) parts: Vec<Vec<Constraint>>,
}

pub(crate) const LOW: i64 = -3;
pub(crate) const HIGH: i64 = 8;

impl Stmt {
    pub(crate) fn tuple(&self) -> String {
        let dims: Vec<String> = (0..self.n_dim).map(|k| format!("i{k}")).collect();
        format!("{}[{}]", self.name, dims.join(", "))
    }

    pub(crate) fn set_text(&self, parts: &[Vec<Constraint>]) -> String {
        let tuple = self.tuple();
        let parts: Vec<String> = parts
            .iter()
            .map(|part| {
                let constraints: Vec<String> = part.iter().map(Constraint::text).collect();
                if part.is_empty() { tuple.clone() } else { format!("{tuple} : {}", constraints.join(" and ")) }
            })
            .collect();
        format!("[n] -> {{ {} }}", parts.join("; "))
    }

    /// All points for a value of the parameter.
    pub(crate) fn points(&self, n: i64) -> Vec<Vec<i64>> {
        let mut points = vec![Vec::new()];
        for _ in 0..self.n_dim {
            let longer = |p: &Vec<i64>| (LOW..=HIGH).map(move |x| p.iter().copied().chain([x]).collect()).collect();
            points = points.iter().flat_map(|p| -> Vec<Vec<i64>> { longer(p) }).collect();
        }
        points.retain(|p| self.parts.iter().any(|part| part.iter().all(|c| c.holds(n, p))));
        points
    }
}

pub(crate) fn constraint(random: &mut Random, n_dim: usize) -> Constraint {
    let coefficient = |random: &mut Random| if random.chance(50) { 0 } else { random.range(-2, 2) };
    let param = if random.chance(30) { random.range(-1, 1) } else { 0 };
    let dims = (0..n_dim).map(|_| coefficient(random)).collect();
    let kind = match random.range(0, 9) {
        0..=4 => Kind::Ge,
        5 => Kind::Eq,
        6 | 7 => {
            let m = random.range(2, 4);
            Kind::Mod(m, random.range(0, m - 1))
        }
        _ => {
            let m = random.range(2, 5);
            Kind::ModLe(m, random.range(0, m - 1))
        }
    };
    Constraint { constant: random.range(-2, 4), param, dims, kind }
}

pub(crate) fn statement(random: &mut Random, index: usize) -> Stmt {
    let n_dim = random.range(0, 3) as usize;
    let mut parts = Vec::new();
    for _ in 0..if random.chance(25) { 2 } else { 1 } {
        let mut part = Vec::new();
        for dim in 0..n_dim {
            // low <= dim <= high, each a constant, the parameter or an earlier dimension.
            let mut low = Constraint { constant: random.range(-3, 3), param: 0, dims: vec![0; n_dim], kind: Kind::Ge };
            low.dims[dim] = 1;
            let mut high = Constraint { constant: random.range(0, 4), param: 0, dims: vec![0; n_dim], kind: Kind::Ge };
            high.dims[dim] = -1;
            if random.chance(60) {
                high.param = 1;
                high.constant = random.range(-2, 1);
            }
            part.extend([low, high]);
            if dim > 0 && random.chance(40) {
                let mut cut =
                    Constraint { constant: random.range(-1, 2), param: 0, dims: vec![0; n_dim], kind: Kind::Ge };
                let sign = if random.chance(50) { 1 } else { -1 };
                cut.dims[dim] = sign;
                cut.dims[random.range(0, dim as i64 - 1) as usize] = -sign;
                part.push(cut);
            }
        }
        for _ in 0..random.range(-2, 2) {
            part.push(constraint(random, n_dim));
        }
        parts.push(part);
    }
    Stmt { name: format!("S{index}"), n_dim, parts }
}

/// A random quasi-affine function of a statement.
pub(crate) fn function(random: &mut Random, stmt: &Stmt) -> Aff {
    let n = stmt.n_dim;
    let mut dims = vec![0; n];
    let mut text = if n == 0 || random.chance(10) {
        random.range(-1, 2).to_string()
    } else {
        dims[random.range(0, n as i64 - 1) as usize] = if random.chance(85) { 1 } else { random.range(-2, 2) };
        if random.chance(25) {
            dims[random.range(0, n as i64 - 1) as usize] += random.range(-1, 2);
        }
        let shift = if random.chance(25) { random.range(-2, 2) } else { 0 };
        let param = if random.chance(10) { random.range(-1, 1) } else { 0 };
        linear(shift, param, &dims)
    };
    match random.range(0, 9) {
        0 | 1 => text = format!("floor(({text})/{})", random.range(2, 4)),
        2 => text = format!("({text}) mod {}", random.range(2, 3)),
        3 => text = format!("floor(({text})/2) + {}", linear(0, 0, &dims)),
        _ => {}
    }
    let text = format!("[n] -> {{ {} -> [({text})] }}", stmt.tuple());
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

pub(crate) fn set(text: &str) -> Set {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

pub(crate) fn band(random: &mut Random, stmts: &[&Stmt]) -> Band {
    let plain = random.chance(50);
    let members = (0..random.range(1, 3))
        .map(|k| {
            let affs: Vec<Aff> = stmts
                .iter()
                .map(|stmt| {
                    if plain && (k as usize) < stmt.n_dim {
                        let mut dims = vec![0; stmt.n_dim];
                        dims[k as usize] = 1;
                        let text = format!("[n] -> {{ {} -> [({})] }}", stmt.tuple(), linear(0, 0, &dims));
                        text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
                    } else {
                        function(random, stmt)
                    }
                })
                .collect();
            let loop_type = *random.pick(&[LoopType::Default, LoopType::Default, LoopType::Atomic, LoopType::Separate]);
            Member::new(affs).unwrap().with_loop_type(loop_type)
        })
        .collect();
    Band::new(members).with_permutable(true)
}

pub(crate) fn subtree(random: &mut Random, stmts: &[&Stmt], depth: usize) -> Node {
    if depth == 0 || stmts.is_empty() {
        return Node::leaf();
    }
    match random.range(0, 9) {
        0..=5 => Node::band(band(random, stmts), subtree(random, stmts, depth - 1)),
        6 => Node::mark("m", subtree(random, stmts, depth - 1)),
        7 if depth < 3 => Node::leaf(),
        _ => {
            // Every statement goes to one child, or is split in two by a condition.
            let n = random.range(1, 3) as usize;
            let mut children: Vec<(Vec<Set>, Vec<&Stmt>)> = vec![(Vec::new(), Vec::new()); n];
            for stmt in stmts {
                let first = random.range(0, n as i64 - 1) as usize;
                let second = random.range(0, n as i64 - 1) as usize;
                let cut = constraint(random, stmt.n_dim);
                if first == second || random.chance(60) {
                    children[first].0.push(set(&stmt.set_text(&[Vec::new()])));
                } else {
                    let inside = set(&stmt.set_text(&[vec![cut]]));
                    let outside = inside.complement(&Budget::unlimited()).unwrap();
                    children[first].0.push(inside);
                    children[second].0.push(outside);
                    children[second].1.push(stmt);
                }
                children[first].1.push(stmt);
            }
            let nodes = children
                .into_iter()
                .map(|(sets, stmts)| {
                    Node::filter(Instances::from_sets(sets).unwrap(), subtree(random, &stmts, depth - 1))
                })
                .collect();
            if random.chance(75) { Node::sequence(nodes) } else { Node::set(nodes) }
        }
    }
}

pub(crate) fn case(seed: u64) -> (Vec<Stmt>, ScheduleTree) {
    let mut random = Random(seed);
    let stmts: Vec<Stmt> = (0..random.range(1, 3)).map(|k| statement(&mut random, k as usize)).collect();
    let domain = Instances::from_sets(stmts.iter().map(|s| set(&s.set_text(&s.parts)))).unwrap();
    let refs: Vec<&Stmt> = stmts.iter().collect();
    let depth = random.range(0, 3) as usize;
    let mut tree = ScheduleTree::new(domain, subtree(&mut random, &refs, depth));
    if random.chance(50) {
        let bands = tree.bands();
        if let Some((path, band)) = bands.first() {
            let sizes: Vec<Int> = (0..band.len()).map(|_| Int::from(random.range(1, 4))).collect();
            let path = path.clone();
            tree = tree
                .cursor_at(&path)
                .unwrap()
                .tile(&sizes, TileOptions { scale_tiles: false, shift_points: false })
                .unwrap()
                .into_tree();
            tree = tree.update_band(&path, |band, _| band.isolate_full_tiles = random.chance(60)).unwrap();
        }
    }
    (stmts, tree)
}
