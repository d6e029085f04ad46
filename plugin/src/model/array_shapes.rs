//! The shapes of all arrays of a draft: those inside rows, behind the dimensions that tables of rows make.

use super::delinearize::{self, ByteAccess, Rows, Shape};
use super::row_tables::{self, Level};
use super::sets::{Frame, library_error};
use super::statements::{Draft, RawAccess, Target};
use super::triangular;
use crate::detect::scev::Entry;
use crate::formula::condition::Dnf;
use crate::formula::poly::Poly;
use crate::host::Value;
use crate::reasons::{Reason, Rejection};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::space::Space;

/// The condition that some of `count` elements from a subscript on lie outside of a dimension.
pub(super) fn outside(subscript: &Poly, count: i128, size: &Poly) -> Result<Dnf, Reason> {
    let end = Poly::constant(count).and_then(|count| subscript.add(&count)).ok_or(Reason::TooLarge)?;
    Dnf::lt(subscript, &Poly::zero())?.or(&Dnf::lt(size, &end)?)
}

/// A shape, and the subscripts of each access in it.
pub(super) type Split = (Shape, Vec<Vec<Poly>>);

/// Whether inner subscripts stay inside the shape in all iterations.
pub(super) fn holds_all(
    draft: &Draft,
    places: &[(usize, usize)],
    (shape, split): &Split,
    params: &Space,
    budget: &Budget,
) -> Result<bool, Reason> {
    for ((s, a), subscripts) in places.iter().zip(split) {
        let root = &draft.statements[*s].root;
        let elements = draft.statements[*s].accesses[*a].bytes / shape.unit;
        for (at, (subscript, size)) in subscripts[1..].iter().zip(&shape.sizes).enumerate() {
            let count = if at + 1 == shape.sizes.len() { elements } else { 1 };
            let outside = root.domain.and(&outside(subscript, count, size)?)?;
            let outside = outside.and(&draft.known).unwrap_or(outside);
            if !outside.disjuncts().iter().flatten().all(|constraint| constraint.poly().is_affine()) {
                return Ok(false);
            }
            let frame = Frame::of_loops(params, "", &root.loops);
            if !frame.set(&outside)?.is_empty(budget).map_err(library_error)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Subscripts of every access of a draft, and the shape of every base.
pub(super) struct Shaped {
    /// Per statement and access.
    pub(super) subscripts: Vec<Vec<Vec<Poly>>>,
    /// Per base: bytes per element, sizes of inner dimensions, and the tables on the way.
    pub(super) bases: Vec<(i128, Vec<Poly>, Vec<Level>)>,
}

impl Shaped {
    /// Fails if a base has no shape that fits all accesses.
    pub(super) fn new(
        draft: &Draft,
        name_of: impl Fn(Value) -> String,
        params: &Space,
        budget: &Budget,
    ) -> Result<Self, Rejection> {
        let mut subscripts: Vec<Vec<Vec<Poly>>> =
            draft.statements.iter().map(|s| vec![Vec::new(); s.accesses.len()]).collect();
        let mut bases = Vec::new();
        for (index, base) in draft.bases.iter().enumerate() {
            let places: Vec<(usize, usize)> = draft
                .statements
                .iter()
                .enumerate()
                .flat_map(|(s, statement)| {
                    let accesses = statement.accesses.iter().enumerate();
                    accesses.filter(|(_, a)| a.target == Target::Memory(index)).map(move |(a, _)| (s, a))
                })
                .collect();
            let raw: Vec<&RawAccess> = places.iter().map(|(s, a)| &draft.statements[*s].accesses[*a]).collect();
            if raw.is_empty() {
                bases.push((1, Vec::new(), Vec::new()));
                continue;
            }
            let accesses: Vec<ByteAccess<'_>> =
                raw.iter().map(|access| ByteAccess { offset: &access.offset, bytes: access.bytes }).collect();
            let by_products = delinearize::recover(&accesses, Rows::Products, &name_of(base.pointer));
            let by_sums = delinearize::recover(&accesses, Rows::Sums, "").ok();
            let holds = |shaped: &Split| holds_all(draft, &places, shaped, params, budget);
            let (shape, split) = match (by_products, by_sums) {
                (Err(reason), by_sums) => by_sums.ok_or(reason),
                // A diagonal of a square array, or the rest of its rows, looks like rows that are longer than a parameter says.
                (Ok(by_products), Some(by_sums)) if !holds(&by_products)? && holds(&by_sums)? => Ok(by_sums),
                (by_products, _) => by_products,
            }
            .map_err(|reason| Rejection::at(reason, raw[0].instruction.and_then(Value::debug_location)))?;
            let shorter = triangular::shorter_rows(draft, index, &places, &shape, params, budget)?;
            let (shape, split) = shorter.unwrap_or((shape, split));
            let chains: Vec<&[Entry]> = raw.iter().map(|access| access.entries.as_slice()).collect();
            let (levels, leading) = row_tables::levels(&chains).ok_or(Reason::TooLarge)?;
            bases.push((shape.unit, shape.sizes, levels));
            for (((s, a), mut dims), rest) in places.into_iter().zip(leading).zip(split) {
                dims.extend(rest);
                subscripts[s][a] = dims;
            }
        }
        Ok(Self { subscripts, bases })
    }

    /// Elements touched by an access.
    pub(super) fn count(&self, access: &RawAccess) -> i128 {
        match access.target {
            Target::Memory(base) => access.bytes / self.bases[base].0,
            Target::Cell(_) => 1,
        }
    }
}
