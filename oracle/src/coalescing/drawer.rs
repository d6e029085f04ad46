//! What the pairs of a rule consist of: linear forms, small bounded shapes and their pieces.

use crate::differential::random::Random;

use super::points::hull_of_points;

/// The names of the dimensions.
pub(super) const NAMES: [&str; 3] = ["i0", "i1", "i2"];

/// Draws the pieces of one pair.
pub(super) struct Drawer<'r> {
    pub(super) random: &'r mut Random,
    /// The number of dimensions.
    pub(super) n: usize,
    /// Whether there is a parameter, added to constants now and then.
    pub(super) param: bool,
}

/// A linear form: the constant, the coefficients, that of the parameter.
pub(super) type Form = Vec<i64>;

impl Drawer<'_> {
    pub(super) fn form(&mut self, most: i64) -> Form {
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

    pub(super) fn text(&self, form: &[i64]) -> String {
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
    pub(super) fn shape(&mut self) -> Vec<String> {
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
    pub(super) fn redescribed(&mut self, shape: &[String]) -> String {
        let plain = shape.join(" and ");
        if self.param || self.random.chance(50) {
            return plain;
        }
        hull_of_points(self.n, &plain).unwrap_or(plain)
    }

    pub(super) fn with(&self, shape: &[String], more: &str) -> Vec<String> {
        shape.iter().cloned().chain([more.to_string()]).collect()
    }

    /// A form with a constant that splits shapes near the middle.
    pub(super) fn axis(&mut self, most: i64) -> Form {
        let mut form = self.form(most);
        form[0] = self.random.range(-4, 4);
        form
    }

    pub(super) fn modulo(&mut self) -> (String, i64) {
        let form = self.axis(2);
        (self.text(&form), self.random.range(2, 5))
    }

    pub(super) fn split(&mut self, whole: &[String]) -> Vec<String> {
        let axis = self.axis(1);
        let axis = self.text(&axis);
        vec![
            self.with(whole, &format!("{axis} >= 0")).join(" and "),
            self.with(whole, &format!("{axis} < 0")).join(" and "),
        ]
    }

    pub(super) fn slice(&mut self, whole: &[String]) -> Vec<String> {
        let axis = self.axis(1);
        let axis = self.text(&axis);
        vec![
            self.with(whole, &format!("{axis} >= 1")).join(" and "),
            self.with(whole, &format!("{axis} = 0")).join(" and "),
        ]
    }
}
