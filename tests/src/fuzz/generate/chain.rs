//! Loops whose iterations wait for those before, inside loops whose iterations do not: sums of rows, recurrences along rows, rows whose
//! elements all wait for the same one of them.

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
    /// In one element of the row, which an iteration changes like the others.
    Pivot,
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
            let mut inside = Vec::new();
            // Only some iterations of the loop around begin with another value.
            if self.random.chance(20) {
                let (condition, value) = (self.narrow_condition(), self.value(0));
                let then = vec![Item::Store { target: Target::Local(local), operator: "=", value }];
                inside.push(Item::If { condition, then, otherwise: Vec::new() });
            }
            inside.push(self.linked(Link::Local(local)));
            if self.random.chance(40) {
                inside.push(self.nest(1));
            }
            if self.random.chance(80) {
                let value = Value::Local(local);
                let operator = *self.random.pick(&["=", "=", "+="]);
                inside.push(Item::Store { target: Target::Element(self.access(true)), operator, value });
            }
            self.locals.pop();
            let mut sum = Item::Sum { local, start, body: inside };
            if let Some(older) = self.older.take() {
                let start = self.value(0);
                sum = Item::Sum { local: older, start, body: vec![sum] };
            }
            body.push(sum);
        } else {
            let link = match self.random.between(0, 2) {
                0 => Link::Row,
                1 => Link::Pivot,
                _ => Link::Element(self.outer_element()),
            };
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
                Access { array: 0, subscripts: vec![subscript], ..Access::default() }
            }
            _ => self.access(true),
        }
    }

    /// A loop that carries a chain.
    fn linked(&mut self, link: Link) -> Item {
        self.link = Some(link);
        self.nest(1)
    }

    /// A subscript that does not move with the innermost loop.
    fn pivot(&mut self) -> Affine {
        let constant = self.random.between(0, 1);
        let outer = self.scope.len().saturating_sub(1);
        if outer == 0 || self.random.chance(15) {
            return Affine::constant(constant + 2, true);
        }
        // Counters more often than sizes.
        let first = if outer > 2 && self.random.chance(75) { 2 } else { 0 };
        let at = self.random.between(first, outer as i64 - 1) as usize;
        Affine { constant: -constant, ..Affine::name(&self.scope[at].0, true) }
    }

    /// The body of such a loop.
    pub(super) fn links(&mut self, link: Link) -> Vec<Item> {
        let mut own = None;
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
            Link::Pivot => {
                let to = self.access(true);
                let mut from = to.clone();
                if let Some(last) = from.subscripts.last_mut() {
                    *last = self.pivot();
                }
                from.subscripts.iter_mut().for_each(|subscript| subscript.widened = true);
                own = self.random.chance(80).then(|| Value::Load(to.clone()));
                (Target::Element(to), Value::Load(from))
            }
        };
        let other = own.unwrap_or_else(|| self.value(1));
        let (old, other) = (Box::new(old), Box::new(other));
        let factor = Box::new(self.value(0));
        let value = match self.random.between(0, 7) {
            0 => Value::Difference(other, old),
            1 => Value::Greatest(old, other),
            2 | 3 => Value::Sum(Box::new(Value::Product(old, factor)), other),
            _ => Value::Sum(old, Box::new(Value::Product(other, factor))),
        };
        if let Target::Local(local) = target
            && self.random.chance(35)
        {
            return self.filtered(local, value);
        }
        let mut items = vec![Item::Store { target: target.clone(), operator: "=", value }];
        if let Target::Local(local) = target
            && self.random.chance(25)
        {
            let value = Value::Local(local);
            items.push(Item::Store { target: Target::Element(self.access(true)), operator: "=", value });
        }
        items
    }

    /// An iteration of a filter along a row: its result depends on those of the last two iterations, and what is written is read again.
    fn filtered(&mut self, last: usize, value: Value) -> Vec<Item> {
        let older = self.sums;
        self.sums += 1;
        self.older = Some(older);
        let to = self.access(true);
        let factor = Box::new(self.value(0));
        let value = Value::Sum(Box::new(value), Box::new(Value::Product(Box::new(Value::Local(older)), factor)));
        let again = if self.random.chance(50) { Value::Load(to.clone()) } else { value.clone() };
        let store = |target, value| Item::Store { target, operator: "=", value };
        vec![
            store(Target::Element(to), value),
            store(Target::Local(older), Value::Local(last)),
            store(Target::Local(last), again),
        ]
    }
}
