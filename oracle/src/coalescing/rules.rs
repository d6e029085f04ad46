//! The rules and the pairs of each.
//!
//! For most rules a whole is drawn first, a small set of one to three dimensions, perhaps with strides, divisions,
//! quantified variables or a parameter, and is split so that the pieces lie as the rule says. The pieces then get
//! descriptions of their own: those of plain shapes are described by the facets of their integer hulls half of the
//! time. Other rules draw two conjunctions that need not fit.

use crate::differential::operand::{Operand, Part};
use crate::differential::random::Random;

use super::drawer::{Drawer, Form, NAMES};
use super::points::hull;

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
    "pieces of a line",
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

impl Drawer<'_> {
    fn pieces(&mut self, rule: &str) -> Vec<String> {
        let whole = self.shape();
        match rule {
            "points" => self.points(),
            "pieces of a line" => self.line(),
            "residue classes" => self.residue_classes(&whole),
            "strided, split" | "strided, equality slice" | "stride against none" => self.strided(rule, &whole),
            "divisions, split" | "divisions, equality slice" | "aligned divisions" => self.divisions(rule, &whole),
            "existentials, split" | "existentials, sub-set" | "two existentials, split" => {
                self.existentials(rule, &whole)
            }
            "boxes" => self.boxes(),
            "polygons" => self.polygons(),
            "strided boxes" => self.strided_boxes(),
            "segments and boxes" => self.segments(),
            _ => self.plain(rule, &whole),
        }
    }

    /// Plain shapes that are cut.
    fn plain(&mut self, rule: &str, whole: &[String]) -> Vec<String> {
        match rule {
            "subset" => {
                let form = self.axis(2);
                let op = *self.random.pick(&[">=", "="]);
                let part = self.with(whole, &format!("{} {op} 0", self.text(&form)));
                let (a, b) = (self.redescribed(&part), self.redescribed(whole));
                vec![a, b]
            }
            "cut" => {
                let mut axis = self.axis(1);
                let low = self.with(whole, &format!("{} >= 0", self.text(&axis)));
                axis[0] -= self.random.range(1, 3);
                let high = self.with(whole, &format!("{} <= 0", self.text(&axis)));
                vec![self.redescribed(&low), self.redescribed(&high)]
            }
            "adjacent inequalities" => {
                let axis = self.axis(1);
                let axis = self.text(&axis);
                let (a, b) = (self.with(whole, &format!("{axis} >= 0")), self.with(whole, &format!("{axis} <= -1")));
                vec![self.redescribed(&a), self.redescribed(&b)]
            }
            "adjacent, one cut further" => {
                let (axis, cut) = (self.axis(1), self.axis(1));
                let axis = self.text(&axis);
                let (a, b) = (self.with(whole, &format!("{axis} >= 0")), self.with(whole, &format!("{axis} <= -1")));
                let b = self.with(&b, &format!("{} >= 0", self.text(&cut)));
                vec![self.redescribed(&a), self.redescribed(&b)]
            }
            "extension by an equality" => {
                let axis = self.axis(1);
                let axis = self.text(&axis);
                let (a, b) = (self.with(whole, &format!("{axis} >= 1")), self.with(whole, &format!("{axis} = 0")));
                vec![self.redescribed(&a), self.redescribed(&b)]
            }
            "wrapping around an equality" => {
                let (axis, cut) = (self.axis(1), self.axis(1));
                let axis = self.text(&axis);
                let (a, b) = (self.with(whole, &format!("{axis} >= 1")), self.with(whole, &format!("{axis} = 0")));
                let b = self.with(&b, &format!("{} >= 0", self.text(&cut)));
                vec![self.redescribed(&a), self.redescribed(&b)]
            }
            _ => {
                let axis = self.axis(2);
                let mut next = axis.clone();
                next[0] += 1;
                let mut a = self.with(whole, &format!("{} = 0", self.text(&axis)));
                let mut b = self.with(whole, &format!("{} = 0", self.text(&next)));
                if self.random.chance(40) {
                    let cut = self.axis(1);
                    let end = if self.random.chance(50) { &mut a } else { &mut b };
                    end.push(format!("{} >= 0", self.text(&cut)));
                }
                vec![a.join(" and "), b.join(" and ")]
            }
        }
    }

    fn points(&mut self) -> Vec<String> {
        let names = &NAMES[..self.n];
        let first: Vec<i64> = names.iter().map(|_| self.random.range(-4, 4)).collect();
        let step: Vec<i64> = names.iter().map(|_| self.random.range(-2, 2)).collect();
        let point = |k: i64| {
            let values = names.iter().enumerate().map(|(d, x)| format!("{x} = {}", first[d] + k * step[d]));
            values.collect::<Vec<_>>().join(" and ")
        };
        (0..2 + self.random.below(3) as i64).map(point).collect()
    }

    /// Two pieces of a line that follow each other, often points: `i1 = 2i0 and 0 <= i0 <= 4`, and `i0 = 5 and i1 = 10`.
    /// Of three dimensions the line takes only two now and then; the last one has the same interval in both pieces.
    fn line(&mut self) -> Vec<String> {
        let n = if self.n == 3 && self.random.chance(30) { 2 } else { self.n };
        // From one point of the line to the next; with a common divisor there would be points between them.
        let step = loop {
            let step: Vec<i64> = (0..n).map(|_| self.random.range(-3, 3)).collect();
            if step.iter().fold(0, |g, x| gcd(g, *x)) == 1 {
                break step;
            }
        };
        // How far a dimension is from its value at the first point.
        let from_first: Vec<Form> = (0..n)
            .map(|d| {
                let mut form = vec![0; self.n + 2];
                form[0] = self.random.range(-4, 4);
                form[self.n + 1] = -i64::from(self.param && self.random.chance(30));
                form[d + 1] = 1;
                form
            })
            .collect();
        let moving: Vec<usize> = (0..n).filter(|d| step[*d] != 0).collect();
        let along = *self.random.pick(&moving);
        let mut line: Vec<String> = Vec::new();
        for d in (0..n).filter(|d| *d != along) {
            let terms = from_first[d].iter().zip(&from_first[along]);
            let form: Form = terms.map(|(x, y)| step[along] * x - step[d] * y).collect();
            line.push(format!("{} = 0", self.text(&form)));
        }
        if n < self.n {
            line.push(format!("0 <= {} <= {}", NAMES[n], self.random.range(1, 4)));
        }
        let (length, more) = (self.random.range(1, 5), *self.random.pick(&[0, 0, 1, 2]));
        let next = if self.random.chance(50) { (-1 - more, -1) } else { (length + 1, length + 1 + more) };
        // Only every second or third point now and then.
        let whole = self.text(&from_first[along]);
        let every = step[along] * *self.random.pick(&[1, 1, 1, 2, 3]);
        if every != step[along] {
            line.push(format!("({whole}) mod {} = 0", every.abs()));
        }
        let piece = |(low, high): (i64, i64)| {
            let (low, high) = (low * every, high * every);
            let ends = format!("{} <= {whole} <= {}", low.min(high), low.max(high));
            self.with(&line, &ends).join(" and ")
        };
        vec![piece((0, length)), piece(next)]
    }

    fn residue_classes(&mut self, whole: &[String]) -> Vec<String> {
        let (form, m) = self.modulo();
        let first = self.random.range(0, m - 1);
        let step = self.random.range(1, m - 1);
        let class =
            |k: i64| format!("{} and ({form}) mod {m} = {}", whole.join(" and "), (first + k * step).rem_euclid(m));
        (0..2 + self.random.below(m as usize - 1) as i64).map(class).collect()
    }

    fn strided(&mut self, rule: &str, whole: &[String]) -> Vec<String> {
        let (form, m) = self.modulo();
        let r = self.random.range(0, m - 1);
        let strided = self.with(whole, &format!("({form}) mod {m} = {r}"));
        match rule {
            "strided, split" => self.split(&strided),
            "strided, equality slice" => self.slice(&strided),
            _ => {
                let axis = self.axis(1);
                let rest = self.with(&strided, &format!("{} >= 0", self.text(&axis)));
                vec![rest.join(" and "), self.with(&strided, &format!("{} = -{m}", self.text(&axis))).join(" and ")]
            }
        }
    }

    fn divisions(&mut self, rule: &str, whole: &[String]) -> Vec<String> {
        let (form, m) = self.modulo();
        let other = self.axis(1);
        let sign = *self.random.pick(&["<=", ">="]);
        let bounded = self.with(whole, &format!("floor(({form})/{m}) {sign} {}", self.text(&other)));
        match rule {
            "divisions, split" => self.split(&bounded),
            "divisions, equality slice" => self.slice(&bounded),
            _ => {
                let r = self.random.range(0, m - 1);
                let cut = format!("floor(({form} + {r})/{m}) {sign} {}", self.text(&other));
                vec![bounded.join(" and "), self.with(whole, &cut).join(" and ")]
            }
        }
    }

    fn existentials(&mut self, rule: &str, whole: &[String]) -> Vec<String> {
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
                vec![whole.join(" and "), self.with(whole, &format!("{axis} >= 0")).join(" and ")]
            }
            _ => self.split(whole),
        };
        pieces.into_iter().map(|p| format!("exists ({names} : {inner} and {p})")).collect()
    }

    fn boxes(&mut self) -> Vec<String> {
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

    fn polygons(&mut self) -> Vec<String> {
        // Hulls of a few points that are near each other.
        let pieces = (0..2).map(|_| {
            let points: Vec<String> = (0..2 + self.random.below(4))
                .map(|_| {
                    let values: Vec<String> = (0..self.n).map(|_| self.random.range(-1, 2).to_string()).collect();
                    format!("[{}]", values.join(", "))
                })
                .collect();
            hull(&format!("{{ {} }}", points.join("; "))).unwrap_or_default()
        });
        pieces.filter(|p| !p.is_empty()).collect()
    }

    fn strided_boxes(&mut self) -> Vec<String> {
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

    /// A box and a slice of a box, or two boxes that differ by one at most.
    fn segments(&mut self) -> Vec<String> {
        let mut sides = [Vec::new(), Vec::new()];
        for name in &NAMES[..self.n] {
            let low = self.random.range(-3, 2);
            let high = low + self.random.range(0, 5);
            sides[0].push(format!("{low} <= {name} <= {high}"));
            sides[1].push(match self.random.below(3) {
                0 => format!("{name} = {}", high + 1),
                1 => format!("{} <= {name} <= {}", low + self.random.range(-1, 1), high + self.random.range(-1, 1)),
                _ => format!("{low} <= {name} <= {high}"),
            });
        }
        sides.iter().map(|s| s.join(" and ")).collect()
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
