//! PHIs whose incoming values are one expression after all.
//!
//! The compiler knows that `i * n` is zero where `i` is, and writes `phi [0, i == 0], [i * n, i != 0]`. Such a PHI is `i * n`
//! everywhere: under the condition of each edge the value that comes along it equals that of one of the edges. The same is
//! done for addresses.
//!
//! Invariant: equality is proved, by substitution of the equalities that hold on the edge, never assumed.

use super::{Place, Reader, Surroundings};
use crate::detect::condition::{Constraint, Dnf};
use crate::detect::reasons::Reason;
use crate::host::{Opcode, Scev, Value};
use crate::model::poly::{Poly, Sym};

/// How many such PHIs may depend on each other.
const MAX_NESTING: usize = 3;

impl Reader<'_, '_> {
    /// An address as the pointer from before the region that it starts from, and the distance in bytes.
    pub fn address(
        &mut self,
        address: Scev,
        place: Place,
        region: &impl Surroundings,
    ) -> Result<(Value, Poly), Reason> {
        let scalar = || Reason::Scalar;
        let base = self.host.pointer_base(address).ok_or(Reason::ChangingBase)?;
        let pointer = base.unknown_value().ok_or(Reason::ChangingBase)?;
        let distance = self.host.minus(address, base).ok_or_else(scalar)?;
        let mut offset = self.poly(distance, place, region)?;
        if pointer.parent().is_none_or(|block| !region.contains(block)) {
            return Ok((pointer, offset));
        }
        let (pointer, more) = self.agreed_address(pointer, place, region).ok_or(Reason::ChangingBase)?;
        offset = offset.add(&more).ok_or(Reason::TooLarge)?;
        Ok((pointer, offset))
    }

    /// The expression that an integer PHI stands for, if its edges agree.
    pub(super) fn agreed_value(&mut self, phi: Value, place: Place, region: &impl Surroundings) -> Option<Poly> {
        phi.ty().int_bits()?;
        self.agreement(phi, region, |reader, scev| reader.poly(scev, place, region).ok().map(|poly| ((), poly)))
            .map(|(_, poly)| poly)
    }

    fn agreed_address(&mut self, phi: Value, place: Place, region: &impl Surroundings) -> Option<(Value, Poly)> {
        self.agreement(phi, region, |reader, scev| reader.address(scev, place, region).ok())
    }

    /// What all edges into a PHI agree on, where `read` reads an incoming value. What was recorded on the way is forgotten if
    /// there is nothing.
    fn agreement<T: PartialEq>(
        &mut self,
        phi: Value,
        region: &impl Surroundings,
        read: impl Fn(&mut Self, Scev) -> Option<(T, Poly)>,
    ) -> Option<(T, Poly)> {
        let block = phi.parent().filter(|block| phi.is(Opcode::Phi) && region.contains(*block))?;
        if region.is_header(block) || self.nesting >= MAX_NESTING {
            return None;
        }
        let mark = self.mark();
        self.nesting += 1;
        let found = self.compare_edges(phi, region, read);
        self.nesting -= 1;
        if found.is_none() {
            self.reset(mark);
        }
        found
    }

    fn compare_edges<T: PartialEq>(
        &mut self,
        phi: Value,
        region: &impl Surroundings,
        read: impl Fn(&mut Self, Scev) -> Option<(T, Poly)>,
    ) -> Option<(T, Poly)> {
        let block = phi.parent()?;
        let scope = self.host.loop_of(block);
        let around: Vec<usize> =
            std::iter::successors(scope, |l| l.parent()).map_while(|l| region.loop_index(l)).collect();
        let mut values: Vec<(T, Poly)> = Vec::new();
        for (value, _) in phi.phi_incoming() {
            let scev = self.host.scev_at_scope(value, scope)?;
            let value = read(self, scev)?;
            let foreign = value.1.symbols().any(|symbol| matches!(symbol, Sym::Iv(l) if !around.contains(&l)));
            if foreign || values.first().is_some_and(|first| first.0 != value.0) {
                return None;
            }
            values.push(value);
        }
        let mut ways = Vec::new();
        for (_, from) in phi.phi_incoming() {
            ways.push(region.edge(self, from, block)?);
        }
        let agree = |candidate: &Poly| {
            values.iter().zip(&ways).all(|((_, value), way)| {
                let difference = candidate.sub(value);
                difference.is_some_and(|difference| vanishes(&difference, way))
            })
        };
        let position = values.iter().position(|(_, candidate)| agree(candidate))?;
        Some(values.swap_remove(position))
    }
}

/// Whether a polynomial is zero wherever a condition holds, as far as its equalities tell.
fn vanishes(poly: &Poly, condition: &Dnf) -> bool {
    *poly == Poly::zero() || condition.disjuncts().iter().all(|disjunct| vanishes_under(poly, disjunct) == Some(true))
}

fn vanishes_under(poly: &Poly, disjunct: &[Constraint]) -> Option<bool> {
    let mut equalities: Vec<Poly> = Vec::new();
    for (position, constraint) in disjunct.iter().enumerate() {
        let opposite = |other: &Constraint| constraint.poly().scale(-1).as_ref() == Some(other.poly());
        if matches!(constraint, Constraint::Zero(_)) || disjunct[position + 1..].iter().any(opposite) {
            equalities.push(constraint.poly().clone());
        }
    }
    let mut rest = poly.clone();
    while let Some(equality) = equalities.pop() {
        let Some((symbol, value)) = solved(&equality) else { continue };
        rest = rest.substitute(symbol, &value)?;
        for other in &mut equalities {
            *other = other.substitute(symbol, &value)?;
        }
    }
    Some(rest == Poly::zero())
}

/// A symbol that `poly == 0` determines, and its value: the last one with the coefficient 1 or -1.
fn solved(poly: &Poly) -> Option<(Sym, Poly)> {
    let unit = |(monomial, coefficient): (&Vec<Sym>, i128)| match monomial.as_slice() {
        [symbol] if coefficient.abs() == 1 => Some((*symbol, coefficient)),
        _ => None,
    };
    let (symbol, coefficient) = poly.terms().filter_map(unit).last()?;
    let own = Poly::symbol(symbol).scale(coefficient)?;
    Some((symbol, poly.sub(&own)?.scale(-coefficient)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iv(index: usize) -> Poly {
        Poly::symbol(Sym::Iv(index))
    }

    fn param(index: usize) -> Poly {
        Poly::symbol(Sym::Param(index))
    }

    #[test]
    fn a_product_is_zero_where_a_factor_is() {
        let product = iv(0).mul(&param(0)).unwrap();
        let first = Dnf::eq(&iv(0), &Poly::zero()).unwrap();
        assert!(vanishes(&product, &first));
        let second = Dnf::eq(&iv(0), &Poly::one()).unwrap();
        assert!(!vanishes(&product, &second));
        assert!(!vanishes(&product, &first.or(&second).unwrap()));
        assert!(!vanishes(&product, &Dnf::always()));
    }

    #[test]
    fn two_inequalities_make_an_equality() {
        let both = Dnf::le(&iv(0), &iv(1)).unwrap().and(&Dnf::le(&iv(1), &iv(0)).unwrap()).unwrap();
        let difference = iv(0).mul(&param(0)).unwrap().sub(&iv(1).mul(&param(0)).unwrap()).unwrap();
        assert!(vanishes(&difference, &both));
        assert!(!vanishes(&difference, &Dnf::le(&iv(0), &iv(1)).unwrap()));
    }

    #[test]
    fn equalities_are_used_one_after_the_other() {
        // i == j and j == 2 n: i - 2 n is zero, i - n is not.
        let twice = param(0).scale(2).unwrap();
        let both = Dnf::eq(&iv(0), &iv(1)).unwrap().and(&Dnf::eq(&iv(1), &twice).unwrap()).unwrap();
        assert!(vanishes(&iv(0).sub(&twice).unwrap(), &both));
        assert!(!vanishes(&iv(0).sub(&param(0)).unwrap(), &both));
    }
}
