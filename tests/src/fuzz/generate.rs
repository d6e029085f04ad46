//! Making a random case: every expression is drawn together with the interval of its values, and drawn again when the
//! interval does not fit its use.

use super::program::{
    ARRAYS, Access, Affine, Call, Case, Condition, Element, Form, HALF, Integer, Item, Target, Value,
};
use super::random::Random;

/// Largest value of the sizes `n` and `m`.
const SIZE: i64 = 18;

/// Largest absolute value of the leading dimension.
const LEADING: i64 = 24;

/// Largest offset of an array from the middle of its pool.
const OFFSET: i64 = 400;

/// The closed interval of the values of an expression.
type Interval = (i64, i64);

/// The case of `seed`. Cost: nothing to speak of.
pub fn generate(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let parameter = *random.pick(&[Integer::Int, Integer::Long, Integer::Unsigned, Integer::Size]);
    let element =
        *random.pick(&[Element::Double, Element::Double, Element::Double, Element::Float, Element::U32, Element::U8]);
    let c99 = random.chance(25);
    let restricted = random.chance(15);
    let scalars = random.between(0, 2) as usize;
    let depth = *random.pick(&[1, 2, 2, 2, 3, 3, 3]);
    let negative = parameter.is_signed() && !c99 && random.chance(20);
    let mut generator = Generator {
        random,
        parameter,
        // Types are mixed in a part of the cases; then every term is converted to `long`.
        mixed: false,
        tame: false,
        exits: false,
        scalars,
        locals: Vec::new(),
        sums: 0,
        loops: 0,
        leading: if negative { (-LEADING, LEADING) } else { (if c99 { 1 } else { 0 }, LEADING) },
        scope: Vec::new(),
    };
    generator.tame = generator.random.chance(50);
    generator.exits = generator.random.chance(30);
    generator.mixed = generator.random.chance(if generator.tame { 5 } else { 25 });
    generator.scope = ["n", "m"].map(|name| (name.to_string(), (0, SIZE))).to_vec();
    let nests = *generator.random.pick(&[1, 1, 1, 2]);
    let body = (0..nests).map(|_| generator.nest(depth)).collect();
    let calls = (0..10).map(|at| generator.call(at, restricted)).collect();
    Case { seed, parameter, element, c99, restricted, scalars, body, calls }
}

struct Generator {
    random: Random,
    parameter: Integer,
    mixed: bool,
    /// Simple bounds and subscripts, and one array that is written: most such nests can be transformed.
    tame: bool,
    /// Many statements are early exits.
    exits: bool,
    scalars: usize,
    /// The numbers of the sums around.
    locals: Vec<usize>,
    sums: usize,
    loops: usize,
    leading: Interval,
    /// Parameters, then the variables of the surrounding loops.
    scope: Vec<(String, Interval)>,
}

impl Generator {
    fn variable_type(&mut self) -> Integer {
        if self.mixed {
            *self.random.pick(&[Integer::Int, Integer::Long, Integer::Unsigned, Integer::Size])
        } else {
            self.parameter
        }
    }

    /// An affine expression over the scope. Where it may be negative, or types are mixed, it is computed in `long`.
    fn affine(&mut self, terms: i64, parameters: bool) -> (Affine, Interval) {
        let first = if parameters { 0 } else { 2 };
        let mut affine = Affine::default();
        let mut interval = (0, 0);
        if first < self.scope.len() {
            for _ in 0..terms {
                // Inner variables are the more interesting ones.
                let low = if self.random.chance(60) { first.max(self.scope.len() - 1) } else { first };
                let at = self.random.between(low as i64, self.scope.len() as i64 - 1) as usize;
                let (name, (min, max)) = self.scope[at].clone();
                if affine.terms.iter().any(|(_, other)| *other == name) {
                    continue;
                }
                let factor = if self.tame { 1 } else { *self.random.pick(&[1, 1, 1, 1, 1, -1, -1, 2]) };
                interval.0 += if factor > 0 { factor * min } else { factor * max };
                interval.1 += if factor > 0 { factor * max } else { factor * min };
                affine.terms.push((factor, name));
            }
        }
        if self.random.chance(50) {
            affine.constant = self.random.between(-2, 3);
        }
        interval = (interval.0 + affine.constant, interval.1 + affine.constant);
        affine.widened = self.widened(interval);
        (affine, interval)
    }

    fn widened(&self, interval: Interval) -> bool {
        self.mixed || (interval.0 < 0 && !self.parameter.is_signed())
    }

    /// The bound of a loop: a simple expression most of the time.
    fn bound(&mut self, upper: bool) -> (Affine, Interval) {
        if self.random.chance(if self.tame { 85 } else { 65 }) {
            let mut affine = Affine { widened: self.mixed, ..Affine::default() };
            if !upper {
                affine.constant = self.random.between(0, 2);
                return (affine.clone(), (affine.constant, affine.constant));
            }
            affine.terms.push((1, self.random.pick(&["n", "m"]).to_string()));
            return (affine, (0, SIZE));
        }
        let terms = if self.tame { 1 } else { self.random.between(1, 2) };
        self.affine(terms, true)
    }

    fn nest(&mut self, depth: usize) -> Item {
        let integer = self.variable_type();
        let (mut from, mut lowest) = self.bound(false);
        let (mut to, mut highest) = self.bound(true);
        let mut form =
            *self.random.pick(&[Form::Less, Form::Less, Form::Less, Form::LessEqual, Form::Down, Form::DownBefore]);
        if !integer.is_signed() {
            // Start values of unsigned loops must not be negative.
            if lowest.0 < 0 {
                (from, lowest) = (Affine { widened: self.mixed, ..Affine::default() }, (0, 0));
            }
            if form == Form::Down || (form == Form::DownBefore && highest.0 < 0) {
                form = Form::Less;
            }
            // `to - 1` is computed in an unsigned type unless it is widened.
            if form == Form::LessEqual && highest.0 < 1 {
                to.widened = true;
            }
        }
        if form == Form::DownBefore && (self.mixed || lowest.0 < 0 || highest.0 < 0) {
            form = Form::Less;
        }
        if lowest.1.max(highest.1) > 60 || lowest.0.min(highest.0) < -60 {
            (from, lowest) = (Affine { widened: self.mixed, ..Affine::default() }, (0, 0));
            to = Affine { terms: vec![(1, "n".to_string())], widened: self.mixed, ..Affine::default() };
            highest = (0, SIZE);
        }
        let always_one = form == Form::DownBefore || (self.tame && self.random.chance(80));
        let step = if always_one { 1 } else { *self.random.pick(&[1, 1, 1, 1, 1, 2, 3]) };
        let variable = format!("i{}", self.loops);
        self.loops += 1;
        self.scope.push((variable.clone(), (lowest.0, (highest.1 - 1).max(lowest.0))));
        let body = self.body(depth);
        self.scope.pop();
        Item::Loop { variable, integer, form, from, to, step, body }
    }

    fn body(&mut self, depth: usize) -> Vec<Item> {
        let mut body = Vec::new();
        if depth > 1 && self.random.chance(if depth == 2 { 35 } else { 8 }) {
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

    fn statement(&mut self) -> Item {
        if self.random.chance(if self.exits { 35 } else { 1 }) {
            return self.early_exit();
        }
        if self.random.chance(20) {
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

    /// An exit that is taken in some of the calls: a sum of counters and parameters that becomes too large or too small.
    fn early_exit(&mut self) -> Item {
        let (mut left, interval) = self.affine(2, true);
        let mut right = Affine { widened: true, ..Affine::default() };
        let (below, limit) = if self.random.chance(50) { ("<", interval.0) } else { (">", interval.1) };
        // Most limits are so far out that the exit is rarely, or never, taken.
        right.constant = limit + if below == "<" { self.random.between(0, 6) } else { -self.random.between(0, 12) };
        left.widened = true;
        let mut condition = Condition::Compare(left, below, right);
        if self.random.chance(5) {
            condition = Condition::Both(Box::new(condition), Box::new(self.condition()));
        }
        let number = if self.random.chance(50) { Some(self.affine(2, true).0) } else { None };
        Item::If { condition, then: vec![Item::Leave(number)], otherwise: Vec::new() }
    }

    fn store(&mut self) -> Item {
        let operator = *self.random.pick(&["=", "=", "+=", "+=", "-="]);
        let value = self.value(2);
        let own = self.locals.last().copied().filter(|_| self.random.chance(75));
        let target = if let Some(local) = own {
            Target::Local(local)
        } else if self.scalars > 0 && self.random.chance(if self.tame { 5 } else { 20 }) {
            Target::Scalar(self.random.between(0, self.scalars as i64 - 1) as usize)
        } else {
            Target::Element(self.access(true))
        };
        Item::Store { target, operator, value }
    }

    fn condition(&mut self) -> Condition {
        match self.random.between(0, 9) {
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
            _ => {
                let (left, right) = (self.condition(), self.condition());
                Condition::Both(Box::new(left), Box::new(right))
            }
        }
    }

    fn value(&mut self, depth: usize) -> Value {
        let scale = |random: &mut Random, value| Value::Scaled(random.between(1, 9), Box::new(value));
        if depth == 0 {
            let leaf = match self.random.between(0, 9) {
                0 => Value::Constant(self.random.between(0, 9)),
                1 => Value::Number(self.affine(2, true).0),
                3 if !self.locals.is_empty() => Value::Local(*self.random.pick(&self.locals.clone())),
                2 if self.scalars > 0 => Value::Scalar(self.random.between(0, self.scalars as i64 - 1) as usize),
                _ => Value::Load(self.access(false)),
            };
            return scale(&mut self.random, leaf);
        }
        match self.random.between(0, 9) {
            0..=3 => self.value(0),
            4..=6 => Value::Sum(Box::new(self.value(depth - 1)), Box::new(self.value(depth - 1))),
            7 => Value::Difference(Box::new(self.value(depth - 1)), Box::new(self.value(depth - 1))),
            _ => Value::Product(Box::new(self.value(0)), Box::new(self.value(0))),
        }
    }

    fn access(&mut self, written: bool) -> Access {
        let first = if !self.tame || written || self.random.chance(15) { 0 } else { 1 };
        let last = if self.tame && written { 0 } else { ARRAYS as i64 - 1 };
        let array = self.random.between(first, last) as usize;
        if self.tame && self.scope.len() >= 4 && (written || self.random.chance(80)) {
            return self.tame_access(array);
        }
        loop {
            let two = self.random.chance(75);
            let terms = if self.tame { 1 } else { *self.random.pick(&[1, 1, 1, 2]) };
            let (column, low) = self.affine(terms, false);
            let mut access = Access { array, subscripts: vec![column], wraps: false };
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
            if flat.0 > OFFSET - HALF && flat.1 < HALF - OFFSET {
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
        let mut subscript = |at: usize| {
            let (name, (low, _)) = self.scope[at].clone();
            let constant = if self.random.chance(70) { 0 } else { self.random.between(-low.clamp(0, 1), 1) };
            Affine { constant, terms: vec![(1, name)], widened: self.widened((low + constant, low)) }
        };
        let mut subscripts = vec![subscript(row), subscript(column)];
        let widened = subscripts.iter().any(|subscript| subscript.widened);
        subscripts.iter_mut().for_each(|subscript| subscript.widened = widened);
        Access { array, subscripts, wraps: false }
    }

    fn call(&mut self, at: usize, restricted: bool) -> Call {
        let sizes = [0, 1, 2, 3, 6, 7, 8, 9, 14, 15, 16, 17, 18];
        let (n, m) = match at {
            0 => (0, 7),
            1 => (7, 0),
            2 => (1, 1),
            _ => (*self.random.pick(&sizes), *self.random.pick(&sizes)),
        };
        let leads = [n, m, n.max(m), n + 3, 0, 1, LEADING, LEADING - 1, -n, -1, -LEADING];
        let ld = (*self.random.pick(&leads)).clamp(self.leading.0, self.leading.1);
        let mut places = [0, 1, 2].map(|array| (array, 0));
        if self.random.chance(40) && !restricted {
            let offsets = [0, 0, 1, -1, n, -n, ld, n * m, n * ld, -m * ld, OFFSET, -OFFSET];
            for place in &mut places {
                place.0 = self.random.between(0, 1) as usize;
                place.1 = (*self.random.pick(&offsets)).clamp(-OFFSET, OFFSET);
            }
        }
        Call { n, m, ld, places }
    }
}
