//! The second look at rows: a list of all ranges in memory of `malloc`, which is sorted and gone through (`shim/rows.ll`).
//!
//! `row_ranges` tells rows apart that lie as allocators make them one after the other, in the frame and with a few comparisons per row. In a heap that was
//! used before rows lie anywhere: `vec![vec![0.0; n]; m]` begins with whatever was freed last. Where the first look cannot tell whether ranges overlap, all
//! of them are listed, and the answer is exact, whatever the order is.
//!
//! Where a store to a row might change a number in a table on the way, the guard must know before it reads more entries that no row overlaps such a
//! table. So these tables and rows are told apart as they come, too ([`Neighbours`]): each new row is compared with the tables nearby, and each new table with the
//! rows nearby. (Compared with all of them, a thousand tables of twenty short rows took five times as long as the loops.)
//!
//! The list costs 20 to 50 ns per row. So it is made only where the nest has much to do per row ([`WORK`]), and given up as soon as it has more ranges
//! than that allows.

use super::guard::GuardPlan;
use super::guard_code::GuardCode;
use super::row_checks::RowsPlan;
use crate::emit::checked_arithmetic::Ranged;
use crate::emit::frame::Frame;
use crate::host::{Analyses, Block, Edit, EditError, Editor, Heap, RowFunction, Value};

/// So many statement instances take longer than it takes to list a row and sort it in: in a few loops, of which new code is not much faster than the old, and in more,
/// as those of products.
const WORK: i64 = 512;
const WORK_OF_PRODUCTS: i64 = 192;

/// The most ranges where it is not asked how much there is to do.
const MANY: i128 = 1 << 40;

/// Ranges of so many families can be in a list.
const FAMILIES: usize = 64;

/// A new list has room for so many ranges.
const ROOM: usize = 64;

/// The words of a list before its families, and those of a family.
const HEADER: usize = 4;
const FAMILY: usize = 3;

/// The bytes of a word.
const WORD: usize = 8;

/// Whether lists can be made for a nest with these rows.
pub(super) fn is_possible(analyses: &Analyses<'_>, rows: &RowsPlan) -> bool {
    analyses.heap().is_some()
        && analyses.may_add_functions()
        && rows.families.len() <= FAMILIES
        && (0..rows.families.len()).any(|family| rows.is_compared(family))
}

/// The most ranges that a list may have for what the nests of a plan do.
pub(super) fn most(guard: &GuardCode<'_, '_>, plan: &GuardPlan) -> Edit<Ranged> {
    let are_products = plan.work.iter().all(|loops| loops.len() >= 3);
    match guard.work(plan)? {
        Some(work) => guard.arithmetic.floor_div(work, if are_products { WORK_OF_PRODUCTS } else { WORK }),
        None => guard.arithmetic.constant(MANY),
    }
}

/// A list, while the tables of rows are read.
pub(super) struct RowList<'e, 'a> {
    editor: &'e Editor<'a>,
    /// Where the frame says where the list is.
    place: Value,
}

impl<'e, 'a> RowList<'e, 'a> {
    /// No list yet, but a place for it.
    pub(super) fn new(editor: &'e Editor<'a>, frame: &Frame) -> Edit<Self> {
        Ok(Self { editor, place: frame.place(editor, editor.pointer_type()?, "list")? })
    }

    /// Makes an empty list at the end of `block`, for at most `most` ranges, or goes to `without` if there is no memory. `lengths` are those of ranges
    /// of each family. The result is where it goes on with the list.
    pub(super) fn make(
        &self,
        (rows, lengths): (&RowsPlan, &[Value]),
        most: Value,
        block: Block,
        without: Block,
    ) -> Edit<Block> {
        let editor = self.editor;
        let word = |number: usize| -> Edit<Value> {
            editor.const_int(64, i128::try_from(number).map_err(|_| EditError::too_large())?)
        };
        editor.at_end(block);
        let mut here = block;
        if editor.analyses().heap() == Some(Heap::IfLinked) {
            let next = editor.create_block("list", Some(here))?;
            editor.cond_br(editor.has_heap()?, next, without)?;
            editor.at_end(next);
            here = next;
        }
        let memory = editor.allocate(word(WORD * ((HEADER + FAMILY * lengths.len() + ROOM) | 1))?, "list")?;
        let made = editor.create_block("list", Some(here))?;
        editor.cond_br(editor.is_not_null(memory)?, made, without)?;
        editor.at_end(made);
        editor.store(memory, self.place, 8)?;
        let zero = word(0)?;
        let mut words = vec![zero, word(ROOM)?, most, word(lengths.len())?];
        for (family, length) in lengths.iter().enumerate() {
            words.extend([*length, editor.const_int(64, i128::from(rows.must_not_overlap(family)))?, zero]);
        }
        for (at, value) in words.into_iter().enumerate() {
            editor.store(value, editor.byte_offset(memory, word(WORD * at)?, true)?, 8)?;
        }
        Ok(made)
    }

    /// Adds a range of a family that begins at an address. Whether it could.
    pub(super) fn add(&self, start: Value, family: usize) -> Edit<Value> {
        let family = i128::try_from(family).map_err(|_| EditError::too_large())?;
        self.editor.call_of_rows(RowFunction::Add, &[self.place, start, self.editor.const_int(64, family)?])
    }

    /// Whether no ranges overlap that must not. The list is gone then.
    pub(super) fn are_apart(&self) -> Edit<Value> {
        let list = self.list()?;
        let apart = self.editor.call_of_rows(RowFunction::AreApart, &[list])?;
        self.editor.release(list)?;
        Ok(apart)
    }

    /// Gives the list back.
    pub(super) fn give_back(&self) -> Edit<()> {
        self.editor.release(self.list()?)
    }

    fn list(&self) -> Edit<Value> {
        self.editor.load(self.editor.pointer_type()?, self.place, 8)
    }
}

/// Tables on the way and rows that are told apart while tables are read.
pub(super) struct Neighbours<'e, 'a> {
    editor: &'e Editor<'a>,
    /// Where the frame says where they are.
    place: Value,
    /// The families of tables and of rows: bit after bit.
    tables: u64,
    rows: u64,
}

impl<'e, 'a> Neighbours<'e, 'a> {
    /// None yet, but a place for them; nothing if nothing has to be told apart on the way.
    pub(super) fn new(editor: &'e Editor<'a>, frame: &Frame, rows: &RowsPlan) -> Edit<Option<Self>> {
        let [tables, rows] = rows.told_at_once();
        if tables == 0 {
            return Ok(None);
        }
        Ok(Some(Self { editor, place: frame.place(editor, editor.pointer_type()?, "near")?, tables, rows }))
    }

    /// Forgets what is at the place.
    pub(super) fn begin(&self) -> Edit<()> {
        self.editor.store(self.editor.null_pointer()?, self.place, 8).map(drop)
    }

    /// Adds a range of a family that begins at an address, if the family is one of tables or rows. Whether it overlaps none on the other side, and could be added.
    pub(super) fn add(&self, list: &RowList<'e, 'a>, start: Value, family: usize) -> Edit<Value> {
        let editor = self.editor;
        if ((self.tables | self.rows) >> family) & 1 == 0 {
            return editor.const_bool(true);
        }
        let family = i128::try_from(family).map_err(|_| EditError::too_large())?;
        let [family, tables, rows] = [family, i128::from(self.tables), i128::from(self.rows)];
        let word = |value: i128| editor.const_int(64, value);
        let operands = [list.list()?, self.place, start, word(family)?, word(tables)?, word(rows)?];
        editor.call_of_rows(RowFunction::Near, &operands)
    }

    /// Gives back what there is.
    pub(super) fn give_back(&self) -> Edit<()> {
        let editor = self.editor;
        editor.release(editor.load(editor.pointer_type()?, self.place, 8)?)
    }
}
