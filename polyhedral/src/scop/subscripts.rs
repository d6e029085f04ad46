//! Subscripts of accesses as affine functions, and distances in memory.

use crate::affine::Aff;
use crate::arith::{Int, Rational, Row};
use crate::flow::AccessKind;
use crate::relation::Conjunction;
use crate::space::DimKind;

use super::{Access, Array, Scop, Statement, Storage};

impl Access {
    /// The subscripts of the first element that an instance touches, over the dimensions of the statement; nothing if
    /// the relation does not say them plainly: in one conjunction, by one equality each, or (for several elements side
    /// by side) by a lower bound.
    pub fn subscripts(&self) -> Option<Vec<Aff>> {
        let [conjunction] = self.relation.conjunctions() else { return None };
        let n = self.relation.space().dim(DimKind::Out);
        (0..n).map(|dim| self.subscript(conjunction, dim)).collect()
    }

    /// How many elements side by side an instance touches; nothing if the relation does not say it plainly.
    pub fn count(&self) -> Option<i128> {
        let [conjunction] = self.relation.conjunctions() else { return None };
        let space = self.relation.space();
        let Some(last) = space.dim(DimKind::Out).checked_sub(1) else { return Some(1) };
        let column = space.offset(DimKind::Out) + last;
        let has = |row: &&Row| !row[column].is_zero();
        if conjunction.eqs().iter().any(|row| has(&row)) {
            return Some(1);
        }
        // `e - f >= 0` and `f + c - e >= 0` for the subscript `e`.
        let bounds: Vec<&Row> = conjunction.ineqs().iter().filter(has).collect();
        let [a, b] = bounds[..] else { return None };
        let opposite = a.iter().zip(b.iter()).skip(1).all(|(a, b)| *a == -b);
        (opposite && a[column].abs().is_one()).then_some(())?;
        (&a[0] + &b[0]).to_i64().map(|extent| i128::from(extent) + 1)
    }

    fn subscript(&self, conjunction: &Conjunction, dim: usize) -> Option<Aff> {
        let space = self.relation.space();
        let first = space.offset(DimKind::Out);
        let column = first + dim;
        // `c - e + ... = 0` or `e - c - ... >= 0` for this subscript `e` alone, without divisions.
        let is_alone = |row: &[Int]| {
            let others = (first..row.len()).filter(|k| *k != column).all(|k| row[k].is_zero());
            others && (row[column].is_one() || (-&row[column]).is_one())
        };
        let equality = conjunction.eqs().iter().find(|row| is_alone(row));
        let row = equality.or_else(|| conjunction.ineqs().iter().find(|row| is_alone(row) && row[column].is_one()))?;
        let negate = row[column].is_one();
        let entries: Vec<Int> = row[..first].iter().map(|entry| if negate { -entry } else { entry.clone() }).collect();
        Some(Aff::from_row(space.domain(), entries, Int::one()))
    }
}

impl Scop {
    /// The subscripts of the element of memory that a statement certainly writes, of several the first; nothing if it
    /// writes none.
    pub fn row(&self, statement: &Statement) -> Option<Vec<Aff>> {
        let mut accesses = statement.accesses.iter();
        let in_memory = |a: &&Access| a.kind == AccessKind::MustWrite && self.memory_of(a).is_some();
        accesses.find(in_memory)?.subscripts()
    }

    /// The array of an access, if it lives in memory.
    pub fn memory_of(&self, access: &Access) -> Option<&Array> {
        let array = &self.arrays[self.array_of(access)?];
        (array.storage != Storage::Scalar).then_some(array)
    }

    /// The distance in bytes between the elements that an access touches where a dimension of its statement grows by
    /// one; `None` if it depends on parameters or on where rows are. Scalars do not move: 0.
    pub fn stride(&self, access: &Access, dim: usize) -> Option<i128> {
        let Some(array) = self.memory_of(access) else { return Some(0) };
        let moves = access.moves(dim)?;
        let levels = if let Storage::Rows(levels) = array.storage { levels } else { 0 };
        if moves[..levels].iter().any(|entry| !entry.is_zero()) {
            return None;
        }
        // From the innermost dimension outwards, the distance of two neighbours.
        let mut total = 0i128;
        let mut distance = Some(i128::from(array.unit));
        for (position, coefficient) in moves.iter().enumerate().skip(levels).rev() {
            if !coefficient.is_zero() {
                total = total.checked_add(distance?.checked_mul(i128::from(coefficient.to_i64()?))?)?;
            }
            let size = position.checked_sub(levels + 1).map(|inner| array.constant_size(inner));
            distance = distance.zip(size.flatten()).and_then(|(distance, size)| distance.checked_mul(size));
        }
        Some(total.abs())
    }
}

impl Access {
    /// By how much every subscript moves from one value of a dimension of the statement to the next; `None` if they are
    /// not all affine.
    pub fn moves(&self, dim: usize) -> Option<Vec<Int>> {
        Some(self.subscripts()?.iter().map(|aff| aff.coefficient(DimKind::Out, dim)).collect())
    }
}

impl Array {
    /// A size, counted from the second dimension (of a row), if it is a number.
    fn constant_size(&self, position: usize) -> Option<i128> {
        let [size] = self.sizes.get(position)?.members() else { return None };
        let [(_, value)] = size.pieces() else { return None };
        value.constant_value().filter(Rational::is_integer)?.numerator().to_i64().map(i128::from)
    }
}
