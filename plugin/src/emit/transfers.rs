//! The bytes of arrays that go to a device and back.
//!
//! ```text
//! first ................ last         in one piece, gaps included
//! +--------------+
//! | row          |..............      a rectangle by rows: row_bytes, rows, pitch; what lies between is neither read nor written
//! | row          |..............
//! +--------------+
//! ```
//!
//! One piece is faster, and much faster than short rows (option `gpu-rows`), so an array that is only read, or of which something stays as it is,
//! goes by rows only where at least a quarter of it would be gaps. What kernels write all of goes by rows wherever there are gaps: then all that comes back was
//! written by kernels, so the host takes it without a comparison with what was there, and it is not copied in where nothing is read before.
//!
//! Rows are those of the outermost subscript. Inner ones have gaps of their own where there are more than two and not all elements
//! are touched: whether they have is only known at run time, and flags are chosen there.

use super::code::Emitter;
use super::scopes::Placed;
use super::session::{Places, SessionCode};
use crate::device::sizes::{Transfer, Written};
use crate::host::{Edit, EditError, IntOp, IntPredicate, RuntimeFunction, Value};
use crate::model::scop::Storage;
use tessera_polyhedral::ast::Expr;

/// Kernels read what the host has: `TESSERA_RT_IN`.
const IN: i128 = 1;

/// What kernels wrote is wanted on the host: `TESSERA_RT_OUT`.
const OUT: i128 = 2;

/// Kernels write every byte before they read it: `TESSERA_RT_OVERWRITTEN`.
const OVERWRITTEN: i128 = 4;

/// Nothing else is changed on the host: `TESSERA_RT_CHANGED`.
const CHANGED: i128 = 8;

/// The program may touch fewer bytes than these: `TESSERA_RT_UNCERTAIN`.
const UNCERTAIN: i128 = 16;

/// The bytes of an array, or of places on the device.
pub(super) struct Bytes {
    /// The address of the first one.
    start: Value,
    /// How far the first one is behind the base pointer.
    distance: Value,
    /// How many are copied, as a word.
    pub(super) count: Value,
    /// How many of them are copied to the device.
    pub(super) count_in: Value,
    /// Of a rectangle: the bytes of a row, the number of rows, and the bytes from one to the next.
    rows: Option<[Value; 3]>,
    /// What the library is told about them.
    flags: Value,
}

impl SessionCode<'_, '_, '_> {
    /// The bytes of an array that are copied; none where none is touched.
    pub(super) fn bytes(
        &self,
        sizes: &mut Emitter<'_, '_, '_>,
        (transfer, strides): (&Transfer, &[Placed]),
        places: &Places,
    ) -> Edit<Bytes> {
        let editor = self.editor;
        if transfer.is_of_device() {
            return self.bytes_of_device(sizes, transfer, places);
        }
        let zero = editor.const_word(0)?;
        let mut subscripts = |all: &[Expr]| -> Edit<Vec<Value>> {
            all.iter().map(|subscript| Ok(sizes.expr(subscript)?.value)).collect()
        };
        let (first, last) = (subscripts(&transfer.first)?, subscripts(&transfer.last)?);
        let distance = |subscripts: &[Value], strides: &[Placed]| -> Edit<Value> {
            let terms = subscripts.iter().zip(strides);
            terms
                .into_iter()
                .try_fold(zero, |sum, (subscript, stride)| editor.add(sum, editor.mul(*subscript, stride.value)?))
        };
        let (begin, end) = (distance(&first, strides)?, distance(&last, strides)?);
        let is_touched = sizes.cond(&transfer.is_touched)?.value;
        let base = self.base(transfer.array)?;
        let unit = editor.const_word(transfer.unit)?;
        // On the device, addresses must be multiples of what they are multiples of on the host.
        let (mut start, mut is_exact) = (begin, editor.const_bool(true)?);
        if transfer.align > 1 {
            let over = self.over(base, begin, transfer.align)?;
            start = editor.sub(begin, over)?;
            is_exact = editor.icmp(IntPredicate::Eq, over, zero)?;
        }
        let whole = editor.sub(editor.add(end, unit)?, start)?;
        let whole = editor.select(is_touched, whole, zero)?;
        let (mut count, mut rows) = (whole, None);
        if transfer.is_rectangle && first.len() > 1 {
            let inner = editor.sub(distance(&last[1..], &strides[1..])?, distance(&first[1..], &strides[1..])?)?;
            let row = editor.add(inner, unit)?;
            let number = self.length(first[0], last[0])?;
            let may_be = editor.both(is_exact, is_touched)?;
            let (by_rows, has_gaps) = self.by_rows(transfer.written, [row, number, strides[0].value], may_be)?;
            count = editor.select(by_rows, editor.mul(row, number)?, whole)?;
            rows = Some([
                editor.select(by_rows, row, whole)?,
                editor.select(by_rows, number, editor.const_word(1)?)?,
                editor.select(by_rows, strides[0].value, whole)?,
            ]);
            let is_without_gaps = editor.select(has_gaps, by_rows, editor.const_bool(true)?)?;
            is_exact = editor.both(is_exact, is_without_gaps)?;
            // Inner subscripts have no gaps of their own.
            for inner in 2..first.len() {
                let length = editor.mul(self.length(first[inner], last[inner])?, strides[inner].value)?;
                let is_full = editor.icmp(IntPredicate::Eq, length, strides[inner - 1].value)?;
                is_exact = editor.both(is_exact, is_full)?;
            }
        }
        let flags = self.flags(transfer, is_exact)?;
        let count_in = match transfer.written {
            Written::Overwritten => editor.select(is_exact, zero, count)?,
            _ => count,
        };
        let address = editor.byte_offset(base, start, false)?;
        Ok(Bytes { start: address, distance: start, count, count_in, rows, flags })
    }

    /// Whether rows of so many bytes, so many of them, at such a distance, are copied each by itself, where that may be; and whether there is
    /// something between them.
    fn by_rows(&self, written: Written, [row, number, pitch]: [Value; 3], may_be: Value) -> Edit<(Value, Value)> {
        let editor = self.editor;
        let are_several = editor.icmp(IntPredicate::Sgt, number, editor.const_word(1)?)?;
        let has_gaps = editor.both(are_several, editor.icmp(IntPredicate::Slt, row, pitch)?)?;
        let shortest = editor.const_word(i64::try_from(self.device.rows).unwrap_or(i64::MAX).into())?;
        let mut pays = editor.icmp(IntPredicate::Sge, row, shortest)?;
        if matches!(written, Written::Nothing | Written::Some) {
            let quarter = editor.int_op(IntOp::AShr, pitch, editor.const_word(2)?, "quarter")?;
            let has_large_gaps = editor.icmp(IntPredicate::Sle, row, editor.sub(pitch, quarter)?)?;
            pays = editor.both(pays, has_large_gaps)?;
        }
        Ok((editor.both(editor.both(has_gaps, pays)?, may_be)?, has_gaps))
    }

    /// What the library is told of an array. `is_exact`: no more is copied than the elements of the rectangle.
    fn flags(&self, transfer: &Transfer, is_exact: Value) -> Edit<Value> {
        let editor = self.editor;
        let may_read = if transfer.is_uncertain { UNCERTAIN } else { 0 };
        let flags = |flags: i128| editor.const_int(32, flags | may_read);
        let some = IN | OUT | CHANGED;
        match transfer.written {
            Written::Nothing => flags(IN),
            Written::Some => flags(some),
            Written::All => editor.select(is_exact, flags(IN | OUT)?, flags(some)?),
            Written::Overwritten => editor.select(is_exact, flags(OUT | OVERWRITTEN)?, flags(some)?),
        }
    }

    /// The number of values from a first to a last one.
    fn length(&self, first: Value, last: Value) -> Edit<Value> {
        let editor = self.editor;
        editor.add(editor.sub(last, first)?, editor.const_word(1)?)
    }

    /// Those of places on the device, which may hold a result.
    fn bytes_of_device(&self, sizes: &mut Emitter<'_, '_, '_>, transfer: &Transfer, places: &Places) -> Edit<Bytes> {
        let editor = self.editor;
        let result = self.device.results.iter().position(|result| result.array == transfer.array);
        let (start, flags) = match result {
            Some(result) => (places.results[result], OUT),
            None => (editor.null_pointer()?, 0),
        };
        let count = match &transfer.bytes {
            Some(bytes) => sizes.poly(bytes, &[], &[], 64)?.value,
            None => editor.const_word(transfer.unit)?,
        };
        let zero = editor.const_word(0)?;
        Ok(Bytes { start, distance: zero, count, count_in: zero, rows: None, flags: editor.const_int(32, flags)? })
    }

    /// Brings an array to the device: what kernels take for its base pointer.
    pub(super) fn bring(&self, session: Value, bytes: &Bytes) -> Edit<Value> {
        let editor = self.editor;
        let address = match bytes.rows {
            Some([row, number, pitch]) => editor
                .call_runtime(RuntimeFunction::Rectangle, &[session, bytes.start, row, number, pitch, bytes.flags])?,
            None => editor.call_runtime(RuntimeFunction::Array, &[session, bytes.start, bytes.count, bytes.flags])?,
        };
        editor.sub(address, bytes.distance)
    }

    /// The base pointer of an array, with some fixed value.
    pub(super) fn base(&self, array: usize) -> Edit<Value> {
        let Storage::Memory(pointer) = self.device.scop.arrays[array].storage else {
            return Err(EditError::new("an array that is not in memory"));
        };
        let pointer = self.known.get(&pointer).copied().unwrap_or(pointer);
        let editor = self.editor;
        if editor.analyses().is_defined(pointer, None) { Ok(pointer) } else { editor.freeze(pointer) }
    }

    /// How far an address, so many bytes behind a pointer, is above a multiple of a power of two.
    pub(super) fn over(&self, pointer: Value, distance: Value, align: u64) -> Edit<Value> {
        let editor = self.editor;
        let address = editor.add(editor.ptrtoint(pointer, 64)?, distance)?;
        editor.int_op(IntOp::And, address, editor.const_word(i128::from(align) - 1)?, "over")
    }
}
