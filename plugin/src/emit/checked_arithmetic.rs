//! Arithmetic in words (as wide as addresses: 64 or 32 bits) on numbers whose range is known while the code is built.
//!
//! Every value carries an interval that contains it in every execution in which no check failed. Operations whose
//! interval fits a word are plain instructions, those that might not are checked at run time: the code that is built
//! collects one bit that says whether any of them left +-2^60 (2^29 in 32 bits), and all values are right where it is not set.
//! Comparisons, minima and maxima that the intervals decide cost nothing.

use super::interval;
use crate::host::{Edit, EditError, Editor, IntOp, IntPredicate, Value};
use std::cell::Cell;

/// A word and the interval it lies in.
#[derive(Clone, Copy, Debug)]
pub struct Ranged {
    /// The value.
    pub value: Value,
    /// Its least possible value; at least that of a word.
    pub low: i128,
    /// Its greatest possible value; at most that of a word.
    pub high: i128,
}

/// Builds the arithmetic at the editor's position.
pub struct Arithmetic<'e, 'a> {
    /// The editor underneath.
    pub editor: &'e Editor<'a>,
    /// The width of a word.
    pub bits: u32,
    failed: Cell<Option<Value>>,
}

impl<'e, 'a> Arithmetic<'e, 'a> {
    /// Nothing has failed yet.
    pub fn new(editor: &'e Editor<'a>) -> Self {
        Self { editor, bits: editor.word_bits(), failed: Cell::new(None) }
    }

    /// Whether any result was too large that was built since the last call; `None` if none can be.
    pub fn take_failed(&self) -> Option<Value> {
        self.failed.take()
    }

    /// What results that have to be checked may not exceed.
    fn huge(&self) -> i128 {
        if self.bits >= 64 { 1 << 60 } else { 1 << (self.bits - 3) }
    }

    /// A constant. One that is no word makes the checks fail.
    pub fn constant(&self, value: i128) -> Edit<Ranged> {
        if interval::fits((value, value), self.bits) {
            return Ok(Ranged { value: self.editor.const_word(value)?, low: value, high: value });
        }
        self.fail_if(self.editor.const_bool(true)?)?;
        Ok(Ranged { value: self.editor.const_word(0)?, low: 0, high: 0 })
    }

    fn operation(&self, op: IntOp, a: Ranged, b: Ranged) -> Edit<Ranged> {
        let range = interval::of_result(op, (a.low, a.high), (b.low, b.high));
        let (low, high) = range.ok_or_else(|| EditError::new("numbers beyond 128 bits"))?;
        if interval::fits((low, high), self.bits) {
            if low == high {
                return self.constant(low);
            }
            return Ok(Ranged { value: self.editor.int_op(op, a.value, b.value, "guard")?, low, high });
        }
        let (value, wraps) = self.editor.checked(op, a.value, b.value)?;
        self.fail_if(wraps)?;
        // So that what follows need not be checked again.
        let (mut result, huge) = (Ranged { value, low, high }, self.huge());
        if high > huge {
            self.fail_if(self.editor.icmp(IntPredicate::Sgt, value, self.editor.const_word(huge)?)?)?;
            result.high = huge;
        }
        if low < -huge {
            self.fail_if(self.editor.icmp(IntPredicate::Slt, value, self.editor.const_word(-huge)?)?)?;
            result.low = -huge;
        }
        Ok(result)
    }

    fn fail_if(&self, condition: Value) -> Edit<()> {
        let failed = match self.failed.get() {
            Some(earlier) => self.editor.or(earlier, condition)?,
            None => condition,
        };
        self.failed.set(Some(failed));
        Ok(())
    }

    /// `a + b`
    pub fn add(&self, a: Ranged, b: Ranged) -> Edit<Ranged> {
        match (a, b) {
            (Ranged { low: 0, high: 0, .. }, other) | (other, Ranged { low: 0, high: 0, .. }) => Ok(other),
            _ => self.operation(IntOp::Add, a, b),
        }
    }

    /// `a - b`
    pub fn sub(&self, a: Ranged, b: Ranged) -> Edit<Ranged> {
        match b {
            Ranged { low: 0, high: 0, .. } => Ok(a),
            _ => self.operation(IntOp::Sub, a, b),
        }
    }

    /// `a * b`
    pub fn mul(&self, a: Ranged, b: Ranged) -> Edit<Ranged> {
        match (a, b) {
            (Ranged { low: 1, high: 1, .. }, other) | (other, Ranged { low: 1, high: 1, .. }) => Ok(other),
            _ => self.operation(IntOp::Mul, a, b),
        }
    }

    /// `floor(a / divisor)` for a positive divisor.
    pub fn floor_div(&self, a: Ranged, divisor: i64) -> Edit<Ranged> {
        if divisor <= 0 {
            return Err(EditError::new("a divisor that is not positive"));
        }
        let d = i128::from(divisor);
        let (low, high) = (a.low.div_euclid(d), a.high.div_euclid(d));
        if d == 1 {
            return Ok(a);
        }
        if low == high {
            return self.constant(low);
        }
        // Below zero, division has to round away from zero.
        let dividend = if a.low >= 0 {
            a.value
        } else {
            let negative = self.editor.icmp(IntPredicate::Slt, a.value, self.editor.const_word(0)?)?;
            let lowered = self.sub(a, self.constant(d - 1)?)?;
            self.editor.select(negative, lowered.value, a.value)?
        };
        let value = self.editor.int_op(IntOp::SDiv, dividend, self.editor.const_word(d)?, "bound")?;
        Ok(Ranged { value, low, high })
    }

    /// The smaller of two values.
    pub fn min(&self, a: Ranged, b: Ranged) -> Edit<Ranged> {
        if a.high <= b.low {
            return Ok(a);
        }
        if b.high <= a.low {
            return Ok(b);
        }
        let value = self.editor.smin(a.value, b.value)?;
        Ok(Ranged { value, low: a.low.min(b.low), high: a.high.min(b.high) })
    }

    /// The larger of two values.
    pub fn max(&self, a: Ranged, b: Ranged) -> Edit<Ranged> {
        if a.low >= b.high {
            return Ok(a);
        }
        if b.low >= a.high {
            return Ok(b);
        }
        let value = self.editor.smax(a.value, b.value)?;
        Ok(Ranged { value, low: a.low.max(b.low), high: a.high.max(b.high) })
    }

    /// The first range if the condition holds, the second one otherwise.
    pub fn chosen(
        &self,
        condition: Value,
        on_true: (Ranged, Ranged),
        on_false: (Ranged, Ranged),
    ) -> Edit<(Ranged, Ranged)> {
        Ok((self.select(condition, on_true.0, on_false.0)?, self.select(condition, on_true.1, on_false.1)?))
    }

    /// The first value if the condition holds, the second one otherwise.
    pub fn select(&self, condition: Value, a: Ranged, b: Ranged) -> Edit<Ranged> {
        match condition.constant_int() {
            Some(0) => Ok(b),
            Some(_) => Ok(a),
            None => {
                let value = self.editor.select(condition, a.value, b.value)?;
                Ok(Ranged { value, low: a.low.min(b.low), high: a.high.max(b.high) })
            }
        }
    }

    /// `a <= b`
    pub fn at_most(&self, a: Ranged, b: Ranged) -> Edit<Value> {
        if a.high <= b.low || a.low > b.high {
            return self.editor.const_bool(a.high <= b.low);
        }
        self.editor.icmp(IntPredicate::Sle, a.value, b.value)
    }

    /// `low <= a <= high`, for limits of any size.
    pub fn within(&self, a: Ranged, low: i128, high: i128) -> Edit<Value> {
        let mut result = self.editor.const_bool(true)?;
        if a.low < low {
            let holds = match a.high < low {
                true => self.editor.const_bool(false)?,
                false => self.at_most(self.constant(low)?, a)?,
            };
            result = self.editor.both(result, holds)?;
        }
        if a.high > high {
            let holds = match a.low > high {
                true => self.editor.const_bool(false)?,
                false => self.at_most(a, self.constant(high)?)?,
            };
            result = self.editor.both(result, holds)?;
        }
        Ok(result)
    }
}
