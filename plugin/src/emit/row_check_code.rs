//! The code of [`RowsPlan`]: loops that read the tables of rows, compare each row with what it must not overlap, and leave for the
//! original loops as soon as something does.
//!
//! Addresses of rows are compared in 64 bits, whatever the width of words.
//!
//! What is known of each family between visits is the subject of `row_ranges`. Where that is not enough to tell ranges apart, the tables are read again,
//! for a list (`row_list`). Entries are frozen: where the program has no use for one,
//! it may hold anything.

use super::Job;
use super::checked_arithmetic::Ranged;
use super::code::{Emitter, Visitor};
use super::frame::Frame;
use super::guard::GuardPlan;
use super::guard_code::{GuardCode, Range};
use super::row_checks::{Block as Bytes, Family, Pair, RowsPlan, VisitPlan};
use super::row_list::{self, Neighbours, RowList};
use super::row_ranges::Gathered;
use super::scopes::{Placed, Scopes};
use crate::detect::scev::UNLIMITED;
use crate::host::{Block, Edit, EditError, Editor, IntOp, IntPredicate, LoopHint, Value};
use crate::model::row_tables::Purpose;
use crate::model::scop::Scop;
use std::collections::HashMap;

/// What the code of the visits builds on.
pub(super) struct RowsCode<'g, 'e, 'a> {
    pub(super) guard: &'g GuardCode<'e, 'a>,
    pub(super) scop: &'g Scop,
    pub(super) plan: &'g GuardPlan,
    /// What stands for values of the original code.
    pub(super) known: &'g HashMap<Value, Value>,
    /// Per visit, what its numbers must be: the least value, and the greatest if there is one.
    pub(super) bounds: Vec<Bounds>,
    /// Where to go if a check fails.
    pub(super) original: Block,
    /// Where what is gathered is kept.
    pub(super) frame: &'g Frame,
}

/// No row has as many elements.
const LONGEST: i128 = 1 << 60;

/// For each number of a visit, the least value that it may have, and the greatest if there is one.
pub(super) type Bounds = Vec<(Value, Option<Value>)>;

/// The width that addresses of rows are compared in.
const ADDRESS_BITS: u32 = 64;

struct Visits<'v, 'g, 'e, 'a> {
    code: &'v RowsCode<'g, 'e, 'a>,
    rows: &'v RowsPlan,
    families: Vec<FamilyCode>,
    first: Option<FirstLook<'e, 'a>>,
    second: Option<SecondLook<'e, 'a>>,
    /// Where to go if something is wrong, or it cannot be told how ranges lie.
    otherwise: Block,
    /// Whether nothing was too large that was computed for all families.
    right: Value,
}

/// Visits that remember in the frame how ranges lie.
struct FirstLook<'e, 'a> {
    /// Per family.
    gathered: Vec<Gathered<'e, 'a>>,
    /// For each pair of tables and the rows that they lead to, both together.
    turns: Vec<Option<Gathered<'e, 'a>>>,
}

/// Visits that list ranges, if the frame cannot tell how they lie.
struct SecondLook<'e, 'a> {
    list: RowList<'e, 'a>,
    /// The tables on the way and the rows that are compared at once.
    near: Option<Neighbours<'e, 'a>>,
    /// Whether this is it: known where there is no first look, as the frame has no room.
    is_now: Value,
}

/// What the visits need to know of a family, computed before them.
struct FamilyCode {
    /// The bytes of a range, as distances from the pointer that leads to it.
    range: Range,
    /// What no range may overlap.
    blocks: Vec<(Value, Range)>,
}

impl<'e, 'a> RowsCode<'_, 'e, 'a> {
    fn editor(&self) -> &'e Editor<'a> {
        self.guard.editor()
    }

    fn outside(&self, value: Value) -> Value {
        self.known.get(&value).copied().unwrap_or(value)
    }

    /// The pointer that an array's bytes, or its table, are addressed from.
    fn base(&self, array: usize) -> Edit<Value> {
        let base = self.scop.arrays[array].storage.pointer();
        base.map(|base| self.outside(base)).ok_or_else(|| EditError::new("an array without base"))
    }

    /// Builds the checks from `block` on, which go to `to` if all hold.
    ///
    /// ```text
    /// rows       what the frame remembers = nothing
    /// look       all visits, each:  something is wrong, the frame cannot tell any more, or the list has no room -> otherwise
    ///            the first time:    the frame tells that ranges lie apart -> to, else otherwise
    ///            the second time:   the list tells that ranges lie apart; free -> to, else original
    /// otherwise  the second time:   free -> original
    ///            too little to do for a list, or no memory -> original, else -> look
    /// ```
    ///
    /// The visits are there once, so that what they computed is known to the new code, whichever look it was.
    pub(super) fn check(&self, job: &Job, rows: &RowsPlan, block: Block, params: &[Value], to: Block) -> Edit<()> {
        let editor = self.editor();
        editor.at_end(block);
        let families = rows.families.iter().map(|family| self.family(rows, family)).collect::<Edit<Vec<_>>>()?;
        let right = self.guard.not_failed()?;
        let remembers = self.frame.remembers_rows();
        let first = remembers.then(|| FirstLook::new(editor, self.frame, rows)).transpose()?;
        let mut visits = Visits { code: self, rows, families, first, second: None, otherwise: self.original, right };
        if !row_list::is_possible(&editor.analyses(), rows) {
            return visits.make((job, block), params, to);
        }
        let list = RowList::new(editor, self.frame)?;
        let near = Neighbours::new(editor, self.frame, rows)?;
        let look = editor.create_block("look", Some(block))?;
        visits.otherwise = editor.create_block("otherwise", Some(look))?;
        let begin = match remembers {
            true => editor.create_block("again", Some(visits.otherwise))?,
            false => block,
        };
        editor.at_end(block);
        let is_now = match remembers {
            true => {
                editor.br(look)?;
                editor.phi(look, editor.int_type(1)?, "again")?
            }
            false => editor.const_bool(true)?,
        };
        visits.second = Some(SecondLook { list, near, is_now });
        let made = visits.begin_list(begin, look)?;
        if remembers {
            editor.add_incoming(is_now, editor.const_bool(false)?, block)?;
            editor.add_incoming(is_now, editor.const_bool(true)?, made)?;
        }
        visits.leave(begin)?;
        visits.make((job, look), params, to)
    }

    fn family(&self, rows: &RowsPlan, family: &Family) -> Edit<FamilyCode> {
        let plan = &rows.visits[family.visit];
        let range = match (plan.tables.get(family.depth), self.scop.visits[plan.source].array()) {
            (None, Some(array)) => self.guard.extent(self.scop, self.plan, array)?,
            (Some(table), _) => self.guard.hull(table, self.outside(self.scop.visits[plan.source].base))?,
            (None, None) => return Err(EditError::new("a number that is a place")),
        };
        let blocks = family.blocks.iter().map(|block| self.bytes(rows, *block)).collect::<Edit<Vec<_>>>()?;
        Ok(FamilyCode { range, blocks })
    }

    /// Adds to a condition that a number lies within its bounds.
    fn is_right(&self, number: Value, bounds: &[(Value, Option<Value>)], condition: Value) -> Edit<Value> {
        let editor = self.editor();
        // Beyond that the sign would not be what it seems, and no row is as long.
        let mut condition =
            editor.both(condition, editor.icmp(IntPredicate::Ule, number, editor.const_int(64, LONGEST)?)?)?;
        for (least, greatest) in bounds {
            let least = editor.sext(*least, 64)?;
            condition = editor.both(condition, editor.icmp(IntPredicate::Sge, number, least)?)?;
            if let Some(greatest) = greatest {
                let greatest = editor.sext(*greatest, 64)?;
                condition = editor.both(condition, editor.icmp(IntPredicate::Sle, number, greatest)?)?;
            }
        }
        Ok(condition)
    }

    /// The bytes of a block, as distances from a pointer.
    fn bytes(&self, rows: &RowsPlan, block: Bytes) -> Edit<(Value, Range)> {
        match block {
            Bytes::Array(array) => Ok((self.base(array)?, self.guard.extent(self.scop, self.plan, array)?)),
            Bytes::Protected(index) => {
                let bytes = &self.scop.protected[index];
                let range = (self.guard.constant(bytes.low)?, self.guard.constant(bytes.end)?);
                Ok((self.outside(bytes.base), range))
            }
            Bytes::Table(visit) => {
                let visit = &rows.visits[visit];
                let base = self.outside(self.scop.visits[visit.source].base);
                Ok((base, self.guard.hull(&visit.tables[0], base)?))
            }
        }
    }
}

impl<'e, 'a> FirstLook<'e, 'a> {
    fn new(editor: &'e Editor<'a>, frame: &Frame, rows: &RowsPlan) -> Edit<Self> {
        let gather = |apart: bool| Gathered::new(editor, frame, apart);
        let gathered = rows.families.iter().map(|family| gather(family.apart)).collect::<Edit<_>>()?;
        let turns = rows.pairs.iter().map(|pair| rows.are_in_turns(pair).then(|| gather(true)).transpose());
        Ok(Self { gathered, turns: turns.collect::<Edit<_>>()? })
    }

    /// Remembers a range of a family. Whether the frame may still tell how ranges lie.
    fn remember(&self, editor: &Editor<'a>, rows: &RowsPlan, position: usize, range: (Value, Value)) -> Edit<Value> {
        let gathered = &self.gathered[position];
        for (pair, turns) in rows.pairs.iter().zip(&self.turns) {
            if let Some(turns) = turns.as_ref().filter(|_| pair.has(position)) {
                // A table is looked at again for each of its rows.
                turns.add(range.0, range.1, Some(gathered.is_last(range.0)?))?;
            }
        }
        gathered.add(range.0, range.1, None)?;
        gathered.may_be_apart()?.map_or_else(|| editor.const_bool(true), Ok)
    }

    /// Whether the frame tells that ranges lie apart.
    fn are_apart(&self, editor: &Editor<'a>, rows: &RowsPlan) -> Edit<Value> {
        let mut result = editor.const_bool(true)?;
        for family in &self.gathered {
            if let Some(apart) = family.are_apart()? {
                result = editor.both(result, apart)?;
            }
        }
        // What is compared at once was compared in the last visit of either.
        for (number, _) in rows.pairs.iter().enumerate().filter(|(_, pair)| !pair.at_once) {
            result = editor.both(result, self.is_apart(editor, rows, number)?)?;
        }
        Ok(result)
    }

    /// Whether the frame tells that a pair lies apart, of those ranges that are remembered so far.
    fn is_apart(&self, editor: &Editor<'a>, rows: &RowsPlan, number: usize) -> Edit<Value> {
        let Pair { left, right, .. } = rows.pairs[number];
        let apart = self.gathered[left].are_apart_from(&self.gathered[right])?;
        match self.turns[number].as_ref().map(Gathered::are_in_runs).transpose()?.flatten() {
            Some(in_runs) => editor.or(apart, in_runs),
            None => Ok(apart),
        }
    }
}

impl<'e, 'a> Visits<'_, '_, 'e, 'a> {
    /// Builds all visits from `block` on, which go to `to` if all is right and ranges lie apart.
    fn make(&self, (job, block): (&Job, Block), params: &[Value], to: Block) -> Edit<()> {
        let editor = self.code.editor();
        let emitter = Emitter::of_unit(editor, block, job, &self.rows.unit, params, self.code.known)?;
        let end = emitter.visited_by(self).run()?.0;
        editor.at_end(end);
        if let Some(SecondLook { list, near, is_now }) = &self.second {
            let listed = editor.create_block("listed", Some(end))?;
            let remembered = editor.create_block("remembered", Some(end))?;
            editor.cond_br(*is_now, listed, remembered)?;
            editor.at_end(listed);
            let apart = list.are_apart()?;
            near.iter().try_for_each(Neighbours::give_back)?;
            editor.cond_br(editor.both(self.right, apart)?, to, self.code.original)?;
            editor.at_end(remembered);
        }
        let apart = match &self.first {
            Some(first) => first.are_apart(editor, self.rows)?,
            None => editor.const_bool(false)?,
        };
        editor.cond_br(editor.both(self.right, apart)?, to, self.otherwise)?;
        Ok(())
    }

    /// Begins the second look at the end of `block`, if there is enough to do and memory for a list. The result leads to `look`.
    fn begin_list(&self, block: Block, look: Block) -> Edit<Block> {
        let (code, editor) = (self.code, self.code.editor());
        let Some(SecondLook { list, near, .. }) = &self.second else { return Err(EditError::new("no second look")) };
        editor.at_end(block);
        // It takes time to find that out while listing.
        let arithmetic = &code.guard.arithmetic;
        let most = row_list::most(code.guard, code.plan)?;
        let mut rows = arithmetic.constant(0)?;
        for (position, family) in self.rows.families.iter().enumerate() {
            if self.rows.is_compared(position) {
                let (visit, one) = (&self.rows.visits[family.visit], arithmetic.constant(1)?);
                rows = arithmetic.add(rows, code.guard.per_entry(code.scop, visit, family.depth, one)?)?;
            }
        }
        let few = arithmetic.at_most(rows, most)?;
        let few = editor.both(few, code.guard.not_failed()?)?;
        let start = editor.create_block("list", Some(block))?;
        editor.cond_br(few, start, code.original)?;
        editor.at_end(start);
        let length = |family: &FamilyCode| -> Edit<Value> {
            let (low, end) = family.range;
            editor.sub(editor.sext(end.value, ADDRESS_BITS)?, editor.sext(low.value, ADDRESS_BITS)?)
        };
        let lengths = self.families.iter().map(length).collect::<Edit<Vec<_>>>()?;
        let most = editor.sext(most.value, ADDRESS_BITS)?;
        let made = list.make((self.rows, &lengths), most, start, code.original)?;
        editor.at_end(made);
        near.iter().try_for_each(Neighbours::begin)?;
        editor.br(look)?;
        Ok(made)
    }

    /// Builds where visits go that do not go on: the second look gives the list back, the first one goes to `again`.
    fn leave(&self, again: Block) -> Edit<()> {
        let (code, editor) = (self.code, self.code.editor());
        let Some(SecondLook { list, near, is_now }) = &self.second else {
            return Err(EditError::new("no second look"));
        };
        editor.at_end(self.otherwise);
        if self.first.is_some() {
            let listed = editor.create_block("listed", Some(self.otherwise))?;
            editor.cond_br(*is_now, listed, again)?;
            editor.at_end(listed);
        }
        list.give_back()?;
        near.iter().try_for_each(Neighbours::give_back)?;
        editor.br(code.original)?;
        Ok(())
    }

    /// Lists ranges of families from the end of a block on; where it cannot, or ranges overlap that are compared at once, goes to `otherwise`.
    fn list(&self, second: &SecondLook<'e, 'a>, ranges: Vec<(usize, Value)>, block: Block) -> Edit<()> {
        let editor = self.code.editor();
        let mut here = block;
        for (position, start) in ranges {
            let after = editor.create_block("listed", Some(here))?;
            let mut is_fine = second.list.add(start, position)?;
            if let Some(near) = &second.near {
                is_fine = editor.both(is_fine, near.add(&second.list, start, position)?)?;
            }
            editor.cond_br(is_fine, after, self.otherwise)?;
            editor.at_end(after);
            here = after;
        }
        Ok(())
    }

    /// Checks the range of a family that starts at `pointer`: whether it is right, and its ends.
    fn look(&self, position: usize, pointer: Value) -> Edit<(Value, (Value, Value))> {
        let editor = self.code.editor();
        let FamilyCode { range, blocks } = &self.families[position];
        let address = editor.ptrtoint(pointer, ADDRESS_BITS)?;
        let start = editor.add(address, editor.sext(range.0.value, ADDRESS_BITS)?)?;
        let end = editor.add(address, editor.sext(range.1.value, ADDRESS_BITS)?)?;
        let mut condition = editor.icmp(IntPredicate::Sge, start, editor.const_int(ADDRESS_BITS, 0)?)?;
        let bits = self.code.guard.address_bits(pointer);
        if bits < ADDRESS_BITS {
            let last = editor.const_int(ADDRESS_BITS, 1 << bits)?;
            condition = editor.both(condition, editor.icmp(IntPredicate::Sle, end, last)?)?;
        }
        condition = editor.both(condition, editor.icmp(IntPredicate::Slt, start, end)?)?;
        for block in blocks {
            condition = editor.both(condition, self.code.guard.apart((pointer, *range), *block)?)?;
        }
        Ok((condition, (start, end)))
    }
}

impl<'e, 'a> Visitor<'e, 'a> for Visits<'_, '_, 'e, 'a> {
    fn visit(&self, scopes: &mut Scopes<'e, 'a>, name: &str, indices: &[Placed]) -> Edit<()> {
        let (code, editor) = (self.code, self.code.editor());
        let is_meant = |plan: &VisitPlan| code.scop.visits[plan.source].name == name;
        let number = self.rows.visits.iter().position(is_meant);
        let number = number.ok_or_else(|| EditError::new(format!("no rows {name}")))?;
        let plan = &self.rows.visits[number];
        let visit = &code.scop.visits[plan.source];
        scopes.at_end();
        let (mut condition, mut may_be_apart) = (self.right, editor.const_bool(true)?);
        let mut ranges = Vec::new();
        let mut pointer = code.outside(visit.base);
        for (depth, (level, index)) in visit.levels.iter().zip(indices).enumerate() {
            let distance = editor.mul(index.value, editor.const_residue(level.unit)?)?;
            let distance = editor.add(distance, editor.const_residue(level.origin)?)?;
            let entry = editor.byte_offset(pointer, distance, false)?;
            if let (Purpose::Numbers { ty, is_signed, .. }, true) = (&visit.purpose, depth + 1 == visit.levels.len()) {
                let found = editor.freeze(editor.load(*ty, entry, level.align)?)?;
                let found = if *is_signed { editor.sext(found, 64)? } else { editor.zext(found, 64)? };
                condition = code.is_right(found, &code.bounds[number], condition)?;
                break;
            }
            pointer = editor.freeze(editor.load(pointer.ty(), entry, level.align)?)?;
            for position in self.rows.families_of(number, depth + 1) {
                let (is_right, range) = self.look(position, pointer)?;
                condition = editor.both(condition, is_right)?;
                if self.rows.is_compared(position) {
                    if let Some(first) = &self.first {
                        let remembered = first.remember(editor, self.rows, position, range)?;
                        may_be_apart = editor.both(may_be_apart, remembered)?;
                    }
                    ranges.push((position, range.0));
                }
            }
        }
        if let Some(first) = &self.first {
            for (number, pair) in self.rows.pairs.iter().enumerate() {
                if pair.at_once && ranges.iter().any(|(position, _)| pair.has(*position)) {
                    may_be_apart = editor.both(may_be_apart, first.is_apart(editor, self.rows, number)?)?;
                }
            }
        }
        // What is computed here is known here only.
        condition = editor.both(condition, code.guard.not_failed()?)?;
        let is_fine = editor.both(condition, may_be_apart)?;
        let next = editor.create_block("apart", Some(scopes.block()))?;
        match self.second.as_ref().filter(|_| !ranges.is_empty()) {
            None => editor.cond_br(is_fine, next, self.otherwise)?,
            Some(second) => {
                let is_now = &second.is_now;
                // One branch where the first look is enough.
                let other = editor.create_block("other", Some(scopes.block()))?;
                let listed = editor.create_block("listed", Some(other))?;
                let is_first = editor.int_op(IntOp::Xor, *is_now, editor.const_bool(true)?, "first")?;
                editor.cond_br(editor.both(is_fine, is_first)?, next, other)?;
                editor.at_end(other);
                editor.cond_br(editor.both(condition, *is_now)?, listed, self.otherwise)?;
                editor.at_end(listed);
                self.list(second, ranges, listed)?;
                editor.br(next)?
            }
        };
        scopes.continue_in(next);
        Ok(())
    }

    fn hints(&self) -> Vec<LoopHint> {
        vec![LoopHint::Flag("llvm.loop.unroll.disable"), LoopHint::Bool("llvm.loop.vectorize.enable", false)]
    }
}

impl<'e, 'a> GuardCode<'e, 'a> {
    pub(super) fn editor(&self) -> &'e Editor<'a> {
        self.arithmetic.editor
    }

    pub(super) fn constant(&self, value: i128) -> Edit<Ranged> {
        self.arithmetic.constant(value)
    }

    /// The bytes that are touched of an array, of which the guard knows the extent by now.
    pub(super) fn extent(&self, scop: &Scop, plan: &GuardPlan, array: usize) -> Edit<Range> {
        let found = self.extents(scop, plan)?.0.into_iter().find(|(other, _)| *other == array).map(|(_, range)| range);
        found.ok_or_else(|| EditError::new("an array without extent"))
    }

    /// What the numbers of each visit must be, in the order of [`RowsPlan::visits`]. That nothing was too large on the way to it is part of the next condition.
    pub(super) fn bounds(&self, rows: &RowsPlan) -> Edit<Vec<Bounds>> {
        let arithmetic = &self.arithmetic;
        let mut all = Vec::new();
        for visit in &rows.visits {
            let mut bounds = Vec::new();
            for number in &visit.numbers {
                let (min, max) = self.range(&number.rest)?;
                // low <= rest + sign * number <= high
                let least = arithmetic.sub(arithmetic.constant(number.low)?, min)?;
                let greatest = match number.high == UNLIMITED {
                    true => None,
                    false => Some(arithmetic.sub(arithmetic.constant(number.high)?, max)?),
                };
                let zero = arithmetic.constant(0)?;
                let negated = |value: Ranged| arithmetic.sub(zero, value);
                bounds.push(match (number.sign > 0, greatest) {
                    (true, greatest) => (least.value, greatest.map(|greatest| greatest.value)),
                    (false, Some(greatest)) => (negated(greatest)?.value, Some(negated(least)?.value)),
                    (false, None) => (zero.value, Some(negated(least)?.value)),
                });
            }
            all.push(bounds);
        }
        Ok(all)
    }

    /// Data with as many bytes is in no cache.
    pub(super) fn many_bytes(&self) -> i128 {
        if self.arithmetic.bits >= 64 { 1 << 36 } else { 1 << 22 }
    }

    /// About how many bytes an array has, at most [`GuardCode::many_bytes`], if each of its rows has so many; just those if it has no rows.
    pub(super) fn bytes_in_rows(&self, scop: &Scop, rows: &RowsPlan, array: usize, bytes: Ranged) -> Edit<Ranged> {
        let visit = rows.visits.iter().find(|visit| scop.visits[visit.source].array() == Some(array));
        let Some(visit) = visit else { return Ok(bytes) };
        let levels = visit.tables.len().min(scop.visits[visit.source].levels.len());
        self.per_entry(scop, visit, levels, bytes)
    }

    /// A count for each entry that a visit reads of its tables of so many levels, if it reads all from the first to the last; at most [`GuardCode::many_bytes`].
    fn per_entry(&self, scop: &Scop, visit: &VisitPlan, levels: usize, each: Ranged) -> Edit<Ranged> {
        let arithmetic = &self.arithmetic;
        let few = if arithmetic.bits >= 64 { 1 << 24 } else { 1 << 7 };
        let (few, many) = (arithmetic.constant(few)?, arithmetic.constant(self.many_bytes())?);
        let mut count = arithmetic.min(each, many)?;
        for level in 0..levels {
            let entries = self.entries(scop, visit, level)?;
            count = arithmetic.min(arithmetic.mul(count, arithmetic.min(entries, few)?)?, many)?;
        }
        Ok(count)
    }

    /// How many entries a visit reads of its tables of one level, if it reads all from the first to the last; at least 0.
    fn entries(&self, scop: &Scop, visit: &VisitPlan, level: usize) -> Edit<Ranged> {
        let arithmetic = &self.arithmetic;
        let source = &scop.visits[visit.source];
        let (low, end) = self.hull(&visit.tables[level], source.base)?;
        let unit = i64::try_from(source.levels[level].unit).map_err(|_| EditError::new("a large entry"))?;
        let last = arithmetic.floor_div(arithmetic.sub(arithmetic.sub(end, arithmetic.constant(1)?)?, low)?, unit)?;
        arithmetic.max(arithmetic.add(last, arithmetic.constant(1)?)?, arithmetic.constant(0)?)
    }

    /// All tables are compared with the plain arrays that might contain their entries, and none comes near wrapping around.
    pub(super) fn tables_apart(
        &self,
        scop: &Scop,
        plan: (&RowsPlan, &GuardPlan),
        base: impl Fn(usize) -> Value,
        outside: impl Fn(Value) -> Value,
    ) -> Edit<Value> {
        let (rows, plan) = plan;
        let mut result = self.arithmetic.editor.const_bool(true)?;
        for visit in &rows.visits {
            for table in &visit.tables {
                let near = self.is_near(table, scop.visits[visit.source].base)?;
                result = self.arithmetic.editor.both(result, near)?;
            }
        }
        for (visit, array) in &rows.tables {
            let visit = &rows.visits[*visit];
            let start = outside(scop.visits[visit.source].base);
            let table = (start, self.hull(&visit.tables[0], start)?);
            let apart = self.apart(table, (base(*array), self.extent(scop, plan, *array)?))?;
            result = self.arithmetic.editor.both(result, apart)?;
        }
        Ok(result)
    }
}
