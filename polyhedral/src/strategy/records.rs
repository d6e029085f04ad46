//! Accesses that lie side by side record by record: complex numbers, points.
//!
//! ```text
//! for j: c[j].re += x[j]; c[j].im += y[j]
//! ```
//!
//! Each of the two accesses to `c` leaves out every second element, but together they leave out nothing: vectors of all of both are loaded, taken
//! apart, put together again and stored. So they are as good as accesses from element to element.
//!
//! Fields are the last subscript, a constant. All fields of a record must be touched, and if one is written, all of them.

use crate::flow::AccessKind;
use crate::scop::{Access, Scop};

use super::program::Program;

/// The most fields: of larger records a vector touches many lines.
const MOST_FIELDS: i128 = 4;

/// Whether an access of a statement, to one field of a record, goes from record to record with a loop, and these statements touch all fields of them.
pub(super) fn is_of_whole_record(
    (scop, program): (&Scop, &Program),
    statements: &[usize],
    (statement, access): (usize, &Access),
    index: usize,
) -> bool {
    let is_whole = || -> Option<bool> {
        let array = scop.array_of(access)?;
        let (stride, unit) = (program.stride(scop, statement, access, index)?, i128::from(scop.arrays[array].unit));
        let fields = stride / unit;
        if !(2..=MOST_FIELDS).contains(&fields) || stride % unit != 0 {
            return Some(false);
        }
        // The record, and the number of the field.
        let place = |(statement, access): (usize, &Access)| {
            let mut subscripts = program.place(access, (statement, statements[0]))?;
            let field = i128::from(subscripts.pop()?.constant_value()?.to_i64()?);
            (0..fields).contains(&field).then_some((subscripts, field))
        };
        let (record, _) = place((statement, access))?;
        let (mut touched, mut written) = (0u32, 0u32);
        for &s in statements {
            let own = scop.statements[s].accesses.iter().filter(|other| scop.array_of(other) == Some(array));
            for other in own {
                let (of, field) = place((s, other))?;
                if of == record {
                    touched |= 1 << field;
                    written |= if other.kind == AccessKind::Read { 0 } else { 1 << field };
                }
            }
        }
        let all = (1 << fields) - 1;
        Some(touched == all && (written == 0 || written == all))
    };
    is_whole() == Some(true)
}

/// Whether a statement writes nothing but the same field, of a record, as one of its accesses touches, both as a loop goes from record to record.
pub(super) fn is_of_same_field(
    (scop, program): (&Scop, &Program),
    (statement, access): (usize, &Access),
    index: usize,
) -> bool {
    let field = |access: &Access| {
        let unit = i128::from(scop.arrays[scop.array_of(access)?].unit);
        let stride = program.stride(scop, statement, access, index)?;
        let field = access.subscripts()?.last()?.constant_value()?;
        (stride > unit).then_some((stride, field))
    };
    let mut writes = scop.statements[statement].accesses.iter().filter(|other| other.kind != AccessKind::Read);
    let own = field(access);
    own.is_some() && writes.all(|write| field(write) == own)
}

/// Whether an access goes with a loop from record to record of three fields.
pub(super) fn is_of_triple(
    (scop, program): (&Scop, &Program),
    (statement, access): (usize, &Access),
    index: usize,
) -> bool {
    let unit = scop.array_of(access).map(|array| i128::from(scop.arrays[array].unit));
    unit.is_some_and(|unit| program.stride(scop, statement, access, index) == Some(3 * unit))
}

/// Whether all accesses of some statements to an array go from record to record of as many fields along a loop, each to one field, or stay.
/// `dims` says for every statement which dimension the loop runs along.
pub(super) fn lies_in_records(scop: &Scop, array: usize, statements: &[usize], dims: &[Option<usize>]) -> bool {
    let unit = i128::from(scop.arrays[array].unit);
    let fields = |access: &Access, dim: Option<usize>| -> Option<i128> {
        let stride = scop.stride(access, dim?)?;
        let field = || Some(i128::from(access.subscripts()?.last()?.constant_value()?.to_i64()?));
        let is_record = || stride % unit == 0 && field().is_some_and(|field| (0..stride / unit).contains(&field));
        (stride == 0 || is_record()).then_some(stride / unit)
    };
    let places = statements.iter().zip(dims);
    let mut all = places.flat_map(|(s, dim)| scop.statements[*s].accesses.iter().map(|access| (access, *dim)));
    let mut own = 0;
    all.all(|(access, dim)| {
        if scop.array_of(access) != Some(array) {
            return true;
        }
        match fields(access, dim) {
            Some(0) => true,
            Some(some) if some <= MOST_FIELDS && (own == 0 || own == some) => {
                own = some;
                true
            }
            _ => false,
        }
    })
}
