//! The code of [`RowsPlan`]: loops that read the tables of rows, compare each row with what it must not overlap, and leave for the
//! original loops as soon as something does.
//!
//! Addresses of rows are compared in 64 bits, whatever the width of words.
//!
//! What is known of each family between visits is the subject of `row_ranges`. Entries are frozen: where the program has no use for one,
//! it may hold anything.

use super::Job;
use super::checked_arithmetic::Ranged;
use super::code::{Emitter, Visitor};
use super::frame::Frame;
use super::guard::GuardPlan;
use super::guard_code::{GuardCode, Range};
use super::row_checks::{Block as Bytes, Family, RowsPlan, VisitPlan};
use super::row_ranges::Gathered;
use super::scopes::{Placed, Scopes};
use crate::detect::scev::UNLIMITED;
use crate::host::{Block, Edit, EditError, Editor, IntPredicate, LoopHint, Value};
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
    families: Vec<FamilyCode<'e, 'a>>,
    /// For each pair of tables and the rows that they lead to, both together.
    turns: Vec<Option<Gathered<'e, 'a>>>,
    /// Whether nothing was too large that was computed for all families.
    right: Value,
}

/// What the visits need to know of a family, computed before them.
struct FamilyCode<'e, 'a> {
    /// The bytes of a range, as distances from the pointer that leads to it.
    range: Range,
    /// What no range may overlap.
    blocks: Vec<(Value, Range)>,
    gathered: Gathered<'e, 'a>,
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

    /// Builds the checks from `block` on; the answer is where they end and the condition that is left.
    pub(super) fn check(&self, job: &Job, rows: &RowsPlan, block: Block, params: &[Value]) -> Edit<(Block, Value)> {
        let editor = self.editor();
        editor.at_end(block);
        let families = rows.families.iter().map(|family| self.family(rows, family)).collect::<Edit<Vec<_>>>()?;
        let turns = rows.pairs.iter().map(|pair| {
            let gathered = || Gathered::new(editor, self.frame, true);
            rows.are_in_turns(*pair).then(gathered).transpose()
        });
        let turns = turns.collect::<Edit<Vec<_>>>()?;
        let visits = Visits { code: self, rows, families, turns, right: self.guard.not_failed()? };
        let emitter = Emitter::of_unit(editor, block, job, &rows.unit, params, self.known)?;
        let end = emitter.visited_by(&visits).run()?.0;
        editor.at_end(end);
        let mut result = visits.right;
        for family in &visits.families {
            if let Some(apart) = family.gathered.are_apart()? {
                result = editor.both(result, apart)?;
            }
        }
        for ((left, right), turns) in rows.pairs.iter().zip(&visits.turns) {
            let (left, right) = (&visits.families[*left].gathered, &visits.families[*right].gathered);
            let mut apart = left.are_apart_from(right)?;
            if let Some(in_runs) = turns.as_ref().map(Gathered::are_in_runs).transpose()?.flatten() {
                apart = editor.or(apart, in_runs)?;
            }
            result = editor.both(result, apart)?;
        }
        Ok((end, result))
    }

    fn family(&self, rows: &RowsPlan, family: &Family) -> Edit<FamilyCode<'e, 'a>> {
        let plan = &rows.visits[family.visit];
        let range = match (plan.tables.get(family.depth), self.scop.visits[plan.source].array()) {
            (None, Some(array)) => self.guard.extent(self.scop, self.plan, array)?,
            (Some(table), _) => self.guard.hull(table, self.outside(self.scop.visits[plan.source].base))?,
            (None, None) => return Err(EditError::new("a number that is a place")),
        };
        let blocks = family.blocks.iter().map(|block| self.bytes(rows, *block)).collect::<Edit<Vec<_>>>()?;
        Ok(FamilyCode { range, blocks, gathered: Gathered::new(self.editor(), self.frame, family.apart)? })
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

impl Visits<'_, '_, '_, '_> {
    /// Checks the range of a family that starts at `pointer`, and remembers it. Adds to the condition.
    fn look(&self, position: usize, pointer: Value, condition: Value) -> Edit<Value> {
        let editor = self.code.editor();
        let FamilyCode { range, blocks, gathered } = &self.families[position];
        let address = editor.ptrtoint(pointer, ADDRESS_BITS)?;
        let start = editor.add(address, editor.sext(range.0.value, ADDRESS_BITS)?)?;
        let end = editor.add(address, editor.sext(range.1.value, ADDRESS_BITS)?)?;
        let lower_half = editor.icmp(IntPredicate::Sge, start, editor.const_int(ADDRESS_BITS, 0)?)?;
        let mut condition = editor.both(condition, lower_half)?;
        let bits = self.code.guard.address_bits(pointer);
        if bits < ADDRESS_BITS {
            let last = editor.const_int(ADDRESS_BITS, 1 << bits)?;
            condition = editor.both(condition, editor.icmp(IntPredicate::Sle, end, last)?)?;
        }
        condition = editor.both(condition, editor.icmp(IntPredicate::Slt, start, end)?)?;
        for block in blocks {
            condition = editor.both(condition, self.code.guard.apart((pointer, *range), *block)?)?;
        }
        for (pair, turns) in self.rows.pairs.iter().zip(&self.turns) {
            if let Some(turns) = turns.as_ref().filter(|_| [pair.0, pair.1].contains(&position)) {
                // A table is looked at again for each of its rows.
                turns.add(start, end, Some(gathered.is_last(start)?))?;
            }
        }
        if self.rows.families[position].apart || self.rows.pairs.iter().any(|(a, b)| *a == position || *b == position) {
            gathered.add(start, end, None)?;
        }
        if let Some(may_be_apart) = gathered.may_be_apart()? {
            condition = editor.both(condition, may_be_apart)?;
        }
        Ok(condition)
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
        let mut condition = self.right;
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
            let family = |family: &Family| family.visit == number && family.depth == depth + 1;
            let Some(position) = self.rows.families.iter().position(family) else { continue };
            condition = self.look(position, pointer, condition)?;
        }
        // What is computed here is known here only.
        condition = editor.both(condition, code.guard.not_failed()?)?;
        if condition.constant_int().is_some_and(|known| known != 0) {
            return Ok(());
        }
        let next = editor.create_block("apart", Some(scopes.block()))?;
        editor.cond_br(condition, next, code.original)?;
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
        let arithmetic = &self.arithmetic;
        let visit = rows.visits.iter().find(|visit| scop.visits[visit.source].array() == Some(array));
        let (mut bytes, Some(visit)) = (bytes, visit) else { return Ok(bytes) };
        let few = if arithmetic.bits >= 64 { 1 << 24 } else { 1 << 7 };
        let (few, many) = (arithmetic.constant(few)?, arithmetic.constant(self.many_bytes())?);
        bytes = arithmetic.min(bytes, many)?;
        for (table, level) in visit.tables.iter().zip(&scop.visits[visit.source].levels) {
            let (low, end) = self.hull(table, scop.visits[visit.source].base)?;
            let unit = i64::try_from(level.unit).map_err(|_| EditError::new("a large entry"))?;
            let last =
                arithmetic.floor_div(arithmetic.sub(arithmetic.sub(end, arithmetic.constant(1)?)?, low)?, unit)?;
            let count = arithmetic.max(arithmetic.add(last, arithmetic.constant(1)?)?, arithmetic.constant(0)?)?;
            bytes = arithmetic.min(arithmetic.mul(bytes, arithmetic.min(count, few)?)?, many)?;
        }
        Ok(bytes)
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
