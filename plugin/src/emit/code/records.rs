//! Fields of records in vectors: complex numbers, points.
//!
//! ```text
//! for j:                                     for j in steps of 8:
//!   c[j].re = c[j].re + ...                    w = c[j .. j + 8]                              (16 numbers)
//!   c[j].im = c[j].im + ...             =>     re, im = the even lanes of w, the odd lanes of w
//!                                              re = re + ...;  im = im + ...
//!                                              c[j .. j + 8] = interleaved(re, im)
//! ```
//!
//! Records are what the last dimension of an array says: its size is a small number, and the last subscript of an access is the field.
//! All of a vector's records are loaded at once and taken apart with shuffles of known lanes; what is stored is put together first. A store of
//! one field stores all of them, the others as they are; the store of the next field replaces it (see `numbering`), so that one is left.
//!
//! Invariants: the body of the loop touches all fields of each such record in every iteration, so that nothing is read that the program does not
//! touch; it writes all of them, or none, so that nothing is written that the program does not write.

use super::Emitter;
use super::kept::Element;
use super::lanes::collect;
use super::vectors::{Motion, motion, no_vector};
use crate::emit::scopes::Placed;
use crate::formula::poly::Poly;
use crate::host::{Edit, EditError, Value};
use crate::model::scop::{Access, Scop, Statement};
use tessera_polyhedral::ast::{Expr, For, IterId};
use tessera_polyhedral::flow::AccessKind;

/// The most fields: of larger ones a vector touches many lines.
const MOST_FIELDS: usize = 4;

/// One field of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// Its number.
    number: usize,
    /// How many fields the record has.
    of: usize,
}

impl Field {
    /// The field that an access touches, if its array has records.
    pub(super) fn of(scop: &Scop, access: &Access) -> Option<Field> {
        let size = scop.arrays[access.array].sizes.last()?.as_constant()?;
        let of = usize::try_from(size).ok().filter(|of| (2..=MOST_FIELDS).contains(of))?;
        let number = usize::try_from(access.subscripts.last()?.as_constant()?).ok()?;
        (number < of && access.count == 1 && access.entries.is_empty()).then_some(Field { number, of })
    }

    /// How many fields the record has.
    pub(super) fn fields(self) -> i128 {
        self.of as i128
    }
}

/// A record of which the body of a loop touches fields, as one bit each.
struct Record {
    element: Element,
    of: usize,
    touched: u32,
    written: u32,
}

impl Emitter<'_, '_, '_> {
    /// Whether the instances touch all fields of each record of which they touch one lane by lane, and write all of them or none.
    pub(super) fn has_whole_records(&self, instances: &[(&str, &[Expr])], iter: IterId) -> bool {
        let mut records: Vec<Record> = Vec::new();
        for (name, args) in instances {
            let Some(statement) = self.scop.statement(name) else { return false };
            for access in &statement.accesses {
                let Motion::ByRecord(field) = motion(self.scop, statement, access, args, iter) else { continue };
                let Some(element) = self.record(statement, access, args) else { return false };
                let known = records.iter().position(|record| record.element == element);
                let at = known.unwrap_or_else(|| {
                    records.push(Record { element, of: field.of, touched: 0, written: 0 });
                    records.len() - 1
                });
                records[at].touched |= 1 << field.number;
                if access.kind != AccessKind::Read {
                    records[at].written |= 1 << field.number;
                }
            }
        }
        let is_whole = |record: &Record| {
            let all = (1 << record.of) - 1;
            record.touched == all && (record.written == 0 || record.written == all)
        };
        records.iter().all(is_whole)
    }

    /// Whether the body of an innermost loop writes fields of records in several copies of a statement. Iterations may be independent, but later passes
    /// that are told so change the order of accesses to fields in one iteration.
    pub(super) fn jams_records(&self, node: &For) -> bool {
        let mut instances = Vec::new();
        collect(&node.body, &mut instances);
        let is_copied =
            |(at, (name, _)): (usize, &(&str, &[Expr]))| instances[..at].iter().any(|(other, _)| other == name);
        let writes = |(name, args): &(&str, &[Expr])| {
            let statement = self.scop.statement(name);
            statement.is_some_and(|statement| {
                statement.accesses.iter().any(|access| {
                    let moves = motion(self.scop, statement, access, args, node.iter);
                    access.kind != AccessKind::Read && matches!(moves, Motion::ByRecord(_))
                })
            })
        };
        instances.iter().enumerate().any(is_copied) && instances.iter().any(writes)
    }

    /// The record of which an access touches a field.
    pub(super) fn record(&self, statement: &Statement, access: &Access, args: &[Expr]) -> Option<Element> {
        let mut element = self.element(statement, access, args)?;
        element.subscripts.pop();
        Some(element)
    }

    /// Reads a field of records side by side.
    pub(super) fn read_field(
        &mut self,
        statement: &Statement,
        access: &Access,
        args: &[Placed],
        field: Field,
    ) -> Edit<Value> {
        let (_, values) = self.fields_of(statement, access, args, field)?;
        Ok(values[field.number])
    }

    /// Writes a field of records side by side: the others are written as they are.
    pub(super) fn write_field(
        &mut self,
        statement: &Statement,
        access: &Access,
        args: &[Placed],
        (field, value): (Field, Value),
    ) -> Edit<()> {
        let (pointer, mut values) = self.fields_of(statement, access, args, field)?;
        values[field.number] = self.in_lanes(value)?;
        self.scopes.at_end();
        let editor = self.scopes.editor;
        let align = self.record_align(access, field)?;
        let whole = self.interleaved(&values)?;
        let store = editor.store(whole, pointer, align)?;
        if let Some(before) = self.numbering.store(access.array, pointer, whole, store) {
            editor.discard_store(before)?;
            self.forget(before);
        }
        self.numbering.know_fields((access.array, pointer, whole.ty()), values);
        self.touch_record(statement, access, Some(store));
        self.annotate(store, access.array)
    }

    /// The address of the records and the vectors of all of their fields, loaded if they are not known.
    fn fields_of(
        &mut self,
        statement: &Statement,
        access: &Access,
        args: &[Placed],
        field: Field,
    ) -> Edit<(Value, Vec<Value>)> {
        let editor = self.scopes.editor;
        let unit = self.scop.arrays[access.array].unit;
        let too_large = || EditError::new("an offset out of range");
        let number = i128::try_from(field.number).map_err(|_| too_large())?;
        let back = Poly::constant(number * unit).ok_or_else(too_large)?;
        let first = Access { offset: access.offset.sub(&back).ok_or_else(too_large)?, ..access.clone() };
        let pointer = self.memory_address(&statement.loops, &first, args)?;
        self.numbering.enter(self.scopes.block());
        let (ty, _) = self.element_of(access)?;
        let lanes = self.vector.as_ref().ok_or_else(no_vector)?.count as usize;
        let ty = editor.vector_type(ty, u32::try_from(lanes * field.of).map_err(|_| no_vector())?)?;
        if let Some(known) = self.numbering.fields((access.array, pointer, ty)) {
            return Ok((pointer, known.to_vec()));
        }
        let whole = editor.load(ty, pointer, self.record_align(access, field)?)?;
        self.annotate(whole, access.array)?;
        self.numbering.load(access.array, pointer, None, whole);
        let of_field = |number| (0..lanes).map(|lane| lane * field.of + number).collect::<Vec<_>>();
        let values = (0..field.of).map(|number| editor.shuffle(whole, whole, &of_field(number)));
        let values = values.collect::<Edit<Vec<_>>>()?;
        self.numbering.know_fields((access.array, pointer, ty), values.clone());
        self.touch_record(statement, access, None);
        Ok((pointer, values))
    }

    /// What is known of the address of a record from that of one of its fields.
    fn record_align(&self, access: &Access, field: Field) -> Edit<u64> {
        let (_, align) = self.element_of(access)?;
        let bytes = u64::try_from(self.scop.arrays[access.array].unit).map_err(|_| no_vector())?;
        let distance = bytes * field.number as u64;
        Ok(if distance == 0 { align } else { align.min(1 << distance.trailing_zeros()) })
    }

    /// The first lanes of all vectors, then the second ones, and so on.
    fn interleaved(&self, values: &[Value]) -> Edit<Value> {
        let editor = self.scopes.editor;
        let ([first, others @ ..], of) = (values, values.len()) else { return Err(no_vector()) };
        let lanes = first.ty().lanes().ok_or_else(no_vector)?.0 as usize;
        let in_width = |value: Value, width: usize| match width == lanes {
            true => Ok(value),
            false => editor.shuffle(value, value, &(0..width).map(|lane| lane % lanes).collect::<Vec<_>>()),
        };
        // One behind the other; the last shuffle brings the last one.
        let mut all = *first;
        for (number, value) in others.iter().enumerate() {
            let width = (number + 1) * lanes;
            let is_last = number + 1 == others.len();
            let order = |at: usize| if is_last { at % of * lanes + at / of } else { at };
            all = editor.shuffle(all, in_width(*value, width)?, &(0..width + lanes).map(order).collect::<Vec<_>>())?;
        }
        Ok(all)
    }
}
