//! Arrays of cells with fields: elements of one type that lie beside each other in memory, as in an array of structures. An iteration
//! writes and reads fields of its own cell, beside those of a cell that the same counters select in another way: on a diagonal,
//! transposed, shifted. Accesses of one iteration then may meet, but only at some iterations:
//!
//! ```c
//! for (long j = 0; j < n; j++)
//!     for (long p = 0; p < n; p++) {
//!         a[p][m][j].v0 = 0.5 * a[p][m][j].v1;
//!         a[p][m][j].v1 = 0.25 * a[p][j][j].v0;
//!     }
//! ```
//!
//! LLVM stores neighbours together, and must not do so behind a read between them. The same cells are written as `a[k][1]` and, in
//! plain arrays, as `a[2 * k + 1]`.

use super::super::BackEnd;
use super::super::random::Random;
use super::super::tree::{ARRAYS, Access, Affine, Element, Fields, HALF, Item, Layout, Target, Value};
use super::{Generator, Interval, LEADING, OFFSET, SIZE};

/// Arrays of cells begin so far before the middle of their pool, as few subscripts are negative.
const BEFORE: i64 = 3000;

/// The fields of a case. One that is an array of C99 has no flat cells.
pub(super) fn draw(random: &mut Random, back_end: BackEnd, c99: bool) -> Fields {
    let layout = match random.between(0, 2) {
        0 if !(c99 && back_end == BackEnd::C) => Layout::Flat,
        0 | 1 => Layout::Arrays,
        _ => Layout::Structures,
    };
    let count = *random.pick(&[2, 2, 2, 3, 4]);
    let dimensions = *random.pick(&[1, 2, 2, 2, 3, 3, 3]);
    Fields { count, layout, dimensions, arrays: [true, random.chance(40), random.chance(40)] }
}

/// The fields of a case with products of matrices, of complex numbers and the like.
pub(super) fn of_products(random: &mut Random, back_end: BackEnd, c99: bool) -> Fields {
    let Fields { layout, .. } = draw(random, back_end, c99);
    let count = *random.pick(&[2, 2, 2, 3, 4]);
    Fields { count, layout, dimensions: 2, arrays: [true, random.chance(70), random.chance(70)] }
}

/// The type of fields: more often a narrow one, of which many are handled at once, than in other cases.
pub(super) fn element(random: &mut Random, back_end: BackEnd) -> Element {
    use Element::{Bits37, Double, Float, I16, LongDouble, U8, U32, U128};
    match back_end {
        BackEnd::C if random.chance(8) => *random.pick(&[Bits37, LongDouble, U128]),
        _ => *random.pick(&[Double, Double, Double, Float, Float, U32, U32, I16, I16, U8]),
    }
}

/// The largest size and the largest leading dimension for which all cells of an array have room.
pub(super) fn room(fields: Fields) -> (i64, i64) {
    match (fields.dimensions, fields.count) {
        (3, 4) => (11, 11),
        (3, _) => (12, 12),
        _ => (SIZE, LEADING),
    }
}

/// The cells of an array that an iteration works with.
struct Places {
    array: usize,
    home: Vec<Affine>,
    away: Vec<Affine>,
}

impl Generator {
    /// Whether an array has cells.
    pub(super) fn has_cells(&self, array: usize) -> bool {
        self.fields.is_some_and(|fields| fields.arrays[array])
    }

    /// Moves arrays of cells to where they have room. Structures that overlap are shifted by whole ones: in C, different fields of
    /// one structure type do not overlap.
    pub(super) fn place_cells(&self, places: &mut [(usize, i64); ARRAYS]) {
        let Some(fields) = self.fields else { return };
        for (array, place) in places.iter_mut().enumerate() {
            if fields.arrays[array] {
                place.1 -= BEFORE;
                if fields.layout == Layout::Structures {
                    place.1 -= place.1.rem_euclid(fields.count as i64);
                }
            }
        }
    }

    /// The elements of so many cells of an array, or of so many planes of rows of them.
    pub(super) fn elements(&self, array: usize, cells: i64, row: i64) -> i64 {
        match self.fields {
            Some(Fields { count, dimensions, arrays, .. }) if arrays[array] => {
                cells * count as i64 * if dimensions == 3 { row.max(1) } else { 1 }
            }
            _ => cells,
        }
    }

    /// An access with the subscripts of a plain array, in an array that may have cells.
    pub(super) fn in_cell(&mut self, mut access: Access) -> Access {
        let Some(fields) = self.fields.filter(|fields| fields.arrays[access.array]) else { return access };
        while access.subscripts.len() < fields.dimensions {
            access.subscripts.insert(0, Affine::constant(0, self.mixed));
        }
        let field = self.field();
        self.at(access.array, &access.subscripts, field)
    }

    /// Some field of some cell.
    pub(super) fn cell(&mut self, array: usize) -> Access {
        let home = self.fitting(Generator::home);
        let subscripts = if self.random.chance(50) { self.fitting(|generator| generator.away(&home)) } else { home };
        let field = self.field();
        self.at(array, &subscripts, field)
    }

    /// The items of an innermost body that write fields of a cell, and read fields of it and of another one.
    pub(super) fn meeting(&mut self) -> Vec<Item> {
        let arrays: Vec<usize> = (0..ARRAYS).filter(|array| self.has_cells(*array)).collect();
        let array = if self.random.chance(80) { 0 } else { *self.random.pick(&arrays) };
        let home = self.fitting(Generator::home);
        let away = self.fitting(|generator| generator.away(&home));
        let places = Places { array, home, away };
        let kept = self.random.chance(10).then(|| {
            let (local, start) = (self.sums, self.read(&places, &[]));
            self.sums += 1;
            (local, start)
        });
        let mut body = Vec::new();
        let written = self.written();
        for (at, field) in written.iter().copied().enumerate() {
            let value = self.of_fields(&places, kept.as_ref().map(|(local, _)| *local), &written[..at]);
            let to = self.at(array, &places.home, field);
            body.push(self.write(to, value));
        }
        if self.random.chance(20) {
            let (field, value) = (self.field(), self.of_fields(&places, None, &[]));
            let to = self.at(array, &places.away, field);
            let at = self.random.between(0, body.len() as i64) as usize;
            body.insert(at, self.write(to, value));
        }
        if self.random.chance(12) {
            let at = self.random.between(0, body.len() as i64) as usize;
            body.insert(at, self.statement());
        }
        match kept {
            Some((local, start)) => vec![Item::Sum { local, start, body }],
            None => body,
        }
    }

    /// A store into a field, at some iterations only now and then.
    fn write(&mut self, to: Access, value: Value) -> Item {
        let operator = *self.random.pick(&["=", "=", "=", "=", "=", "+=", "-="]);
        let store = Item::Store { target: Target::Element(to), operator, value };
        if self.random.chance(8) {
            return Item::If { condition: self.narrow_condition(), then: vec![store], otherwise: Vec::new() };
        }
        store
    }

    /// The fields that are written, in their order most often: all of them, or some.
    fn written(&mut self) -> Vec<usize> {
        let count = self.fields.map_or(1, |fields| fields.count);
        let mut written: Vec<usize> = (0..count).filter(|_| self.random.chance(85)).collect();
        if written.is_empty() {
            written.push(self.field());
        }
        if self.random.chance(30) {
            let by = self.random.between(0, written.len() as i64 - 1) as usize;
            written.rotate_left(by);
        }
        if self.random.chance(20) {
            written.reverse();
        }
        written
    }

    /// What a field becomes, of other fields most often; `kept` is a variable with one from before, and `before` are the fields that
    /// the iteration has written.
    fn of_fields(&mut self, places: &Places, kept: Option<usize>, before: &[usize]) -> Value {
        let sum = |left, right| Value::Sum(Box::new(left), Box::new(right));
        if let Some(local) = kept
            && self.random.chance(50)
        {
            return sum(Value::Scaled(1, Box::new(Value::Local(local))), self.read(places, before));
        }
        match self.random.between(0, 9) {
            0..=4 => self.read(places, before),
            5 | 6 => sum(self.read(places, before), self.read(places, before)),
            7 => sum(self.read(places, before), self.value(0)),
            8 => Value::Product(Box::new(self.read(places, before)), Box::new(self.read(places, before))),
            _ => self.total(places),
        }
    }

    /// A field of this cell or of the other one: most often one that was written before, of the other one.
    fn read(&mut self, places: &Places, before: &[usize]) -> Value {
        let is_away = self.random.chance(if before.is_empty() { 25 } else { 75 });
        let subscripts = if is_away { &places.away } else { &places.home };
        let field = match before {
            [_, ..] if is_away && self.random.chance(75) => *self.random.pick(before),
            _ => self.field(),
        };
        let load = Value::Load(self.at(places.array, subscripts, field));
        Value::Scaled(self.random.between(1, 9), Box::new(load))
    }

    /// The sum of all fields of a cell.
    fn total(&mut self, places: &Places) -> Value {
        let subscripts = if self.random.chance(50) { &places.home } else { &places.away };
        let count = self.fields.map_or(1, |fields| fields.count);
        let fields = (0..count).map(|field| Value::Load(self.at(places.array, subscripts, field)));
        let total = fields.reduce(|left, right| Value::Sum(Box::new(left), Box::new(right)));
        Value::Scaled(1, Box::new(total.unwrap_or(Value::Constant(1))))
    }

    pub(super) fn field(&mut self) -> usize {
        let count = self.fields.map_or(1, |fields| fields.count);
        self.random.between(0, count as i64 - 1) as usize
    }

    /// The subscripts of the cell of an iteration: a counter each, in the order of the loops or in another one. Where there are
    /// fewer counters than subscripts, others do not move.
    fn home(&mut self) -> Vec<Affine> {
        let dimensions = self.fields.map_or(1, |fields| fields.dimensions);
        let mut counters: Vec<usize> = (2..self.scope.len()).collect();
        while counters.len() > dimensions {
            let at = self.random.between(0, counters.len() as i64 - 1) as usize;
            counters.remove(at);
        }
        if counters.len() > 1 && self.random.chance(50) {
            let by = self.random.between(1, counters.len() as i64 - 1) as usize;
            counters.rotate_left(by);
        }
        let mut home: Vec<Affine> = counters.into_iter().map(|at| self.moving(at)).collect();
        while home.len() < dimensions {
            let at = self.random.between(0, home.len() as i64) as usize;
            home.insert(at, self.still());
        }
        home
    }

    /// The subscripts of another cell: those of `home`, of which one is taken twice, or two change places, or one does not move, or is
    /// another number. Where the last one is as it was, neighbours are together in both cells, and iterations along it seldom wait for
    /// each other.
    fn away(&mut self, home: &[Affine]) -> Vec<Affine> {
        let mut away = home.to_vec();
        let last = home.len() - 1;
        let (one, two) = self.two_of(home);
        match self.random.between(0, 9) {
            0..=4 if one != two => away[one] = home[two].clone(),
            5 | 6 if one != two => away.swap(one, two),
            7 => away[one] = self.still(),
            8 => away = self.home(),
            _ => away[last].constant += *self.random.pick(&[-2, -1, -1, 1, 1, 2]),
        }
        away
    }

    /// The numbers of two subscripts, if there are two: the first one not the last, and one that does not move, most often.
    fn two_of(&mut self, home: &[Affine]) -> (usize, usize) {
        let last = home.len() - 1;
        if last == 0 {
            return (0, 0);
        }
        let still = home[..last].iter().position(|subscript| !self.is_moving(subscript));
        let one = match still {
            Some(still) if self.random.chance(70) => still,
            _ if self.random.chance(80) => self.random.between(0, last as i64 - 1) as usize,
            _ => last,
        };
        let others: Vec<usize> = (0..home.len()).filter(|two| *two != one).collect();
        (one, *self.random.pick(&others))
    }

    /// A subscript that moves with a counter.
    fn moving(&mut self, at: usize) -> Affine {
        let mut subscript = Affine::name(&self.scope[at].0, self.mixed);
        if self.random.chance(10) {
            subscript.terms[0].0 = 2;
        }
        if self.random.chance(15) {
            subscript.constant = self.random.between(-1, 2);
        }
        subscript
    }

    /// A subscript that does not move, but is among those that do.
    fn still(&mut self) -> Affine {
        if self.random.chance(30) {
            return Affine::constant(self.random.between(0, 4), self.mixed);
        }
        let name = *self.random.pick(&["n", "m"]);
        Affine { constant: *self.random.pick(&[0, 0, -1, -2]), ..Affine::name(name, self.mixed) }
    }

    fn is_moving(&self, subscript: &Affine) -> bool {
        subscript.terms.iter().any(|(_, name)| self.scope[2..].iter().any(|(counter, _)| counter == name))
    }

    /// The subscripts of a cell within the array, drawn until they are.
    fn fitting(&mut self, draw: impl Fn(&mut Self) -> Vec<Affine>) -> Vec<Affine> {
        for _ in 0..20 {
            let subscripts = draw(self);
            let (low, high) = self.flat(&subscripts);
            if low > BEFORE + OFFSET - HALF && high < HALF + BEFORE - OFFSET - SIZE {
                return subscripts;
            }
        }
        vec![Affine::constant(0, self.mixed); self.fields.map_or(1, |fields| fields.dimensions)]
    }

    /// The interval of the numbers of the elements of a cell.
    fn flat(&self, subscripts: &[Affine]) -> Interval {
        let count = self.fields.map_or(1, |fields| fields.count as i64);
        let (low, high) = subscripts.iter().fold((0, 0), |flat: Interval, subscript| {
            let corners =
                [flat.0 * self.leading.0, flat.0 * self.leading.1, flat.1 * self.leading.0, flat.1 * self.leading.1];
            let (low, high) = self.interval(subscript);
            (corners.into_iter().min().unwrap_or(0) + low, corners.into_iter().max().unwrap_or(0) + high)
        });
        (low * count, high * count + count - 1)
    }

    fn interval(&self, affine: &Affine) -> Interval {
        let term = |(factor, name): &(i64, String)| {
            let (min, max) =
                self.scope.iter().find(|(other, _)| other == name).map_or((0, 0), |(_, interval)| *interval);
            (factor * min, factor * max)
        };
        affine
            .terms
            .iter()
            .map(term)
            .fold((affine.constant, affine.constant), |sum, (low, high)| (sum.0 + low, sum.1 + high))
    }

    /// A field of a cell. The whole subscript is computed in one type.
    fn at(&self, array: usize, subscripts: &[Affine], field: usize) -> Access {
        let mut subscripts = subscripts.to_vec();
        let low = subscripts.iter().map(|subscript| self.interval(subscript).0).min().unwrap_or(0);
        let widened = self.widened((low, low)) || subscripts.iter().any(|subscript| subscript.widened);
        subscripts.iter_mut().for_each(|subscript| subscript.widened = widened);
        Access { array, subscripts, field, ..Access::default() }
    }
}
