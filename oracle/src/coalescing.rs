//! Pairs of conjunctions per rule of coalescing, and how many disjuncts both libraries make of them.
//!
//! A rule describes how two conjunctions can lie so that one conjunction has the points of both. For most rules a whole
//! is drawn first, a small set of one to three dimensions, perhaps with strides, divisions, quantified variables or a
//! parameter, and is split so that the pieces lie like this. The pieces then get descriptions of their own: those of
//! plain shapes are described by the facets of their integer hulls half of the time. Other rules draw two conjunctions that
//! need not fit.
//!
//! Isl is asked for the number of its disjuncts and whether our result is the same set; points in a box are compared, too.

use tessera_polyhedral::arith::Int;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;

use crate::differential::operand::{Operand, Part};
use crate::differential::random::Random;
use crate::isl::{Isl, Kind};

/// The rules; see [`draw`].
pub const RULES: &[&str] = &[
    "subset",
    "cut",
    "adjacent inequalities",
    "adjacent, one cut further",
    "extension by an equality",
    "wrapping around an equality",
    "adjacent equalities",
    "points",
    "residue classes",
    "strided, split",
    "strided, equality slice",
    "stride against none",
    "divisions, split",
    "divisions, equality slice",
    "existentials, split",
    "existentials, sub-set",
    "two existentials, split",
    "aligned divisions",
    "boxes",
    "polygons",
    "strided boxes",
    "segments and boxes",
];

const NAMES: [&str; 3] = ["i0", "i1", "i2"];
/// The box in which points are compared.
const REACH: i64 = 9;

struct Drawer<'r> {
    random: &'r mut Random,
    n: usize,
    /// The parameter's name, added to constants now and then.
    param: bool,
}

/// A linear form: the constant, the coefficients, that of the parameter.
type Form = Vec<i64>;

impl Drawer<'_> {
    fn form(&mut self, most: i64) -> Form {
        loop {
            let form: Form = (0..=self.n + 1)
                .map(|k| match k {
                    0 => 0,
                    k if k == self.n + 1 => i64::from(self.param && self.random.chance(40)) * self.random.range(-1, 1),
                    _ => self.random.range(-most, most),
                })
                .collect();
            if form[1..=self.n].iter().any(|c| *c != 0) {
                return form;
            }
        }
    }

    fn text(&self, form: &[i64]) -> String {
        let names = NAMES[..self.n].iter().chain(&["n"]);
        let mut text = String::new();
        for (c, name) in form[1..].iter().zip(names).filter(|(c, _)| **c != 0) {
            text += &format!(" {} {}{name}", if *c < 0 { "-" } else { "+" }, c.abs());
        }
        if form[0] != 0 || text.is_empty() {
            text += &format!(" {} {}", if form[0] < 0 { "-" } else { "+" }, form[0].abs());
        }
        text.trim_start_matches(" +").trim().into()
    }

    /// A bounded shape, mostly with points.
    fn shape(&mut self) -> Vec<String> {
        let mut result = Vec::new();
        for name in &NAMES[..self.n] {
            let low = self.random.range(-3, 1);
            let high = low + self.random.range(1, 7);
            result.push(match self.random.below(if self.param { 5 } else { 1 }) {
                1 => format!("{low} <= {name} <= n"),
                2 => format!("n <= {name} <= n + {}", high - low),
                _ => format!("{low} <= {name} <= {high}"),
            });
        }
        for _ in 0..self.random.below(3) {
            let mut form = self.form(2);
            form[0] = self.random.range(0, 6);
            result.push(format!("{} >= 0", self.text(&form)));
        }
        result
    }

    /// The points of a shape as the facets of their hull, if that is possible, or the shape.
    fn redescribed(&mut self, shape: &[String]) -> String {
        let plain = shape.join(" and ");
        if self.param || self.random.chance(50) {
            return plain;
        }
        hull_of_points(self.n, &plain).unwrap_or(plain)
    }

    fn with(&self, shape: &[String], more: &str) -> Vec<String> {
        shape.iter().cloned().chain([more.to_string()]).collect()
    }

    /// A form with a constant that splits shapes near the middle.
    fn axis(&mut self, most: i64) -> Form {
        let mut form = self.form(most);
        form[0] = self.random.range(-4, 4);
        form
    }

    fn modulo(&mut self) -> (String, i64) {
        let form = self.axis(2);
        (self.text(&form), self.random.range(2, 5))
    }

    fn split(&mut self, whole: &[String]) -> Vec<String> {
        let axis = self.axis(1);
        let axis = self.text(&axis);
        vec![
            self.with(whole, &format!("{axis} >= 0")).join(" and "),
            self.with(whole, &format!("{axis} < 0")).join(" and "),
        ]
    }

    fn slice(&mut self, whole: &[String]) -> Vec<String> {
        let axis = self.axis(1);
        let axis = self.text(&axis);
        vec![
            self.with(whole, &format!("{axis} >= 1")).join(" and "),
            self.with(whole, &format!("{axis} = 0")).join(" and "),
        ]
    }

    fn pieces(&mut self, rule: &str) -> Vec<String> {
        let whole = self.shape();
        match rule {
            "subset" => {
                let form = self.axis(2);
                let op = *self.random.pick(&[">=", "="]);
                let part = self.with(&whole, &format!("{} {op} 0", self.text(&form)));
                let (a, b) = (self.redescribed(&part), self.redescribed(&whole));
                vec![a, b]
            }
            "cut" => {
                let mut axis = self.axis(1);
                let low = self.with(&whole, &format!("{} >= 0", self.text(&axis)));
                axis[0] -= self.random.range(1, 3);
                let high = self.with(&whole, &format!("{} <= 0", self.text(&axis)));
                vec![self.redescribed(&low), self.redescribed(&high)]
            }
            "adjacent inequalities" => {
                let axis = self.axis(1);
                let axis = self.text(&axis);
                let (a, b) = (self.with(&whole, &format!("{axis} >= 0")), self.with(&whole, &format!("{axis} <= -1")));
                vec![self.redescribed(&a), self.redescribed(&b)]
            }
            "adjacent, one cut further" => {
                let (axis, cut) = (self.axis(1), self.axis(1));
                let axis = self.text(&axis);
                let (a, b) = (self.with(&whole, &format!("{axis} >= 0")), self.with(&whole, &format!("{axis} <= -1")));
                let b = self.with(&b, &format!("{} >= 0", self.text(&cut)));
                vec![self.redescribed(&a), self.redescribed(&b)]
            }
            "extension by an equality" => {
                let axis = self.axis(1);
                let axis = self.text(&axis);
                let (a, b) = (self.with(&whole, &format!("{axis} >= 1")), self.with(&whole, &format!("{axis} = 0")));
                vec![self.redescribed(&a), self.redescribed(&b)]
            }
            "wrapping around an equality" => {
                let (axis, cut) = (self.axis(1), self.axis(1));
                let axis = self.text(&axis);
                let (a, b) = (self.with(&whole, &format!("{axis} >= 1")), self.with(&whole, &format!("{axis} = 0")));
                let b = self.with(&b, &format!("{} >= 0", self.text(&cut)));
                vec![self.redescribed(&a), self.redescribed(&b)]
            }
            "adjacent equalities" => {
                let axis = self.axis(2);
                let mut next = axis.clone();
                next[0] += 1;
                let mut a = self.with(&whole, &format!("{} = 0", self.text(&axis)));
                let mut b = self.with(&whole, &format!("{} = 0", self.text(&next)));
                if self.random.chance(40) {
                    let cut = self.axis(1);
                    let end = if self.random.chance(50) { &mut a } else { &mut b };
                    end.push(format!("{} >= 0", self.text(&cut)));
                }
                vec![a.join(" and "), b.join(" and ")]
            }
            "points" => {
                let names = &NAMES[..self.n];
                let first: Vec<i64> = names.iter().map(|_| self.random.range(-4, 4)).collect();
                let step: Vec<i64> = names.iter().map(|_| self.random.range(-2, 2)).collect();
                let point = |k: i64| {
                    let values = names.iter().enumerate().map(|(d, x)| format!("{x} = {}", first[d] + k * step[d]));
                    values.collect::<Vec<_>>().join(" and ")
                };
                (0..2 + self.random.below(3) as i64).map(point).collect()
            }
            "residue classes" => {
                let (form, m) = self.modulo();
                let first = self.random.range(0, m - 1);
                let step = self.random.range(1, m - 1);
                let class = |k: i64| {
                    format!("{} and ({form}) mod {m} = {}", whole.join(" and "), (first + k * step).rem_euclid(m))
                };
                (0..2 + self.random.below(m as usize - 1) as i64).map(class).collect()
            }
            "strided, split" | "strided, equality slice" | "stride against none" => {
                let (form, m) = self.modulo();
                let r = self.random.range(0, m - 1);
                let strided = self.with(&whole, &format!("({form}) mod {m} = {r}"));
                match rule {
                    "strided, split" => self.split(&strided),
                    "strided, equality slice" => self.slice(&strided),
                    _ => {
                        let axis = self.axis(1);
                        let rest = self.with(&strided, &format!("{} >= 0", self.text(&axis)));
                        vec![
                            rest.join(" and "),
                            self.with(&strided, &format!("{} = -{m}", self.text(&axis))).join(" and "),
                        ]
                    }
                }
            }
            "divisions, split" | "divisions, equality slice" | "aligned divisions" => {
                let (form, m) = self.modulo();
                let other = self.axis(1);
                let sign = *self.random.pick(&["<=", ">="]);
                let bounded = self.with(&whole, &format!("floor(({form})/{m}) {sign} {}", self.text(&other)));
                match rule {
                    "divisions, split" => self.split(&bounded),
                    "divisions, equality slice" => self.slice(&bounded),
                    _ => {
                        let r = self.random.range(0, m - 1);
                        let cut = format!("floor(({form} + {r})/{m}) {sign} {}", self.text(&other));
                        vec![bounded.join(" and "), self.with(&whole, &cut).join(" and ")]
                    }
                }
            }
            "existentials, split" | "existentials, sub-set" | "two existentials, split" => {
                let (form, a) = self.modulo();
                let (low, b) = (self.random.range(-3, 0), self.random.range(2, 5));
                let high = low + self.random.range(1, 5);
                let (names, inner) = if rule == "two existentials, split" {
                    ("e, f", format!("{a}e + {b}f = {form} and {low} <= e <= {high} and 0 <= f <= 3"))
                } else if self.random.chance(50) {
                    ("e", format!("{a}e <= {form} <= {a}e + {} and {low} <= e <= {high}", self.random.range(0, a - 1)))
                } else {
                    let other = self.axis(1);
                    ("e", format!("{a}e <= {form} and {b}e >= {}", self.text(&other)))
                };
                let pieces = match rule {
                    "existentials, sub-set" => {
                        let axis = self.axis(1);
                        let axis = self.text(&axis);
                        vec![whole.join(" and "), self.with(&whole, &format!("{axis} >= 0")).join(" and ")]
                    }
                    _ => self.split(&whole),
                };
                pieces.into_iter().map(|p| format!("exists ({names} : {inner} and {p})")).collect()
            }
            "boxes" => {
                let interval = |d: &mut Self| {
                    let low = d.random.range(-3, 3);
                    (low, low + d.random.range(0, 4))
                };
                let mut sides = [Vec::new(), Vec::new()];
                for name in &NAMES[..self.n] {
                    let (a, b) = (interval(self), interval(self));
                    let b = if self.random.chance(65) { a } else { b };
                    sides[0].push(format!("{} <= {name} <= {}", a.0, a.1));
                    sides[1].push(format!("{} <= {name} <= {}", b.0, b.1));
                }
                sides.iter().map(|s| s.join(" and ")).collect()
            }
            "polygons" => {
                // Hulls of a few points that are near each other.
                let pieces = (0..2).map(|_| {
                    let points: Vec<String> = (0..2 + self.random.below(4))
                        .map(|_| {
                            let values: Vec<String> =
                                (0..self.n).map(|_| self.random.range(-1, 2).to_string()).collect();
                            format!("[{}]", values.join(", "))
                        })
                        .collect();
                    hull(&format!("{{ {} }}", points.join("; "))).unwrap_or_default()
                });
                pieces.filter(|p| !p.is_empty()).collect()
            }
            "strided boxes" => {
                let m = self.random.range(2, 4);
                let mut sides = [Vec::new(), Vec::new()];
                for (d, name) in NAMES[..self.n].iter().enumerate() {
                    let low = self.random.range(-4, 2);
                    let high = low + self.random.range(0, 6);
                    for (k, side) in sides.iter_mut().enumerate() {
                        let moved = if d == 0 { k as i64 * self.random.range(0, 7) } else { 0 };
                        side.push(format!("{} <= {name} <= {}", low + moved, high + moved));
                    }
                }
                let r = self.random.range(0, m - 1);
                let s = if self.random.chance(70) { r } else { self.random.range(0, m - 1) };
                sides[0].push(format!("i0 mod {m} = {r}"));
                sides[1].push(format!("i0 mod {m} = {s}"));
                sides.iter().map(|s| s.join(" and ")).collect()
            }
            _ => {
                let mut sides = [Vec::new(), Vec::new()];
                for name in &NAMES[..self.n] {
                    let low = self.random.range(-3, 2);
                    let high = low + self.random.range(0, 5);
                    sides[0].push(format!("{low} <= {name} <= {high}"));
                    sides[1].push(match self.random.below(3) {
                        0 => format!("{name} = {}", high + 1),
                        1 => format!(
                            "{} <= {name} <= {}",
                            low + self.random.range(-1, 1),
                            high + self.random.range(-1, 1)
                        ),
                        _ => format!("{low} <= {name} <= {high}"),
                    });
                }
                sides.iter().map(|s| s.join(" and ")).collect()
            }
        }
    }
}

/// The constraints of the hull of a set without parameters, as text.
fn hull(text: &str) -> Option<String> {
    let budget = Budget::new(10_000_000);
    let hull = Set::parse(text, &budget).ok()?.polyhedral_hull(&budget).ok()?.to_string();
    let (head, constraints) = hull.strip_suffix(" }")?.split_once(" : ")?;
    // A point is printed as `[1, 2]`.
    head.contains('[').then(|| constraints.into())
}

/// The facets of the hull of the integer points of a shape.
fn hull_of_points(n: usize, shape: &str) -> Option<String> {
    let names = NAMES[..n].join(", ");
    let budget = Budget::new(10_000_000);
    let set = Set::parse(&format!("{{ [{names}] : {shape} }}"), &budget).ok()?;
    let points: Vec<String> = box_points(n, REACH)
        .into_iter()
        .filter(|p| contains(&set, p))
        .map(|p| {
            let values = NAMES.iter().zip(&p).map(|(x, v)| format!("{x} = {v}")).collect::<Vec<_>>();
            format!("[{names}] : {}", values.join(" and "))
        })
        .collect();
    if points.is_empty() || points.len() > 80 {
        return None;
    }
    let text = hull(&format!("{{ {} }}", points.join("; ")))?;
    // Dimensions that are equal to others are printed inside the tuple.
    let again = Set::parse(&format!("{{ [{names}] : {text} }}"), &budget).ok()?;
    again.is_equal(&set, &budget).ok()?.then_some(text)
}

fn contains(set: &Set, point: &[i64]) -> bool {
    let point: Vec<Int> = point.iter().map(|&x| Int::from(x)).collect();
    set.contains(&point, &Budget::new(10_000_000)).unwrap_or(false)
}

fn box_points(n: usize, reach: i64) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for _ in 0..n {
        points = points.iter().flat_map(|p| (-reach..=reach).map(move |x| [p.as_slice(), &[x]].concat())).collect();
    }
    points
}

/// Two (for classes and points up to four) conjunctions that lie as the rule says, one disjunct each.
pub fn draw(rule: &str, random: &mut Random) -> Operand {
    let n = *random.pick(&[1, 2, 2, 2, 3]);
    let param = random.chance(25) && !["points", "boxes", "polygons", "strided boxes"].contains(&rule);
    let mut drawer = Drawer { random, n, param };
    let pieces: Vec<String> = drawer.pieces(rule);
    let names = NAMES[..n].join(", ");
    let part = |constraints| Part { head: format!("[{names}]"), exists: Vec::new(), constraints, fixed: Vec::new() };
    let parts = pieces.into_iter().map(|p| part(vec![p])).collect();
    Operand::Parts { params: if param { vec!["n".into()] } else { Vec::new() }, prefix: String::new(), parts }
}

/// How one pair went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Disjuncts of the operand as we read it, of our result and of the result of isl's best build.
    Counts {
        /// Before.
        before: usize,
        /// Ours.
        ours: usize,
        /// The fewest of isl's builds; an empty set counts as one.
        isl: usize,
    },
    /// Isl's limit was reached.
    IslGaveUp,
    /// Our result is not the same set, or there is none.
    Wrong(String),
}

/// Coalesces a union with both libraries and compares.
pub fn compare(builds: &[&Isl], text: &str) -> Outcome {
    let budget = Budget::new(100_000_000);
    let wrong = |why: String| Outcome::Wrong(format!("{text}: {why}"));
    let set = match Set::parse(text, &budget) {
        Ok(set) => set,
        Err(error) => return wrong(error.to_string()),
    };
    let ours = match set.coalesce(&budget) {
        Ok(ours) => ours,
        Err(error) => return wrong(error.to_string()),
    };
    let n = set.space().dim(tessera_polyhedral::space::DimKind::Param)
        + set.space().dim(tessera_polyhedral::space::DimKind::Out);
    for p in box_points(n, if n > 2 { 4 } else { REACH }) {
        if contains(&ours, &p) != contains(&set, &p) {
            return wrong(format!("{ours} differs at {p:?}"));
        }
    }
    let mut least = usize::MAX;
    for isl in builds {
        isl.set_limit(2_000_000);
        let answer = (|| {
            let theirs = isl.read(Kind::Set, text)?;
            let mine = isl.read(Kind::Set, &ours.to_string())?;
            if !mine.is_equal(&theirs)? {
                return Ok(None);
            }
            // SAFETY: the function takes a set and gives one.
            let coalesced = unsafe { isl.give1("isl_set_coalesce", Kind::Set, &theirs) }?;
            coalesced.n_disjuncts().map(Some)
        })();
        match answer {
            Ok(Some(n)) => least = least.min(n),
            Ok(None) => return wrong(format!("{} finds {ours} different", isl.name())),
            Err(crate::isl::Failure::Quota) => return Outcome::IslGaveUp,
            Err(failure) => return wrong(failure.to_string()),
        }
    }
    Outcome::Counts { before: set.conjunctions().len(), ours: ours.conjunctions().len(), isl: least.max(1) }
}
