//! Values and accesses.

use super::super::tree::{ARRAYS, Access, Affine, HALF, Value};
use super::{Generator, OFFSET, SIZE};

impl Generator {
    pub(super) fn value(&mut self, depth: usize) -> Value {
        if depth == 0 {
            let leaf = match self.random.between(0, 9) {
                0 => Value::Constant(self.random.between(0, 9)),
                1 => Value::Number(self.affine(2, true).0),
                3 if !self.locals.is_empty() => Value::Local(*self.random.pick(&self.locals.clone())),
                2 if self.scalars > 0 => Value::Scalar(self.random.between(0, self.scalars as i64 - 1) as usize),
                _ => Value::Load(self.access(false)),
            };
            return Value::Scaled(self.random.between(1, 9), Box::new(leaf));
        }
        match self.random.between(0, 39) {
            0..=15 => self.value(0),
            16..=25 => Value::Sum(Box::new(self.value(depth - 1)), Box::new(self.value(depth - 1))),
            26..=29 => Value::Difference(Box::new(self.value(depth - 1)), Box::new(self.value(depth - 1))),
            30 => Value::Least(Box::new(self.value(0)), Box::new(self.value(0))),
            31 => Value::Greatest(Box::new(self.value(0)), Box::new(self.value(0))),
            32 => Value::Choice(Box::new(self.condition()), Box::new(self.value(0)), Box::new(self.value(0))),
            _ => Value::Product(Box::new(self.value(0)), Box::new(self.value(0))),
        }
    }

    pub(super) fn access(&mut self, written: bool) -> Access {
        let first = if !self.tame || written || self.random.chance(15) { 0 } else { 1 };
        let last = if self.tame && written { 0 } else { ARRAYS as i64 - 1 };
        let mut array = self.random.between(first, last) as usize;
        if self.temporary == Some(array) && self.random.chance(90) {
            array -= 1;
        }
        if self.has_cells(array) {
            return self.cell(array);
        }
        if self.tame && self.scope.len() >= 4 && (written || self.random.chance(80)) {
            return self.tame_access(array);
        }
        loop {
            let two = self.random.chance(75);
            let terms = if self.tame { 1 } else { *self.random.pick(&[1, 1, 1, 2]) };
            let (mut column, mut low) = self.affine(terms, false);
            if self.random.chance(6) {
                self.post(&mut column, &mut low);
            }
            let mut access = Access { array, subscripts: vec![column], ..Access::default() };
            let mut flat = low;
            if two {
                let (row, high) = self.affine(1, false);
                let corners = [
                    high.0 * self.leading.0,
                    high.0 * self.leading.1,
                    high.1 * self.leading.0,
                    high.1 * self.leading.1,
                ];
                flat.0 += corners.iter().min().unwrap_or(&0);
                flat.1 += corners.iter().max().unwrap_or(&0);
                access.subscripts.insert(0, row);
                // The whole subscript is computed in one type.
                let widened = access.subscripts.iter().any(|subscript| subscript.widened) || self.widened(flat);
                access.subscripts.iter_mut().for_each(|subscript| subscript.widened = widened);
            }
            access.wraps = self.random.chance(2) && !(two && self.leading.0 == 1);
            // A block of elements that starts here fits, too.
            if flat.0 > OFFSET - HALF && flat.1 < HALF - OFFSET - SIZE {
                return access;
            }
        }
    }

    /// An access whose row and column are different loop variables, a little shifted; the array that is written has its
    /// outer variable in the row.
    fn tame_access(&mut self, array: usize) -> Access {
        let mut row = self.random.between(2, self.scope.len() as i64 - 2) as usize;
        let mut column = self.random.between(row as i64 + 1, self.scope.len() as i64 - 1) as usize;
        if array != 0 && self.random.chance(50) {
            (row, column) = (column, row);
        }
        self.element_at(array, [row, column], 70)
    }

    /// The element whose row and column are two variables in scope, by their positions, each a little shifted in all but `plain` of 100 draws.
    pub(super) fn element_at(&mut self, array: usize, [row, column]: [usize; 2], plain: u64) -> Access {
        let mut subscript = |at: usize| {
            let (name, (low, _)) = self.scope[at].clone();
            let constant = if self.random.chance(plain) { 0 } else { self.random.between(-low.clamp(0, 1), 1) };
            Affine { constant, ..Affine::name(&name, self.widened((low + constant, low))) }
        };
        let mut subscripts = vec![subscript(row), subscript(column)];
        let widened = subscripts.iter().any(|subscript| subscript.widened);
        subscripts.iter_mut().for_each(|subscript| subscript.widened = widened);
        Access { array, subscripts, ..Access::default() }
    }
}
