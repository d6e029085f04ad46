//! Loops whose iterations wait for those before, inside loops whose iterations do not: sums of rows, recurrences along rows.

use super::super::tree::{Access, Affine, Item, Target, Value};
use super::Generator;

/// Where the value that iterations hand on is kept.
#[derive(Clone, Debug)]
pub(super) enum Link {
    /// In the variable of the [`Item::Sum`] with this number.
    Local(usize),
    /// In an element that the inner loop does not move.
    Element(Access),
    /// In the element before in the same row.
    Row,
}

impl Generator {
    /// The body of a loop: one or two inner loops, of which the first carries a chain, with what stands before and behind them.
    pub(super) fn chain(&mut self) -> Vec<Item> {
        let tame = std::mem::replace(&mut self.tame, true);
        let mut body = Vec::new();
        if self.random.chance(20) {
            body.push(self.store());
        }
        if self.random.chance(60) {
            let (local, start) = (self.sums, self.value(0));
            self.sums += 1;
            self.locals.push(local);
            let mut inside = vec![self.linked(Link::Local(local))];
            if self.random.chance(25) {
                inside.push(self.nest(1));
            }
            if self.random.chance(80) {
                let value = Value::Local(local);
                let operator = *self.random.pick(&["=", "=", "+="]);
                inside.push(Item::Store { target: Target::Element(self.access(true)), operator, value });
            }
            self.locals.pop();
            body.push(Item::Sum { local, start, body: inside });
        } else {
            let link = if self.random.chance(50) { Link::Row } else { Link::Element(self.outer_element()) };
            body.push(self.linked(link));
            if self.random.chance(25) {
                body.push(self.nest(1));
            }
        }
        if self.random.chance(20) {
            body.push(self.store());
        }
        self.tame = tame;
        body
    }

    /// The element of an array that belongs to an iteration of the loop around, most often.
    fn outer_element(&mut self) -> Access {
        match self.scope.last() {
            Some((name, (low, _))) if self.random.chance(85) => {
                let subscript = Affine::name(name, self.widened((*low, *low)));
                Access { array: 0, subscripts: vec![subscript], wraps: false }
            }
            _ => self.access(true),
        }
    }

    /// A loop that carries a chain.
    fn linked(&mut self, link: Link) -> Item {
        self.link = Some(link);
        self.nest(1)
    }

    /// The body of such a loop.
    pub(super) fn links(&mut self, link: Link) -> Vec<Item> {
        let (target, old) = match link {
            Link::Local(local) => (Target::Local(local), Value::Local(local)),
            Link::Element(access) => (Target::Element(access.clone()), Value::Load(access)),
            Link::Row => {
                let to = self.access(true);
                let mut from = to.clone();
                if let Some(last) = from.subscripts.last_mut() {
                    last.constant -= if self.random.chance(80) { 1 } else { 2 };
                }
                // What is before the first element has a sign.
                from.subscripts.iter_mut().for_each(|subscript| subscript.widened = true);
                (Target::Element(to), Value::Load(from))
            }
        };
        let (old, other) = (Box::new(old), Box::new(self.value(1)));
        let factor = Box::new(self.value(0));
        let value = match self.random.between(0, 7) {
            0 => Value::Difference(other, old),
            1 => Value::Greatest(old, other),
            2 | 3 => Value::Sum(Box::new(Value::Product(old, factor)), other),
            _ => Value::Sum(old, Box::new(Value::Product(other, factor))),
        };
        let mut items = vec![Item::Store { target: target.clone(), operator: "=", value }];
        if let Target::Local(local) = target
            && self.random.chance(25)
        {
            let value = Value::Local(local);
            items.push(Item::Store { target: Target::Element(self.access(true)), operator: "=", value });
        }
        items
    }
}
