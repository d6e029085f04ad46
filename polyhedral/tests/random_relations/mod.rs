//! Random schedule relations, with the numbers that made their text.

#![allow(dead_code, reason = "the comparison with isl uses a part")]

use std::collections::BTreeMap;

use tessera_polyhedral::ast::AstOptions;

use crate::random_trees::contexts::Context;
use crate::random_trees::{HIGH, LOW, Random, switches};

/// A condition on the dimensions of an instance followed by those of its time, with a parameter `n`.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// `linear >= 0`.
    Ge(Linear),
    /// `linear = 0`.
    Eq(Linear),
    /// `low <= linear mod modulus <= high`.
    Mod(Linear, i64, i64, i64),
    /// `linear = a e + b f` for some `e`, `f` in `0 ..= count`.
    Exists(Linear, i64, i64, i64),
}

#[derive(Clone, Debug)]
pub(crate) struct Linear {
    pub(crate) constant: i64,
    pub(crate) param: i64,
    pub(crate) dims: Vec<i64>,
}

impl Linear {
    fn value(&self, n: i64, point: &[i64]) -> i64 {
        self.constant + self.param * n + self.dims.iter().zip(point).map(|(c, x)| c * x).sum::<i64>()
    }

    fn text(&self) -> String {
        let mut text = format!("{} + {}n", self.constant, self.param);
        for (k, c) in self.dims.iter().enumerate().filter(|(_, c)| **c != 0) {
            text += &format!(" + {c}x{k}");
        }
        text
    }
}

impl Condition {
    fn holds(&self, n: i64, point: &[i64]) -> bool {
        match self {
            Condition::Ge(l) => l.value(n, point) >= 0,
            Condition::Eq(l) => l.value(n, point) == 0,
            Condition::Mod(l, m, low, high) => (*low..=*high).contains(&l.value(n, point).rem_euclid(*m)),
            Condition::Exists(l, a, b, count) => {
                let value = l.value(n, point);
                (0..=*count).any(|e| (0..=*count).any(|f| a * e + b * f == value))
            }
        }
    }

    fn text(&self, index: usize) -> String {
        match self {
            Condition::Ge(l) => format!("{} >= 0", l.text()),
            Condition::Eq(l) => format!("{} = 0", l.text()),
            Condition::Mod(l, m, low, high) => format!("{low} <= ({}) mod {m} <= {high}", l.text()),
            Condition::Exists(l, a, b, count) => format!(
                "exists (e{index}, f{index} : {} = {a}e{index} + {b}f{index} and 0 <= e{index}, f{index} <= {count})",
                l.text()
            ),
        }
    }
}

/// How often each statement instance occurs.
pub(crate) type Counts = BTreeMap<(String, Vec<i64>), usize>;

pub(crate) struct Stmt {
    pub(crate) name: String,
    pub(crate) n_dim: usize,
    pub(crate) parts: Vec<Vec<Condition>>,
}

pub(crate) fn linear(random: &mut Random, n: usize, among: usize) -> Linear {
    let mut dims = vec![0; n];
    for c in dims.iter_mut().take(among) {
        if random.chance(50) {
            *c = random.range(-2, 2);
        }
    }
    let param = if random.chance(20) { random.range(-1, 1) } else { 0 };
    Linear { constant: random.range(-3, 4), param, dims }
}

/// The box, and for most dimensions something tighter; the times as functions, quotients or ranges.
pub(crate) fn part(random: &mut Random, n_dim: usize, n_time: usize) -> Vec<Condition> {
    let n = n_dim + n_time;
    let mut conditions = Vec::new();
    for k in 0..n {
        for (sign, bound) in [(1, -LOW), (-1, HIGH)] {
            let mut dims = vec![0; n];
            dims[k] = sign;
            conditions.push(Condition::Ge(Linear { constant: bound, param: 0, dims }));
        }
    }
    for k in 0..n_dim {
        let mut dims = vec![0; n];
        dims[k] = 1;
        conditions.push(Condition::Ge(Linear { constant: random.range(-1, 2), param: 0, dims: dims.clone() }));
        dims[k] = -1;
        if k > 0 && random.chance(30) {
            dims[k - 1] = 1;
        }
        let param = i64::from(random.chance(60));
        conditions.push(Condition::Ge(Linear { constant: random.range(-1, 4), param, dims }));
    }
    for k in 0..n_time {
        let t = n_dim + k;
        let mut value = linear(random, n, n_dim);
        if random.chance(60) {
            value.constant = random.range(0, 1);
            value.param = 0;
        }
        match random.range(0, 9) {
            0..=4 => {
                value.dims[t] = -1;
                conditions.push(Condition::Eq(value));
            }
            5 => {
                // t = floor(value / d), or two steps wide: then an instance has several times.
                let d = random.range(2, 3);
                let wide = d + i64::from(random.chance(30));
                value.dims[t] = -d;
                conditions.push(Condition::Ge(value.clone()));
                value.dims.iter_mut().for_each(|c| *c = -*c);
                conditions.push(Condition::Ge(Linear {
                    constant: wide - 1 - value.constant,
                    param: -value.param,
                    ..value
                }));
            }
            6 => {
                value.dims[t] = -random.range(2, 3);
                conditions.push(Condition::Eq(value));
            }
            7 => {
                let (low, high) = (random.range(0, 2), random.range(0, 3));
                value.dims[t] = -1;
                conditions.push(Condition::Ge(Linear { constant: value.constant + low, ..value.clone() }));
                value.dims.iter_mut().for_each(|c| *c = -*c);
                conditions.push(Condition::Ge(Linear {
                    constant: high - value.constant,
                    param: -value.param,
                    ..value
                }));
            }
            8 => {
                value.dims[t] = random.range(1, 2);
                let m = random.range(2, 4);
                let r = random.range(0, m - 1);
                conditions.push(Condition::Mod(value, m, r, r));
            }
            _ => {
                value.dims[t] = 1;
                let (a, b) = *random.pick(&[(2, 3), (3, 5), (2, 5), (4, 6)]);
                conditions.push(Condition::Exists(value, a, b, random.range(1, 3)));
            }
        }
    }
    for _ in 0..random.range(-2, 2) {
        let l = linear(random, n, n);
        conditions.push(match random.range(0, 5) {
            0 | 1 => Condition::Ge(l),
            2 | 3 => {
                let m = random.range(2, 5);
                let low = random.range(0, m - 1);
                Condition::Mod(l, m, low, random.range(low, m - 1))
            }
            4 => Condition::Eq(l),
            _ => Condition::Exists(l, 2, 3, random.range(1, 2)),
        });
    }
    conditions
}

pub(crate) fn tuple(from: usize, n: usize) -> String {
    let names: Vec<String> = (from..from + n).map(|k| format!("x{k}")).collect();
    format!("[{}]", names.join(", "))
}

pub(crate) fn texts(stmts: &[Stmt], n_time: usize) -> String {
    let mut parts = Vec::new();
    for stmt in stmts {
        for part in &stmt.parts {
            let conditions: Vec<String> = part.iter().enumerate().map(|(k, c)| c.text(k)).collect();
            let (dims, time) = (tuple(0, stmt.n_dim), tuple(stmt.n_dim, n_time));
            parts.push(format!("{}{dims} -> {time} : {}", stmt.name, conditions.join(" and ")));
        }
    }
    format!("[n] -> {{ {} }}", parts.join(";\n  "))
}

pub(crate) fn options(random: &mut Random, n_time: usize) -> Option<String> {
    let mut parts = Vec::new();
    for k in 0..n_time {
        let kind = *random.pick(&["", "", "separate", "atomic", "unroll"]);
        if kind.is_empty() {
            continue;
        }
        let condition = match random.range(0, 5) {
            0 => format!(" : x{k} <= {}", random.range(0, 4)),
            1 => format!(" : x{k} mod 2 = 0"),
            _ => String::new(),
        };
        parts.push(format!("{} -> {kind}[{k}]{condition}", tuple(0, n_time)));
    }
    (!parts.is_empty()).then(|| format!("[n] -> {{ {} }}", parts.join("; ")))
}

/// The pairs of instance and time for a value of the parameter: the instances of every time, in the order of times.
pub(crate) fn expected(stmts: &[Stmt], n_time: usize, n: i64) -> Vec<BTreeMap<(String, Vec<i64>), usize>> {
    let mut times: BTreeMap<Vec<i64>, Counts> = BTreeMap::new();
    for stmt in stmts {
        let dims = stmt.n_dim + n_time;
        let mut point = vec![LOW; dims];
        loop {
            if stmt.parts.iter().any(|part| part.iter().all(|c| c.holds(n, &point))) {
                let (instance, time) = point.split_at(stmt.n_dim);
                let group = times.entry(time.to_vec()).or_default();
                *group.entry((stmt.name.clone(), instance.to_vec())).or_default() += 1;
            }
            let Some(k) = (0..dims).rev().find(|&k| point[k] < HIGH) else { break };
            point[k] += 1;
            point[k + 1..].fill(LOW);
        }
    }
    times.into_values().collect()
}

/// A random relation.
pub(crate) struct Case {
    pub(crate) n_time: usize,
    pub(crate) stmts: Vec<Stmt>,
    /// The relation.
    pub(crate) text: String,
    /// Options for its loops.
    pub(crate) options: Option<String>,
    /// What it is meant for.
    pub(crate) context: Context,
    pub(crate) switches: AstOptions,
}

pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5eed);
    let n_time = random.range(1, 3) as usize;
    let stmts: Vec<Stmt> = (0..random.range(1, 3))
        .map(|k| {
            let n_dim = random.range(0, (4 - n_time as i64).min(2)) as usize;
            let count = if random.chance(35) { 2 } else { 1 };
            let parts = (0..count).map(|_| part(&mut random, n_dim, n_time)).collect();
            Stmt { name: format!("S{k}"), n_dim, parts }
        })
        .collect();
    let text = texts(&stmts, n_time);
    let options = options(&mut random, n_time);
    let with_context = random.chance(60);
    let switches = switches(&mut random);
    let context = if with_context { Context::random(&mut random, true) } else { Context::none() };
    Case { n_time, stmts, text, options, context, switches }
}
