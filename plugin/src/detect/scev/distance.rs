//! Distances of addresses: iterators compare pointers, and count what is left by subtracting them.
//!
//! Invariant: an address itself is never taken as a number, because it is larger than any number that the guard admits; only
//! sums in which every base is added as often as it is subtracted are.

use super::{ProgramPoint, Reader, Surroundings};
use crate::formula::poly::{Poly, Sym, gcd};
use crate::host::{Loop, Scev, ScevKind, TypeKind, Value};
use crate::reasons::Reason;

impl Reader<'_, '_> {
    /// A sum in which addresses occur.
    pub(super) fn sum_with_addresses(
        &mut self,
        sum: Scev,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Poly, Reason> {
        let mut found = Sum::default();
        for operand in sum.operands() {
            self.add_addresses(operand, 1, &mut found, place, region)?;
        }
        if found.bases.iter().all(|(_, times)| *times == 0) { Ok(found.total) } else { Err(Reason::Scalar) }
    }

    fn add_addresses(
        &mut self,
        scev: Scev,
        factor: i128,
        found: &mut Sum,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<(), Reason> {
        let operands = scev.operands();
        let (base, offset) = match (scev.kind(), operands.as_slice()) {
            _ if !has_address(scev) => (None, self.poly(scev, place, region)?),
            (ScevKind::Add, parts) => {
                return parts.iter().try_for_each(|part| self.add_addresses(*part, factor, found, place, region));
            }
            // The address of a row that moves with a loop.
            (ScevKind::AddRec, [start, step]) => {
                let index = scev.recurrence_loop().and_then(|l| region.loop_index(l)).ok_or(Reason::Scalar)?;
                let step = self.poly(*step, place, region)?;
                if !step.is_invariant() || !region.is_around(index, place) {
                    return Err(Reason::Scalar);
                }
                self.add_addresses(*start, factor, found, place, region)?;
                (None, step.mul(&Poly::symbol(Sym::Iv(index))).ok_or(Reason::TooLarge)?)
            }
            (ScevKind::Mul, [times, address]) => {
                let times = times.constant().and_then(|times| times.checked_mul(factor)).ok_or(Reason::Scalar)?;
                return self.add_addresses(*address, times, found, place, region);
            }
            (ScevKind::PtrToInt, [pointer]) => {
                let (base, offset) = self.flat_address(*pointer, place, region)?;
                (Some(base), offset)
            }
            _ => return Err(Reason::Scalar),
        };
        let total = offset.scale(factor).and_then(|moved| found.total.add(&moved)).ok_or(Reason::TooLarge)?;
        found.total = total;
        if let Some(base) = base {
            match found.bases.iter_mut().find(|(other, _)| *other == base) {
                Some((_, times)) => *times += factor,
                None => found.bases.push((base, factor)),
            }
        }
        Ok(())
    }

    /// An address that starts from a pointer from before the region, and not from a row of a table.
    fn flat_address(
        &mut self,
        address: Scev,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<(Value, Poly), Reason> {
        let address = self.address(address, place, region)?;
        if address.entries.is_empty() { Ok((address.base, address.offset)) } else { Err(Reason::Scalar) }
    }

    /// How far `left` is behind `right`, in units that divide all distances between them: zero exactly if they are equal.
    pub(super) fn distance(
        &mut self,
        (left, right): (Value, Value),
        scope: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Poly, Reason> {
        let host = self.host;
        let (Some(left), Some(right)) = (host.scev_at_scope(left, scope), host.scev_at_scope(right, scope)) else {
            return Err(Reason::Condition);
        };
        let (left_base, left) = self.flat_address(left, place, region)?;
        let (right_base, right) = self.flat_address(right, place, region)?;
        if left_base != right_base {
            return Err(Reason::Condition);
        }
        let bytes = left.sub(&right).ok_or(Reason::TooLarge)?;
        // Pointers are equal if the distance is zero modulo 2^w.
        let space = match left_base.ty().kind() {
            TypeKind::Pointer(space) => space,
            _ => return Err(Reason::Condition),
        };
        self.assume_range(&bytes, super::signed_range(host.index_bits(space)), place);
        let unit = bytes.terms().fold(0, |unit, (_, coefficient)| gcd(unit, coefficient)).max(1);
        let mut units = Poly::zero();
        for (monomial, coefficient) in bytes.terms() {
            let term = Poly::term(monomial.clone(), coefficient / unit);
            units = term.and_then(|term| units.add(&term)).ok_or(Reason::TooLarge)?;
        }
        Ok(units)
    }
}

/// A sum of addresses, each with a factor, and of numbers.
#[derive(Default)]
struct Sum {
    total: Poly,
    bases: Vec<(Value, i128)>,
}

/// Whether an expression is an address as an integer, or a multiple of one.
pub(super) fn is_address(scev: Scev) -> bool {
    match scev.kind() {
        ScevKind::PtrToInt => true,
        ScevKind::Mul => scev.operands().into_iter().any(|operand| operand.kind() == ScevKind::PtrToInt),
        _ => false,
    }
}

/// Whether an expression has an address as an integer in it that is added.
pub(super) fn has_address(scev: Scev) -> bool {
    match scev.kind() {
        ScevKind::PtrToInt => true,
        ScevKind::Mul | ScevKind::Add => scev.operands().into_iter().any(has_address),
        ScevKind::AddRec => scev.operands().first().is_some_and(|start| has_address(*start)),
        _ => false,
    }
}
