//! Nests of three loops whose elements move along two of them each, as those of matrix products do, in any order of loops and subscripts:
//!
//! ```c
//! for (int i = 0; i < n; i++)
//!     for (int k = 0; k < m; k++)
//!         for (int j = 0; j < n; j++)
//!             a[i][j] += 2 * b[i][k] * c[k][j] - b[k][j + 1];
//! ```
//!
//! Elements that stay along a loop are what register tiles are for, if all others lie side by side along the innermost one. So most products
//! have one loop along which rows run. A quarter of the bounds are counters of outer loops (`k <= i`, `j = i + 1`), as for triangular matrices,
//! a third of the innermost loops add to a variable that is stored behind them, and a fifth compute rows from others in place.
//!
//! Elements may be records, as complex numbers are: then all fields of one are computed, one after the other, of fields of others.

use super::super::tree::{ARRAYS, Access, Affine, Form, Item, Loop, Target, Value};
use super::Generator;

impl Generator {
    /// One statement, or two, into the array that is written.
    pub(super) fn products(&mut self) -> Vec<Item> {
        let innermost = self.scope.len() - 1;
        let along = *self.random.pick(&[Some(innermost), Some(innermost), Some(innermost - 1), None]);
        if self.fields.is_some() {
            return self.products_of_records(along);
        }
        let count = *self.random.pick(&[1, 1, 1, 2]);
        (0..count).map(|_| self.product_statement(along)).collect()
    }

    /// A sum of products in a variable, inside two loops: `{ s = c[i][j]; for k: s += b[i][k] * c[k][j]; a[i][j] = 3 * s; }`.
    pub(super) fn sum_of_products(&mut self) -> Item {
        let around = [self.scope.len() - 2, self.scope.len() - 1];
        let target = self.element_at(0, around, 85);
        let local = self.sums;
        self.sums += 1;
        let start = match self.random.between(0, 2) {
            0 => Value::Load(target.clone()),
            _ => self.value(0),
        };
        self.locals.push(local);
        let inner = self.nest(1);
        self.locals.pop();
        let value = match self.random.between(0, 3) {
            0 => Value::Sum(Box::new(Value::Local(local)), Box::new(Value::Load(target.clone()))),
            1 => Value::Scaled(self.random.between(2, 5), Box::new(Value::Local(local))),
            _ => Value::Local(local),
        };
        let operator = *self.random.pick(&["=", "=", "=", "+="]);
        let store = Item::Store { target: Target::Element(target), operator, value };
        Item::Sum { local, start, body: vec![inner, store] }
    }

    /// A row computed in place from those behind it or in front of it, inside two loops, as in products with triangular matrices and in
    /// solutions: `a[i][j] = 2 * a[i][j]; for k > i: a[i][j] += b[i][k] + a[k][j];`.
    pub(super) fn rows_in_place(&mut self) -> Vec<Item> {
        let integer = self.variable_type();
        let outer = self.scope.len() - 2;
        let (name, (low, high)) = self.scope[outer].clone();
        if low < 0 && !integer.is_signed() {
            return vec![self.nest(1)];
        }
        let is_behind = self.random.chance(50);
        let constant = if is_behind { self.random.between(0, 9).min(1) } else { self.random.between(-8, 1).max(0) };
        let counter = Affine { constant, ..Affine::name(&name, self.widened((low + constant, high + constant))) };
        let size = *self.random.pick(&["n", "m"]);
        let (from, to, interval) = match is_behind {
            true => (counter, Affine::name(size, self.mixed), (low + constant, self.size)),
            false => (Affine::constant(0, self.mixed), counter, (0, high + constant)),
        };
        let place = [outer, outer + 1];
        let own = |generator: &mut Generator, plain| generator.element_at(0, place, plain);
        let mut items = Vec::new();
        if self.random.chance(50) {
            let value = Value::Scaled(2, Box::new(Value::Load(own(self, 100))));
            items.push(Item::Store { target: Target::Element(own(self, 100)), operator: "=", value });
        }
        let variable = format!("i{}", self.loops);
        self.loops += 1;
        self.scope.push((variable.clone(), interval));
        let factor = Value::Load(self.element_at(1, [outer, outer + 2], 90));
        let row = Value::Load(self.element_at(0, [outer + 2, outer + 1], 92));
        let value = match self.random.chance(25) {
            true => Value::Product(Box::new(factor), Box::new(row)),
            false => Value::Sum(Box::new(factor), Box::new(row)),
        };
        let operator = *self.random.pick(&["+=", "+=", "-="]);
        let body = vec![Item::Store { target: Target::Element(own(self, 97)), operator, value }];
        self.scope.pop();
        let (form, counted) = (Form::Less, self.random.chance(25));
        items.push(Item::Loop(Loop { variable, integer, form, from, to, also: None, step: 1, counted, body }));
        if self.random.chance(50) {
            let value = Value::Sum(Box::new(Value::Load(own(self, 100))), Box::new(self.value(0)));
            items.push(Item::Store { target: Target::Element(own(self, 97)), operator: "=", value });
        }
        items
    }

    /// A bound of a loop that is the counter of one around it, or the next number.
    pub(super) fn triangular(&mut self) -> (Affine, (i64, i64)) {
        let at = self.random.between(2, self.scope.len() as i64 - 1) as usize;
        let (name, (min, max)) = self.scope[at].clone();
        let constant = self.random.between(0, 1);
        let interval = (min + constant, max + constant);
        let widened = self.widened(interval);
        (Affine { constant, ..Affine::name(&name, widened) }, interval)
    }

    fn product_statement(&mut self, along: Option<usize>) -> Item {
        let element = Target::Element(self.element_of_product(0, along));
        let target = self.locals.last().map_or(element, |local| Target::Local(*local));
        let operator = *self.random.pick(&["+=", "+=", "+=", "-=", "="]);
        let mut value = self.product(along);
        if self.random.chance(25) {
            value = match self.random.between(0, 2) {
                0 => Value::Sum(Box::new(value), Box::new(self.product(along))),
                1 => Value::Difference(Box::new(self.product(along)), Box::new(value)),
                _ => Value::Sum(Box::new(value), Box::new(self.value(0))),
            };
        }
        let store = Item::Store { target, operator, value };
        if self.random.chance(6) {
            return Item::If { condition: self.condition(), then: vec![store], otherwise: Vec::new() };
        }
        store
    }

    /// `a[i][j].v0 += b[i][k].v0 * c[k][j].v1; a[i][j].v1 -= b[i][k].v1 * c[k][j].v1;`: now and then without one of the fields, or with one of another record.
    fn products_of_records(&mut self, along: Option<usize>) -> Vec<Item> {
        let count = self.fields.map_or(1, |fields| fields.count);
        let home = self.element_of_product(0, along);
        let mut items = Vec::new();
        for field in 0..count {
            if self.random.chance(6) {
                continue;
            }
            let Item::Store { operator, value, .. } = self.product_statement(along) else { continue };
            let target = match self.random.chance(4) {
                true => self.element_of_product(0, along),
                false => Access { field, ..home.clone() },
            };
            items.push(Item::Store { target: Target::Element(target), operator, value });
        }
        items
    }

    fn product(&mut self, along: Option<usize>) -> Value {
        let factor = |generator: &mut Generator| {
            // Now and then what is written is read elsewhere.
            let array = if generator.random.chance(5) { 0 } else { generator.random.between(1, ARRAYS as i64 - 1) };
            Value::Load(generator.element_of_product(array as usize, along))
        };
        let (left, right) = (factor(self), factor(self));
        let right = Value::Scaled(self.random.between(1, 9), Box::new(right));
        Value::Product(Box::new(left), Box::new(right))
    }

    /// An element whose row and column are two of the three innermost loops, a little shifted. Only columns move with the loop `along`.
    fn element_of_product(&mut self, array: usize, along: Option<usize>) -> Access {
        let loops = self.scope.len() - 3..self.scope.len();
        let rows: Vec<usize> = loops.clone().filter(|at| Some(*at) != along).collect();
        let row = *self.random.pick(&rows);
        let columns: Vec<usize> = loops.filter(|at| *at != row).collect();
        let column = match along {
            Some(along) if self.random.chance(50) => along,
            _ => *self.random.pick(&columns),
        };
        let field = if self.has_cells(array) { self.field() } else { 0 };
        Access { field, ..self.element_at(array, [row, column], 85) }
    }
}
