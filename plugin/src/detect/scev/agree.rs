//! PHIs whose incoming values are one expression after all.
//!
//! The compiler knows that `i * n` is zero where `i` is, and writes `phi [0, i == 0], [i * n, i != 0]`. Such a PHI is `i * n`
//! everywhere: under the condition of each edge the value that comes along it equals that of one of the edges. The same is
//! done for addresses.
//!
//! Invariant: equality is proved, by substitution of the equalities that hold on the edge, never assumed.

use super::phases::is_itself;
use super::{Address, Entry, ProgramPoint, Reader, Surroundings};
use crate::formula::poly::{Poly, Sym};
use crate::host::{Block, Opcode, Scev, Value};

/// How many such PHIs may depend on each other.
pub(super) const MAX_NESTING: usize = 3;

impl Reader<'_, '_> {
    /// The expression that an integer PHI stands for, if its edges agree.
    pub(super) fn agreed_value(&mut self, phi: Value, place: ProgramPoint, region: &impl Surroundings) -> Option<Poly> {
        phi.ty().int_bits()?;
        let read = |reader: &mut Self, scev| reader.poly(scev, place, region).ok().map(|poly| ((), vec![poly]));
        self.agreement(phi, region, read)?.1.pop()
    }

    /// The address that a PHI stands for, if its edges agree.
    pub(super) fn agreed_address(
        &mut self,
        phi: Value,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Option<Address> {
        self.agreed_row(phi, region, |reader, scev| reader.address(scev, place, region).ok())
    }

    /// The same for a number in a table of rows.
    pub(super) fn agreed_number(
        &mut self,
        phi: Value,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Option<Address> {
        self.agreed_row(phi, region, |reader, scev| {
            let load = scev.unknown_value().filter(|load| load.is(Opcode::Load))?;
            reader.row(load, place, region)
        })
    }

    fn agreed_row(
        &mut self,
        phi: Value,
        region: &impl Surroundings,
        mut find: impl FnMut(&mut Self, Scev) -> Option<Address>,
    ) -> Option<Address> {
        let mut met: Vec<Address> = Vec::new();
        let read = |reader: &mut Self, scev| {
            let address = find(reader, scev)?;
            let what = ((address.base, address.entries.len()), address.polys().cloned().collect());
            met.push(address);
            Some(what)
        };
        let ((base, depth), mut polys) = self.agreement(phi, region, read)?;
        if depth > 0 && !region.is_certain(phi.parent()?) {
            return None;
        }
        let offset = polys.pop()?;
        let loads_of = |level: usize| met.iter().flat_map(move |address| address.entries[level].loads.clone());
        let entry = |(level, offset)| Entry { offset, loads: loads_of(level).collect(), known_at: phi };
        let entries = polys.into_iter().enumerate().map(entry).collect();
        Some(Address { base, entries, offset })
    }

    /// What all edges into a PHI agree on, where `read` reads an incoming value. What was recorded on the way is forgotten if
    /// there is nothing.
    fn agreement<T: PartialEq>(
        &mut self,
        phi: Value,
        region: &impl Surroundings,
        read: impl FnMut(&mut Self, Scev) -> Option<(T, Vec<Poly>)>,
    ) -> Option<(T, Vec<Poly>)> {
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
        mut read: impl FnMut(&mut Self, Scev) -> Option<(T, Vec<Poly>)>,
    ) -> Option<(T, Vec<Poly>)> {
        let block = phi.parent()?;
        let scope = self.host.loop_of(block);
        let around: Vec<usize> =
            std::iter::successors(scope, |l| l.parent()).map_while(|l| region.loop_index(l)).collect();
        let mut values: Vec<(T, Vec<Poly>)> = Vec::new();
        let mut ways_in: Vec<(Value, Block)> = region.incoming(phi);
        let all = ways_in.len();
        ways_in.retain(|(_, from)| !self.is_excluded(*from, region));
        for (value, from) in &ways_in {
            let scev = self.host.scev_at_scope(*value, scope)?;
            let value = self.behind(*from, &around, region, |reader| read(reader, scev))?;
            let is_foreign = |symbol| matches!(symbol, Sym::Iv(l) if !around.contains(&l) && !is_itself(symbol));
            let foreign = value.1.iter().flat_map(Poly::symbols).any(is_foreign);
            if foreign || values.first().is_some_and(|first| first.0 != value.0) {
                return None;
            }
            values.push(value);
        }
        // The only way in that the phase leaves is the one that is taken.
        if values.len() == 1 && all > 1 {
            return values.pop();
        }
        let mut ways = Vec::new();
        for (_, from) in ways_in {
            ways.push(region.edge(self, from, block)?);
        }
        let agree = |candidate: &[Poly]| {
            values.iter().zip(&ways).all(|((_, value), way)| {
                candidate.iter().zip(value).all(|(a, b)| a.sub(b).is_some_and(|difference| way.makes_zero(&difference)))
            })
        };
        let position = values.iter().position(|(_, candidate)| agree(candidate))?;
        Some(values.swap_remove(position))
    }
}
