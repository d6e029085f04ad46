//! Random wide systems for lexicographic optima: 4 to 12 variables, dense or sparse rows, coefficients of up to 255.
//!
//! Every system is bounded: by a box, or by `x >= 0` and one row with positive coefficients. Most have a point, around
//! which the rows are placed; some rows have a random constant, so that some systems are empty. A part has equalities
//! or a parameter.

use crate::differential::operand::{Operand, Part};
use crate::differential::random::Random;

/// A system to be minimised (or maximised) in lexicographic order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wide {
    /// The kind of system, for tables.
    pub class: String,
    /// Number of variables.
    pub n: usize,
    /// The set.
    pub operand: Operand,
    /// Whether the maximum is wanted.
    pub maximum: bool,
}

/// The size of coefficients.
#[derive(Clone, Copy)]
enum Size {
    /// At most 3.
    Tiny,
    /// At most 20.
    Small,
    /// At most 255.
    Byte,
    /// Between 200 and 255.
    Near255,
}

impl Size {
    fn coefficient(self, random: &mut Random) -> i64 {
        let size = match self {
            Size::Tiny => random.range(1, 3),
            Size::Small => random.range(1, 20),
            Size::Byte => random.range(1, 255),
            Size::Near255 => random.range(200, 255),
        };
        if random.chance(50) { size } else { -size }
    }

    fn name(self) -> &'static str {
        match self {
            Size::Tiny => "3",
            Size::Small => "20",
            Size::Byte => "255",
            Size::Near255 => "near 255",
        }
    }
}

fn linear(row: &[i64], names: &[String]) -> String {
    let mut text = String::new();
    for (c, name) in row.iter().zip(names).filter(|(c, _)| **c != 0) {
        let sign = if *c < 0 { " - " } else { " + " };
        text += sign;
        text += &format!("{}{name}", c.abs());
    }
    match text.strip_prefix(" + ") {
        Some(rest) => rest.into(),
        None if text.is_empty() => "0".into(),
        None => text,
    }
}

impl Wide {
    /// Draws a system of `least` to `most` variables.
    pub fn draw(random: &mut Random, least: usize, most: usize) -> Wide {
        let n = random.range(least as i64, most as i64) as usize;
        let size = *random.pick(&[Size::Tiny, Size::Small, Size::Byte, Size::Near255]);
        let dense = random.chance(50);
        let boxed = random.chance(70);
        let parametric = random.chance(15);
        let n_eq = if random.chance(30) { 1 + random.below(2) } else { 0 };
        let n_ineq = n / 2 + random.below(n);
        let high = *random.pick(&[4, 10, 50, 255]);
        let names: Vec<String> = (0..n).map(|k| format!("x{k}")).collect();
        let point: Vec<i64> = (0..n).map(|_| random.range(0, high)).collect();
        let mut constraints = Vec::new();
        if boxed {
            constraints.extend(names.iter().map(|x| format!("0 <= {x} <= {high}")));
        } else {
            constraints.extend(names.iter().map(|x| format!("{x} >= 0")));
            let row: Vec<i64> = (0..n).map(|_| size.coefficient(random).abs()).collect();
            let value: i64 = row.iter().zip(&point).map(|(a, b)| a * b).sum();
            constraints.push(format!("{} <= {}", linear(&row, &names), value + random.range(0, 100)));
        }
        for k in 0..n_eq + n_ineq {
            let row: Vec<i64> =
                (0..n).map(|_| if dense || random.chance(300 / n) { size.coefficient(random) } else { 0 }).collect();
            let value: i64 = row.iter().zip(&point).map(|(a, b)| a * b).sum();
            let left = linear(&row, &names);
            constraints.push(if k < n_eq {
                format!("{left} = {value}")
            } else if random.chance(8) {
                format!("{left} >= {}", value + random.range(-300, 300))
            } else {
                let param =
                    if parametric && k % 2 == 0 { format!(" + {}p", random.range(-3, 3)) } else { String::new() };
                format!("{left} >= {}{param}", value - random.range(0, 60))
            });
        }
        if parametric {
            constraints.push("0 <= p <= 20".into());
        }
        let head = format!("[{}]", names.join(", "));
        let part = Part { head, exists: Vec::new(), constraints, fixed: Vec::new() };
        let params = if parametric { vec!["p".into()] } else { Vec::new() };
        let operand = Operand::Parts { params, prefix: String::new(), parts: vec![part] };
        let kind = if parametric {
            "parametric"
        } else if dense {
            "dense"
        } else {
            "sparse"
        };
        Wide { class: format!("{kind}, {}", size.name()), n, operand, maximum: random.chance(50) }
    }
}
