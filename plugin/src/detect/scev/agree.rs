//! PHIs whose incoming values are one expression after all.
//!
//! The compiler knows that `i * n` is zero where `i` is, and writes `phi [0, i == 0], [i * n, i != 0]`. Such a PHI is `i * n`
//! everywhere: under the condition of each edge the value that comes along it equals that of one of the edges. The same is
//! done for addresses.
//!
//! Invariant: equality is proved, by substitution of the equalities that hold on the edge, never assumed.

use super::{Place, Reader, Surroundings};
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
        if let Some(pointer) = self.fixed(pointer, region) {
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
        for (value, _) in region.incoming(phi) {
            let scev = self.host.scev_at_scope(value, scope)?;
            let value = read(self, scev)?;
            let foreign = value.1.symbols().any(|symbol| matches!(symbol, Sym::Iv(l) if !around.contains(&l)));
            if foreign || values.first().is_some_and(|first| first.0 != value.0) {
                return None;
            }
            values.push(value);
        }
        let mut ways = Vec::new();
        for (_, from) in region.incoming(phi) {
            ways.push(region.edge(self, from, block)?);
        }
        let agree = |candidate: &Poly| {
            values.iter().zip(&ways).all(|((_, value), way)| {
                let difference = candidate.sub(value);
                difference.is_some_and(|difference| way.makes_zero(&difference))
            })
        };
        let position = values.iter().position(|(_, candidate)| agree(candidate))?;
        Some(values.swap_remove(position))
    }
}
