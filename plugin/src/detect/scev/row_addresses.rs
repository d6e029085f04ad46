//! Rows behind pointers: addresses that start from a pointer which the nest reads from a table (`double **`, a vector of vectors).
//!
//! Such an address is the table's own address, the entries that lead to the row, and a distance inside the row. All of them
//! are polynomials, so that two accesses whose entries differ are known to touch different rows, if rows lie apart; that, and that
//! no store of the nest touches an entry, is checked by the guard (`model::row_tables`).
//!
//! Invariants: an entry is read from where the one before points to, the first from what the table starts at; every entry is
//! affine, and its loads stand outside of all subregions, so that they are executed exactly in the iterations of their blocks.

use super::agree::MAX_NESTING;
use super::phases::united;
use super::{ProgramPoint, Reader, Surroundings, signed_range, unsigned_range};
use crate::formula::poly::{Poly, Sym};
use crate::host::{Opcode, Scev, ScevKind, Type, Value};
use crate::reasons::Reason;

/// More entries than this do not lead to one row. The guard reads the second one at an address that the first one gives, and has made
/// sure that the program finds the same one; a third one would ask for the same of the second.
const MAX_ENTRIES: usize = 2;

/// One entry of a table, on the way to a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Distance in bytes from the start of the table.
    pub offset: Poly,
    /// The loads that read it, each by another way.
    pub loads: Vec<Value>,
    /// An instruction at which one of them has been executed.
    pub known_at: Value,
}

/// Where an access is.
#[derive(Clone, Debug)]
pub struct Address {
    /// A pointer from before the region.
    pub base: Value,
    /// The entries that lead from there to the row, if it is in one.
    pub entries: Vec<Entry>,
    /// Distance in bytes from the base, or from the start of the row.
    pub offset: Poly,
}

impl Address {
    /// Every polynomial in it.
    pub fn polys(&self) -> impl Iterator<Item = &Poly> {
        self.entries.iter().map(|entry| &entry.offset).chain([&self.offset])
    }
}

/// A number that is read from a table of rows, in an expression.
pub(super) struct RowNumber {
    /// Its type.
    pub(super) ty: Type,
    /// Where the table starts.
    pub(super) base: Value,
    /// The entries that lead to the number.
    pub(super) entries: Vec<Entry>,
    /// What is added to it.
    pub(super) moved: i128,
    /// The expression may be larger than that, but not less, both read as numbers of this kind. None if it is exactly that.
    pub(super) at_least: Option<Reading>,
}

/// How the bits of a number are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    Signed,
    Unsigned,
}

impl Reading {
    /// The smallest and the largest number of so many bits.
    pub(super) fn range(self, bits: u32) -> (i128, i128) {
        match self {
            Reading::Signed => signed_range(bits),
            Reading::Unsigned => unsigned_range(bits),
        }
    }
}

/// "Whenever `place` executes, `low <= rest + sign * value <= high`", for a number that is read from a table of rows: how long a row is.
#[derive(Clone, Debug)]
pub struct RowAssumption {
    /// The type of the number.
    pub ty: Type,
    /// Whether the program looks at it as a signed number.
    pub is_signed: bool,
    /// Where the table starts.
    pub base: Value,
    /// The entries that lead to the number; it is in the last one.
    pub entries: Vec<Entry>,
    /// 1 or -1.
    pub sign: i128,
    /// What is added.
    pub rest: Poly,
    /// Smallest allowed value.
    pub low: i128,
    /// Largest allowed value; [`UNLIMITED`](super::UNLIMITED) if there is none.
    pub high: i128,
    /// Where it must hold.
    pub place: ProgramPoint,
}

impl Reader<'_, '_> {
    /// The number that a load inside reads from a table of rows, if `number` is that, moved by a constant and not less than something
    /// else. Whoever asks sees to it that the number and what is added do not wrap around.
    pub(super) fn row_number(
        &mut self,
        number: Scev,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Option<RowNumber> {
        let (mut number, mut moved, mut at_least) = (number, 0i128, None);
        while number.unknown_value().is_none() {
            let operands = number.operands();
            let constant = operands.iter().find_map(|operand| operand.constant());
            let mut others = operands.iter().filter(|operand| operand.constant().is_none());
            let saturated = self.saturated(&operands);
            match (number.kind(), constant) {
                (ScevKind::Add, _) if saturated.is_some() => {
                    let (rest, less) = saturated?;
                    (number, moved) = (rest, moved - less);
                    at_least = also(at_least, Reading::Unsigned)?;
                }
                (ScevKind::Add, Some(constant)) if operands.len() == 2 => {
                    (number, moved) = (*others.next()?, moved + constant);
                }
                (ScevKind::UMax | ScevKind::SMax, _) => {
                    let reading = if number.kind() == ScevKind::UMax { Reading::Unsigned } else { Reading::Signed };
                    // With something more, what is larger than the number may wrap around where the number does not.
                    let (_, most) = reading.range(self.host.scev_bits(number));
                    let is_small = |bound: &Scev| {
                        let constant = match reading {
                            Reading::Signed => bound.constant(),
                            Reading::Unsigned => self.unsigned_constant(*bound),
                        };
                        constant.is_some_and(|constant| constant + moved <= most)
                    };
                    if moved > 0 && !(operands.len() == 2 && operands.iter().any(is_small)) {
                        return None;
                    }
                    number = *others.find(|operand| operand.unknown_value().is_some())?;
                    at_least = also(at_least, reading)?;
                }
                _ => return None,
            }
        }
        if moved.abs() > 1 << 40 {
            return None;
        }
        let value = number.unknown_value()?;
        value.ty().int_bits().filter(|bits| matches!(bits, 8 | 16 | 32 | 64))?;
        let Address { base, entries, .. } = match value.is(Opcode::Load) {
            true => self.row(value, place, region)?,
            false => self.agreed_number(value, place, region)?,
        };
        Some(RowNumber { ty: value.ty(), base, entries, moved, at_least })
    }

    /// `x` and `c` of `x - umin(x, c)`, which is at least `x - c`.
    fn saturated(&self, operands: &[Scev]) -> Option<(Scev, i128)> {
        let [one, other] = operands else { return None };
        [(*one, *other), (*other, *one)].into_iter().find_map(|(number, rest)| {
            let [sign, least] = *rest.operands().as_slice() else { return None };
            let is_negated = rest.kind() == ScevKind::Mul && sign.constant() == Some(-1);
            let bounds = least.operands();
            let is_least =
                is_negated && least.kind() == ScevKind::UMin && bounds.len() == 2 && bounds.contains(&number);
            let constant = bounds.iter().find_map(|bound| self.unsigned_constant(*bound));
            constant.filter(|_| is_least).map(|constant| (number, constant))
        })
    }

    /// An address as a pointer from before the region, the entries that lead to a row, and a distance.
    pub fn address(
        &mut self,
        address: Scev,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Address, Reason> {
        let read = |reader: &mut Self| reader.address_in_phase(address, place, region);
        self.in_any_phase((place, region), read, |index, first, later| {
            let same = first.base == later.base && first.entries.is_empty() && later.entries.is_empty();
            let offset = united(index, &first.offset, &later.offset).filter(|_| same)?;
            Some(Address { offset, ..later })
        })
    }

    fn address_in_phase(
        &mut self,
        address: Scev,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Address, Reason> {
        let base = self.host.pointer_base(address).ok_or(Reason::ChangingBase)?;
        let pointer = base.unknown_value().ok_or(Reason::ChangingBase)?;
        let distance = self.host.minus(address, base).ok_or(Reason::Scalar)?;
        let offset = self.poly(distance, place, region)?;
        if let Some(base) = self.fixed(pointer, region) {
            let start = self.fixed_row(base, pointer, region).unwrap_or(Address {
                base,
                entries: Vec::new(),
                offset: Poly::zero(),
            });
            return Ok(Address { offset, ..start });
        }
        let mark = self.mark();
        if let Some(row) = self.row(pointer, place, region) {
            return Ok(Address { offset, ..row });
        }
        self.reset(mark);
        if region.is_carried(pointer).is_some() {
            let start = self.carried_address(pointer, place, region)?;
            let offset = offset.add(&start.offset).ok_or(Reason::TooLarge)?;
            return Ok(Address { offset, ..start });
        }
        let carried = self.carried_row(pointer, place, region).or_else(|| self.agreed_address(pointer, place, region));
        let agreed = carried.ok_or(Reason::ChangingBase)?;
        let offset = offset.add(&agreed.offset).ok_or(Reason::TooLarge)?;
        Ok(Address { offset, ..agreed })
    }

    /// A row that is always the same one, if others are read from its table, too: then it is a row like them. `value` stands for its
    /// pointer, which `user` has, or needs.
    fn fixed_row(&self, value: Value, user: Value, region: &impl Surroundings) -> Option<Address> {
        let load = self.invariants.iter().find(|load| load.value == value && !load.is_older)?;
        user.parent().filter(|block| region.is_certain(*block))?;
        let table = self.fixed_row(load.base, user, region);
        let (base, mut entries) = table.map_or((load.base, Vec::new()), |table| (table.base, table.entries));
        if !self.tables.contains(&(base, entries.len())) {
            return None;
        }
        entries.push(Entry { offset: Poly::constant(load.offset)?, loads: load.members.clone(), known_at: user });
        Some(Address { base, entries, offset: Poly::zero() })
    }

    /// The row whose pointer, or the number that, is loaded from a table. The `place` is where it is used.
    pub(super) fn row(&mut self, load: Value, place: ProgramPoint, region: &impl Surroundings) -> Option<Address> {
        let block = load.parent().filter(|block| load.is(Opcode::Load) && region.is_certain(*block))?;
        let access = load.memory_access().filter(|access| !access.volatile && !access.atomic)?;
        let entry = self.host.scev_at_scope(access.pointer, self.host.loop_of(block))?;
        let Address { base, mut entries, offset } = self.address(entry, place, region).ok()?;
        if entries.len() >= MAX_ENTRIES || !offset.is_affine() {
            return None;
        }
        if load.ty().is_pointer() && !self.tables.contains(&(base, entries.len())) {
            self.tables.push((base, entries.len()));
        }
        entries.push(Entry { offset, loads: vec![load], known_at: load });
        Some(Address { base, entries, offset: Poly::zero() })
    }

    /// The row of a pointer that the compiler keeps for the next iteration: it has read `table[i + 1]` and need not read `table[i]`
    /// there. What comes in at the start must be what the iteration before the first would have read.
    fn carried_row(&mut self, phi: Value, place: ProgramPoint, region: &impl Surroundings) -> Option<Address> {
        let block = phi.parent().filter(|block| phi.is(Opcode::Phi) && region.is_header(*block))?;
        let index = region.loop_index(self.host.loop_of(block)?)?;
        if self.nesting >= MAX_NESTING {
            return None;
        }
        let mark = self.mark();
        self.nesting += 1;
        let found = self.shifted_row(phi, index, place, region);
        self.nesting -= 1;
        if found.is_none() {
            self.reset(mark);
        }
        found
    }

    fn shifted_row(
        &mut self,
        phi: Value,
        index: usize,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Option<Address> {
        let incoming = phi.phi_incoming();
        let [(one, from), (other, _)] = incoming.as_slice() else { return None };
        let around = self.host.loop_of(phi.parent()?)?;
        let (start, next) = if around.contains(*from) { (*other, *one) } else { (*one, *other) };
        let start = self.address(self.host.scev(start)?, place, region).ok()?;
        let next = self.address(self.host.scev(next)?, place, region).ok()?;
        if start.entries.is_empty() || start.base != next.base || start.entries.len() != next.entries.len() {
            return None;
        }
        let counter = Sym::Iv(index);
        let before = Poly::symbol(counter).sub(&Poly::one())?;
        let first = Poly::zero().sub(&Poly::one())?;
        let mut polys = Vec::new();
        for (start, next) in start.polys().zip(next.polys()) {
            if start.symbols().any(|symbol| symbol == counter) || next.substitute(counter, &first)? != *start {
                return None;
            }
            polys.push(next.substitute(counter, &before)?);
        }
        let offset = polys.pop()?;
        let pairs = start.entries.into_iter().zip(next.entries);
        let entries = pairs.zip(polys).map(|((start, next), offset)| {
            let loads = start.loads.into_iter().chain(next.loads).collect();
            Entry { offset, loads, known_at: phi }
        });
        Some(Address { base: next.base, entries: entries.collect(), offset })
    }
}

/// An expression that is at least something in one reading, as part of one that is so in another: that is nothing.
fn also(outer: Option<Reading>, inner: Reading) -> Option<Option<Reading>> {
    outer.is_none_or(|outer| outer == inner).then_some(Some(inner))
}
