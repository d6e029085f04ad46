//! What is remembered of the byte ranges of a family while its tables are read (see `row_checks`), and whether two families overlap.
//!
//! Ranges are addresses from 0 to 2^63, so that plain comparisons tell their order; all ranges of a family have one length. (Where two families are
//! gathered together there are two lengths, and only runs tell something.) Two things are known at the end, and each can tell that ranges have no byte in common:
//! - *runs*: at most [`RUNS`] hulls that contain all ranges, grown by ranges nearby. Where ranges of the family must not overlap each
//!   other a run only grows at its ends, so those of one run do not; whether runs overlap is compared at the end.
//! - a *lattice*: the distance from each range to the next is the same. Ranges in lattices of one distance do not overlap if their
//!   remainders do not: rows of several arrays that were allocated in turns.
//!
//! The state is in the function's frame; later passes put it into registers.

use crate::detect::target::Division;
use crate::emit::frame::Frame;
use crate::host::{Edit, Editor, IntOp, IntPredicate, Value};

/// So many runs of a family are told apart.
const RUNS: usize = 3;

/// So many bytes, and those of a range, may lie between the ranges of a run: what allocators put there, and the columns not in use.
const NEAR: i128 = 8192;

/// So many bytes, and those of a range, may lie below a run of ranges that must not overlap and one that comes later. With more, what comes after that would be in what was
/// taken for a gap: the last matrix of `vec![vec![row; n]; n]` lies before all others.
const BELOW: i128 = 256;

/// The places of a family in the frame: so many numbers of [`BITS`] bits, and at most so many truth values.
pub(super) const WORDS: usize = 2 * RUNS + 3;
pub(super) const FLAGS: usize = 2;
pub(super) const BITS: u32 = 64;

/// The address of no range.
const HIGHEST: i128 = (1 << 63) - 1;

/// The ranges of one family: places in the frame.
pub(super) struct Gathered<'e, 'a> {
    editor: &'e Editor<'a>,
    /// The lowest address and the highest end of every run, from the last one on. Those of none are [`HIGHEST`] and 0.
    runs: [(Value, Value); RUNS],
    /// If ranges must not overlap: whether there were few enough runs to tell.
    is_told: Option<Value>,
    /// The start of the last range, or -1, and its length.
    last: Value,
    length: Value,
    /// The distance of the first two ranges, or 0, and whether it is that of all.
    distance: Value,
    is_even: Value,
}

impl<'e, 'a> Gathered<'e, 'a> {
    /// No range yet. With `apart` ranges must not overlap each other.
    pub(super) fn new(editor: &'e Editor<'a>, frame: &Frame, apart: bool) -> Edit<Self> {
        let place = |bits: u32, value: i128| -> Edit<Value> {
            let place = frame.place(editor, editor.int_type(bits)?, "rows")?;
            editor.store(editor.const_int(bits, value)?, place, 1)?;
            Ok(place)
        };
        let run = || -> Edit<(Value, Value)> { Ok((place(BITS, HIGHEST)?, place(BITS, 0)?)) };
        let is_told = if apart { Some(place(1, 1)?) } else { None };
        let runs = [run()?, run()?, run()?];
        let (last, length, distance, is_even) = (place(BITS, -1)?, place(BITS, 0)?, place(BITS, 0)?, place(1, 1)?);
        Ok(Self { editor, runs, is_told, last, length, distance, is_even })
    }

    /// Whether the range that was added last starts at an address.
    pub(super) fn is_last(&self, start: Value) -> Edit<Value> {
        self.editor.icmp(IntPredicate::Eq, start, self.get(self.last, 64)?)
    }

    /// One more range; of tables and rows in turns, but where it is known to be there.
    pub(super) fn add(&self, start: Value, end: Value, is_known: Option<Value>) -> Edit<()> {
        let editor = self.editor;
        let length = editor.sub(end, start)?;
        self.add_to_lattice(start)?;
        editor.store(start, self.last, 1)?;
        editor.store(length, self.length, 1)?;
        let (low, high) = self.run(self.runs[0])?;
        let above = editor.sub(start, high)?;
        let below = editor.sub(low, end)?;
        let reach = editor.add(length, editor.const_int(64, NEAR)?)?;
        let mut fits = if self.is_told.is_some() {
            // A negative distance, of ranges that overlap, is a great one without sign.
            let reach_below = editor.add(length, editor.const_int(64, BELOW)?)?;
            let above = editor.icmp(IntPredicate::Ule, above, reach)?;
            editor.or(above, editor.icmp(IntPredicate::Ule, below, reach_below)?)?
        } else {
            let above = editor.icmp(IntPredicate::Sle, above, reach)?;
            editor.both(above, editor.icmp(IntPredicate::Sle, below, reach)?)?
        };
        // The last run grows, or the range is a new one; then the two oldest become one.
        let mut grown = (editor.smin(low, start)?, editor.smax(high, end)?);
        if let Some(is_known) = is_known {
            grown = (editor.select(is_known, low, grown.0)?, editor.select(is_known, high, grown.1)?);
            fits = editor.or(fits, is_known)?;
        }
        let (mut new, mut grown) = ((start, end), Some(grown));
        for (at, (low, end)) in self.runs.into_iter().enumerate() {
            let old = self.run((low, end))?;
            if at + 1 == RUNS {
                if let Some(is_told) = self.is_told {
                    let is_free = editor.icmp(IntPredicate::Eq, old.1, editor.const_int(64, 0)?)?;
                    let has_room = editor.or(fits, is_free)?;
                    editor.store(editor.both(self.get(is_told, 1)?, has_room)?, is_told, 1)?;
                }
                new = (editor.smin(new.0, old.0)?, editor.smax(new.1, old.1)?);
            }
            let kept = grown.take().unwrap_or(old);
            editor.store(editor.select(fits, kept.0, new.0)?, low, 1)?;
            editor.store(editor.select(fits, kept.1, new.1)?, end, 1)?;
            new = old;
        }
        Ok(())
    }

    /// The same range again is in the lattice, too, but where ranges must not overlap.
    fn add_to_lattice(&self, start: Value) -> Edit<()> {
        let editor = self.editor;
        let zero = editor.const_int(64, 0)?;
        let (last, known) = (self.get(self.last, 64)?, self.get(self.distance, 64)?);
        let is_first = editor.icmp(IntPredicate::Slt, last, zero)?;
        let distance = editor.select(is_first, zero, editor.sub(start, last)?)?;
        let is_open = editor.icmp(IntPredicate::Eq, known, zero)?;
        let wanted = editor.select(is_open, distance, known)?;
        let fits = editor.icmp(IntPredicate::Eq, distance, wanted)?;
        let fits = match self.is_told {
            Some(_) => editor.both(fits, editor.icmp(IntPredicate::Ne, distance, zero)?)?,
            None => editor.or(fits, editor.icmp(IntPredicate::Eq, distance, zero)?)?,
        };
        let fits = editor.or(fits, is_first)?;
        editor.store(editor.both(self.get(self.is_even, 1)?, fits)?, self.is_even, 1)?;
        editor.store(wanted, self.distance, 1)?;
        Ok(())
    }

    /// Whether it may still turn out that no two ranges overlap, if that must not be.
    pub(super) fn may_be_apart(&self) -> Edit<Option<Value>> {
        let Some(is_told) = self.is_told else { return Ok(None) };
        self.editor.or(self.get(is_told, 1)?, self.get(self.is_even, 1)?).map(Some)
    }

    /// Whether no two ranges overlap, if that must not be.
    pub(super) fn are_apart(&self) -> Edit<Option<Value>> {
        let editor = self.editor;
        let Some(runs) = self.are_in_runs()? else { return Ok(None) };
        let is_wide = editor.icmp(IntPredicate::Sge, self.width()?, self.get(self.length, 64)?)?;
        let lattice = editor.both(self.get(self.is_even, 1)?, is_wide)?;
        Ok(Some(editor.or(runs, lattice)?))
    }

    /// Whether the runs tell that no two ranges, which may have different lengths, overlap, if that must not be.
    pub(super) fn are_in_runs(&self) -> Edit<Option<Value>> {
        let Some(is_told) = self.is_told else { return Ok(None) };
        let mut runs = self.get(is_told, 1)?;
        for (at, run) in self.runs.iter().enumerate() {
            for other in &self.runs[..at] {
                runs = self.editor.both(runs, self.runs_apart(*run, *other)?)?;
            }
        }
        Ok(Some(runs))
    }

    /// Whether no range overlaps one of another family.
    pub(super) fn are_apart_from(&self, other: &Self) -> Edit<Value> {
        let editor = self.editor;
        let mut runs = editor.const_bool(true)?;
        for run in self.runs {
            for far in other.runs {
                runs = editor.both(runs, self.runs_apart(run, far)?)?;
            }
        }
        let width = self.width()?;
        let mut lattice = editor.both(self.get(self.is_even, 1)?, self.get(other.is_even, 1)?)?;
        lattice = editor.both(lattice, editor.icmp(IntPredicate::Eq, width, other.width()?)?)?;
        let zero = editor.const_int(64, 0)?;
        let shift = editor.sub(self.get(other.last, 64)?, self.get(self.last, 64)?)?;
        let divisor = editor.smax(width, editor.const_int(64, 1)?)?;
        let rest = match Division::of(&editor.analyses()) {
            Division::None => return Ok(runs),
            Division::Words(64) => editor.int_op(IntOp::SRem, shift, divisor, "rest")?,
            // Distances of addresses are words without sign.
            Division::Words(bits) => {
                let is_below = editor.icmp(IntPredicate::Slt, shift, zero)?;
                let size = editor.select(is_below, editor.sub(zero, shift)?, shift)?;
                let (size, divisor) = (editor.trunc(size, bits)?, editor.trunc(divisor, bits)?);
                let rest = editor.zext(editor.int_op(IntOp::URem, size, divisor, "rest")?, 64)?;
                editor.select(is_below, editor.sub(zero, rest)?, rest)?
            }
        };
        let is_below = editor.icmp(IntPredicate::Slt, rest, zero)?;
        let rest = editor.select(is_below, editor.add(rest, divisor)?, rest)?;
        lattice = editor.both(lattice, editor.icmp(IntPredicate::Sle, self.get(self.length, 64)?, rest)?)?;
        // The rest is below the width, and neither is negative: the difference is exact.
        let room = editor.sub(divisor, rest)?;
        lattice = editor.both(lattice, editor.icmp(IntPredicate::Sle, self.get(other.length, 64)?, room)?)?;
        editor.or(runs, lattice)
    }

    /// The distance of ranges without sign.
    fn width(&self) -> Edit<Value> {
        let distance = self.get(self.distance, 64)?;
        let negated = self.editor.sub(self.editor.const_int(64, 0)?, distance)?;
        self.editor.smax(distance, negated)
    }

    fn runs_apart(&self, run: (Value, Value), other: (Value, Value)) -> Edit<Value> {
        let ((low, end), (other_low, other_end)) = (self.run(run)?, self.run(other)?);
        let before = self.editor.icmp(IntPredicate::Sle, end, other_low)?;
        let behind = self.editor.icmp(IntPredicate::Sle, other_end, low)?;
        self.editor.or(before, behind)
    }

    fn run(&self, (low, end): (Value, Value)) -> Edit<(Value, Value)> {
        Ok((self.get(low, 64)?, self.get(end, 64)?))
    }

    fn get(&self, place: Value, bits: u32) -> Edit<Value> {
        self.editor.load(self.editor.int_type(bits)?, place, 1)
    }
}
