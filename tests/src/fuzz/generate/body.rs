//! Bodies: statements, conditions, early exits.

use super::super::tree::{Affine, Condition, Item, Leave, Target, Value};
use super::Generator;

impl Generator {
    pub(super) fn body(&mut self, depth: usize) -> Vec<Item> {
        if let Some(link) = self.link.take() {
            return self.links(link);
        }
        if self.columns {
            return self.down_columns(depth);
        }
        if self.sweeps {
            return self.sweep(depth);
        }
        if self.chains && depth == 2 && self.random.chance(75) {
            return self.chain();
        }
        if self.fields.is_some() && depth > 1 && self.random.chance(60) {
            return vec![self.nest(depth - 1)];
        }
        if self.products && self.random.chance(85) {
            return match depth {
                2 if self.random.chance(35) => vec![self.sum_of_products()],
                2 if self.random.chance(30) => self.rows_in_place(),
                depth if depth > 1 => vec![self.nest(depth - 1)],
                _ => self.products(),
            };
        }
        let mut body = Vec::new();
        if depth > 1
            && self.random.chance(if depth != 2 {
                8
            } else if self.odd {
                75
            } else {
                35
            })
        {
            body.push(self.sum(depth));
        } else if depth > 1 {
            let before = self.random.chance(25);
            let after = self.random.chance(25);
            if before {
                body.push(self.statement());
            }
            body.push(self.nest(depth - 1));
            if after {
                body.push(self.statement());
            }
            if self.random.chance(15) {
                body.push(self.nest(depth - 1));
            }
        } else if self.random.chance(15) {
            body = self.temporary();
        } else if self.fields.is_some() && self.random.chance(85) {
            body = self.meeting();
        } else {
            for _ in 0..*self.random.pick(&[1, 1, 2, 3]) {
                body.push(self.statement());
            }
        }
        body
    }

    fn sum(&mut self, depth: usize) -> Item {
        let (local, start) = (self.sums, self.value(0));
        self.sums += 1;
        self.locals.push(local);
        let mut body = vec![self.nest(depth - 1)];
        for _ in 0..self.random.between(1, 2) {
            let other = self.value(1);
            let value = match self.random.between(0, 3) {
                0 => Value::Local(local),
                1 => Value::Product(Box::new(Value::Local(local)), Box::new(self.value(0))),
                _ => Value::Sum(Box::new(Value::Local(local)), Box::new(other)),
            };
            let operator = *self.random.pick(&["=", "=", "+=", "-="]);
            body.push(Item::Store { target: Target::Element(self.access(true)), operator, value });
        }
        self.locals.pop();
        Item::Sum { local, start, body }
    }

    pub(super) fn statement(&mut self) -> Item {
        if self.random.chance(if self.exits { 35 } else { 1 }) {
            return self.early_exit();
        }
        if self.random.chance(if self.tame { 1 } else { 3 }) && self.fields.is_none() {
            return self.block();
        }
        if self.random.chance(if self.tame { 12 } else { 20 }) {
            let condition = self.condition();
            let then = if self.random.chance(4) {
                vec![self.random.pick(&[Item::Break, Item::Continue]).clone()]
            } else {
                vec![self.store()]
            };
            let otherwise = if self.random.chance(30) { vec![self.store()] } else { Vec::new() };
            return Item::If { condition, then, otherwise };
        }
        self.store()
    }

    /// `memset` or `memmove` of a few elements.
    fn block(&mut self) -> Item {
        let counts = [Affine::name("n", self.mixed), Affine::name("m", self.mixed), Affine::constant(3, self.mixed)];
        let count = self.random.pick(&counts).clone();
        let to = self.access(true);
        if self.random.chance(60) {
            Item::Fill { from: to, count, byte: *self.random.pick(&[0, 0, 0, 1, 63]) }
        } else {
            Item::Move { to, from: self.access(false), count }
        }
    }

    /// An exit that is taken in some of the calls: a sum of counters and parameters that becomes too large or too small.
    fn early_exit(&mut self) -> Item {
        let (mut left, interval) = self.affine(2, true);
        let (below, limit) = if self.random.chance(50) { ("<", interval.0) } else { (">", interval.1) };
        // Most limits are so far out that the exit is rarely, or never, taken.
        let away = if below == "<" { self.random.between(0, 6) } else { -self.random.between(0, 12) };
        left.widened = true;
        let mut condition = Condition::Compare(left, below, Affine::constant(limit + away, true));
        if self.random.chance(15) {
            let (affine, operator) = (self.affine(2, true).0, *self.random.pick(&[">=", ">=", ">", "==", "<"]));
            condition = Condition::Length(affine, operator, self.access(false), self.added());
        }
        if self.random.chance(5) {
            condition = Condition::Both(Box::new(condition), Box::new(self.condition()));
        }
        let leave = match self.random.between(0, 9) {
            0..=4 => Leave::Return,
            5..=7 => Leave::Message(self.affine(2, true).0),
            _ => Leave::Abort(self.affine(2, true).0),
        };
        Item::If { condition, then: vec![Item::Leave(leave)], otherwise: Vec::new() }
    }

    pub(super) fn store(&mut self) -> Item {
        let own = self.locals.last().copied().filter(|_| self.random.chance(75));
        let target = if let Some(local) = own {
            Target::Local(local)
        } else if self.scalars > 0 && self.random.chance(if self.tame { 5 } else { 20 }) {
            Target::Scalar(self.random.between(0, self.scalars as i64 - 1) as usize)
        } else {
            Target::Element(self.access(true))
        };
        let value = self.value(2);
        if self.random.chance(8) {
            // The smallest or largest so far.
            let old = Box::new(match &target {
                Target::Element(access) => Value::Load(access.clone()),
                Target::Scalar(scalar) => Value::Scalar(*scalar),
                Target::Local(local) => Value::Local(*local),
            });
            let value = Box::new(value);
            let value = if self.random.chance(50) { Value::Least(old, value) } else { Value::Greatest(old, value) };
            return Item::Store { target, operator: "=", value };
        }
        let operator = if self.element.is_float() || self.random.chance(70) {
            *self.random.pick(&["=", "=", "+=", "+=", "-="])
        } else {
            *self.random.pick(&["^=", "&=", "|=", "*="])
        };
        Item::Store { target, operator, value }
    }

    /// What is added to a length.
    fn added(&mut self) -> i64 {
        if self.random.chance(50) { 0 } else { self.random.between(-9, 9) }
    }

    pub(super) fn condition(&mut self) -> Condition {
        match self.random.between(0, 12) {
            0..=5 => {
                let (mut left, _) = self.affine(2, true);
                let (mut right, _) = self.affine(1, true);
                let operator = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                left.widened = true;
                right.widened = true;
                Condition::Compare(left, operator, right)
            }
            6 | 7 => {
                let (affine, _) = self.affine(2, true);
                Condition::Remainder(affine, self.random.between(2, 4))
            }
            8 => Condition::Positive(self.access(false)),
            9 => {
                let (affine, operator) = (self.affine(2, true).0, *self.random.pick(&["<", "<=", ">", ">=", "=="]));
                Condition::Length(affine, operator, self.access(false), self.added())
            }
            10 | 11 => {
                let (left, right) = (self.affine(2, true).0, self.affine(1, true).0);
                let operator = *self.random.pick(&["<", "<", "<=", ">", ">="]);
                Condition::Unsigned(left, operator, right, *self.random.pick(&[32, 64]))
            }
            _ => {
                let (left, right) = (self.condition(), self.condition());
                Condition::Both(Box::new(left), Box::new(right))
            }
        }
    }
}
