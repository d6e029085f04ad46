//! Distances of addresses: iterators compare pointers, and count what is left by subtracting them.
//!
//! Invariant: an address itself is never taken as a number, because it is larger than any number that the guard admits; only
//! sums in which every base is added as often as it is subtracted are.

use super::{Place, Reader, Surroundings, is_address};
use crate::detect::reasons::Reason;
use crate::host::{Loop, Scev, ScevKind, Value};
use crate::model::poly::{Poly, gcd};

impl Reader<'_, '_> {
    /// A sum in which addresses occur.
    pub(super) fn sum_with_addresses(
        &mut self,
        sum: Scev,
        place: Place,
        region: &impl Surroundings,
    ) -> Result<Poly, Reason> {
        let mut total = Poly::zero();
        let mut bases: Vec<(Value, i128)> = Vec::new();
        for operand in sum.operands() {
            if !is_address(operand) {
                total = total.add(&self.poly(operand, place, region)?).ok_or(Reason::TooLarge)?;
                continue;
            }
            let (address, factor) = multiple(operand).ok_or(Reason::Scalar)?;
            let (base, offset) = self.flat_address(address, place, region)?;
            total = offset.scale(factor).and_then(|moved| total.add(&moved)).ok_or(Reason::TooLarge)?;
            match bases.iter_mut().find(|(other, _)| *other == base) {
                Some((_, times)) => *times += factor,
                None => bases.push((base, factor)),
            }
        }
        if bases.iter().all(|(_, times)| *times == 0) { Ok(total) } else { Err(Reason::Scalar) }
    }

    /// An address that starts from a pointer from before the region, and not from a row of a table.
    fn flat_address(
        &mut self,
        address: Scev,
        place: Place,
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
        place: Place,
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
        // Pointers are equal if the distance is zero modulo 2^64.
        self.assume_range(&bytes, super::signed_range(64), place);
        let unit = bytes.terms().fold(0, |unit, (_, coefficient)| gcd(unit, coefficient)).max(1);
        let mut units = Poly::zero();
        for (monomial, coefficient) in bytes.terms() {
            let term = Poly::term(monomial.clone(), coefficient / unit);
            units = term.and_then(|term| units.add(&term)).ok_or(Reason::TooLarge)?;
        }
        Ok(units)
    }
}

/// An address and by what it is multiplied.
fn multiple(scev: Scev) -> Option<(Scev, i128)> {
    let operands = scev.operands();
    match (scev.kind(), operands.as_slice()) {
        (ScevKind::PtrToInt, [address]) => Some((*address, 1)),
        (ScevKind::Mul, [factor, address]) if address.kind() == ScevKind::PtrToInt => {
            Some((*address.operands().first()?, factor.constant()?))
        }
        _ => None,
    }
}
