//! Random contexts: any set is one, also with divisions, existentials, several disjuncts, or without a point.

use super::Random;

/// `constant + c0 * p0 + c1 * p1`.
#[derive(Clone, Debug)]
struct Linear {
    constant: i64,
    factors: [i64; 2],
}

#[derive(Clone, Debug)]
enum Condition {
    /// `linear >= 0`.
    Ge(Linear),
    /// `linear = 0`.
    Eq(Linear),
    /// `low <= linear mod modulus <= high`.
    Mod(Linear, i64, i64, i64),
    /// `low <= d e <= high` for some integer `e`.
    Multiple(Linear, i64, Linear),
    /// `linear = a e + b f` for some `e`, `f` in `0 ..= count`.
    Sum(Linear, i64, i64, i64),
}

/// A context over two parameters. The cases themselves know one parameter, `n`: it is the first of the two or, in a
/// `shifted` context, their difference.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) shifted: bool,
    disjuncts: Vec<Vec<Condition>>,
}

impl Linear {
    fn value(&self, p: [i64; 2]) -> i64 {
        self.constant + self.factors[0] * p[0] + self.factors[1] * p[1]
    }

    fn text(&self, names: [&str; 2]) -> String {
        format!("{} + {}{} + {}{}", self.constant, self.factors[0], names[0], self.factors[1], names[1])
    }
}

impl Condition {
    fn holds(&self, p: [i64; 2]) -> bool {
        match self {
            Condition::Ge(l) => l.value(p) >= 0,
            Condition::Eq(l) => l.value(p) == 0,
            Condition::Mod(l, m, low, high) => (*low..=*high).contains(&l.value(p).rem_euclid(*m)),
            Condition::Multiple(low, d, high) => high.value(p).div_euclid(*d) * d >= low.value(p),
            Condition::Sum(l, a, b, count) => {
                let value = l.value(p);
                (0..=*count).any(|e| (0..=*count).any(|f| a * e + b * f == value))
            }
        }
    }

    fn text(&self, names: [&str; 2]) -> String {
        match self {
            Condition::Ge(l) => format!("{} >= 0", l.text(names)),
            Condition::Eq(l) => format!("{} = 0", l.text(names)),
            Condition::Mod(l, m, low, high) => format!("{low} <= ({}) mod {m} <= {high}", l.text(names)),
            Condition::Multiple(low, d, high) => {
                format!("(exists e : {} <= {d}e <= {})", low.text(names), high.text(names))
            }
            Condition::Sum(l, a, b, count) => {
                format!("(exists e, f : {} = {a}e + {b}f and 0 <= e, f <= {count})", l.text(names))
            }
        }
    }
}

fn linear(random: &mut Random, second: bool) -> Linear {
    let mut factors = [0; 2];
    while factors == [0; 2] {
        factors[0] = random.range(-2, 2);
        if second && random.chance(60) {
            factors[1] = random.range(-2, 2);
        }
    }
    Linear { constant: random.range(-4, 5), factors }
}

impl Context {
    /// No assumption: the first parameter is `n`.
    pub(crate) fn none() -> Context {
        Context { shifted: false, disjuncts: vec![Vec::new()] }
    }

    /// A random context, `n >= 2` in some cases, over two parameters where that is allowed.
    pub(crate) fn random(random: &mut Random, second: bool) -> Context {
        let shifted = second && random.chance(40);
        if random.chance(15) {
            let factors = if shifted { [1, -1] } else { [1, 0] };
            let at_least_2 = Condition::Ge(Linear { constant: -2, factors });
            return Context { shifted, disjuncts: vec![vec![at_least_2]] };
        }
        let count = *random.pick(&[0, 1, 1, 1, 1, 1, 1, 2, 2, 3]);
        let disjuncts = (0..count)
            .map(|_| {
                let condition = |random: &mut Random| match random.range(0, 9) {
                    0..=2 => Condition::Ge(linear(random, second)),
                    3 => Condition::Eq(linear(random, second)),
                    4..=6 => {
                        let m = random.range(2, 5);
                        let low = random.range(0, m - 1);
                        Condition::Mod(linear(random, second), m, low, random.range(low, m - 1))
                    }
                    7 | 8 => {
                        let d = random.range(2, 8);
                        Condition::Multiple(linear(random, second), d, linear(random, second))
                    }
                    _ => Condition::Sum(linear(random, second), 2, *random.pick(&[3, 5, 4]), random.range(1, 3)),
                };
                (0..random.range(1, 3)).map(|_| condition(random)).collect()
            })
            .collect();
        Context { shifted, disjuncts }
    }

    pub(crate) fn names(&self) -> [&'static str; 2] {
        if self.shifted { ["a", "b"] } else { ["n", "m"] }
    }

    pub(crate) fn text(&self) -> String {
        let names = self.names();
        let disjunct = |conditions: &Vec<Condition>| {
            let conditions: Vec<String> = conditions.iter().map(|c| c.text(names)).collect();
            if conditions.is_empty() { "0 = 0".to_owned() } else { conditions.join(" and ") }
        };
        let disjuncts: Vec<String> = self.disjuncts.iter().map(disjunct).collect();
        let all = if disjuncts.is_empty() { "1 = 0".to_owned() } else { format!("({})", disjuncts.join(") or (")) };
        format!("[{}, {}] -> {{ : {all} }}", names[0], names[1])
    }

    pub(crate) fn holds(&self, p: [i64; 2]) -> bool {
        self.disjuncts.iter().any(|conditions| conditions.iter().all(|c| c.holds(p)))
    }

    /// What `n` is for values of the parameters.
    pub(crate) fn n(&self, p: [i64; 2]) -> i64 {
        if self.shifted { p[0] - p[1] } else { p[0] }
    }

    /// A text in terms of `n` in terms of the parameters of the context.
    pub(crate) fn rename(&self, text: &str) -> String {
        if !self.shifted {
            return text.to_owned();
        }
        let mut result = String::with_capacity(text.len());
        let mut digits = String::new();
        let text = text.replace("[n] ->", "[a, b] ->");
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            if c.is_ascii_digit() {
                digits.push(c);
                continue;
            }
            let parameter = c == 'n' && !digits.is_empty() && !rest.peek().is_some_and(char::is_ascii_alphanumeric);
            match (parameter, result.ends_with('-')) {
                (true, true) => result += &format!("{digits}a + {digits}b"),
                (true, false) => result += &format!("{digits}a - {digits}b"),
                _ => {
                    result += &digits;
                    result.push(c);
                }
            }
            digits.clear();
        }
        result + &digits
    }

    /// Up to `count` values of the parameters for which the context holds and `n` is between -2 and 7, spread over
    /// them.
    pub(crate) fn values(&self, count: usize) -> Vec<[i64; 2]> {
        let pairs = (-3..=8).flat_map(|a| (-3..=6).map(move |b| [a, b]));
        let all: Vec<[i64; 2]> = pairs.filter(|p| (-2..=7).contains(&self.n(*p)) && self.holds(*p)).collect();
        let step = all.len().div_ceil(count).max(1);
        all.into_iter().skip(step / 2).step_by(step).take(count).collect()
    }
}
