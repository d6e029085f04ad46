//! Loads inside a region that give the same value every time: pointers and sizes in the headers of containers.
//!
//! The compiler leaves `data` of a `std::vector` to be loaded inside a nest when a store of the nest might overwrite it. Such a
//! load becomes a value from before the region: the guard loads it once and checks that no store of the nest touches the
//! bytes (`emit::invariant`). By induction over the order of execution the loads then give that value: before the first one
//! that did not, a store of the model would have had to touch the bytes.
//!
//! The guard's load must not trap, even where the region would not load at all. A load qualifies if
//! - its address lies at a constant distance from a value from before the region, where the compiler knows the bytes to be
//!   dereferenceable, or has just been loaded from; or
//! - it is executed in front of the first branch of the region, whenever the region is entered. Only such a load may depend
//!   on another one, and no store may come before it, because a store could change what that one gives.
//!
//! Invariant: in [`Reader::invariants`] a load comes after the one that its address depends on.

use super::{Reader, Surroundings};
use crate::detect::pure::is_pure;
use crate::host::{Block, Opcode, ScevKind, Type, Value};

/// One load that is executed before the region.
#[derive(Clone, Debug)]
pub struct InvariantLoad {
    /// The value that stands for all loads of these bytes: the first one met inside, or one before the region.
    pub value: Value,
    /// `value` is a load before the region, and whether memory still holds the same must be checked.
    pub is_older: bool,
    /// What the address is computed from: a value from before the region, or the `value` of an earlier invariant load.
    pub base: Value,
    /// Distance from the base in bytes.
    pub offset: i128,
    /// Bytes loaded.
    pub bytes: i128,
    /// Type of the loaded value.
    pub ty: Type,
    /// The loads of the region that it stands for.
    pub members: Vec<Value>,
}

/// How many uses of a pointer are looked at for a load before the region.
const MAX_USES: usize = 64;
/// How deep the computation of a value from invariant loads may be.
const MAX_DEPTH: usize = 12;
/// More invariant loads than this in one region are not looked for.
const MAX_LOADS: usize = 32;

impl Reader<'_, '_> {
    /// The value that stands for `value` all through the region if it does not change there: itself if it is from before the
    /// region or computed from such values without side effects, another one for a load.
    pub fn fixed(&mut self, value: Value, region: &impl Surroundings) -> Option<Value> {
        self.fixed_within(value, region, MAX_DEPTH)
    }

    /// The value that stands for a load that is known to be invariant.
    pub fn invariant_of(&self, load: Value) -> Option<Value> {
        self.invariants.iter().find(|known| known.members.contains(&load)).map(|known| known.value)
    }

    /// What the user knows the memory that starts at `base` by: a pointer read from a container by the container.
    pub fn holder(&self, base: Value) -> Value {
        let mut base = base;
        for _ in 0..MAX_DEPTH {
            if base.variable_name().is_some() || !base.is(Opcode::Load) {
                break;
            }
            let address = base.memory_access().and_then(|access| self.host.scev(access.pointer));
            match address.and_then(|a| self.host.pointer_base(a)).and_then(|b| b.unknown_value()) {
                Some(below) => base = below,
                None => break,
            }
        }
        base
    }

    fn fixed_within(&mut self, value: Value, region: &impl Surroundings, depth: usize) -> Option<Value> {
        let inside = value.parent().is_some_and(|block| region.contains(block));
        if !inside {
            return Some(value);
        }
        if self.varying.contains(&value) {
            return None;
        }
        let found = self.fixed_inside(value, region, depth);
        if found.is_none() {
            self.varying.insert(value);
        }
        found
    }

    fn fixed_inside(&mut self, value: Value, region: &impl Surroundings, depth: usize) -> Option<Value> {
        match value.opcode()? {
            Opcode::Load => self.invariant_load(value, region, depth),
            Opcode::Phi => self.joined(value, region, depth),
            Opcode::Freeze => None,
            _ if depth > 0 && is_pure(value) && value.is_safe_to_speculate() => {
                let operands = value.operands();
                operands.into_iter().all(|o| self.fixed_within(o, region, depth - 1).is_some()).then_some(value)
            }
            _ => None,
        }
    }

    /// The one value that all ways into a web of PHIs bring: the compiler keeps what it has loaded in registers.
    fn joined(&mut self, phi: Value, region: &impl Surroundings, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let (mut web, mut at, mut only) = (vec![phi], 0, None);
        while let Some(next) = web.get(at).copied() {
            at += 1;
            for (value, _) in next.phi_incoming() {
                let inside = value.parent().is_some_and(|block| region.contains(block));
                if inside && value.is(Opcode::Phi) {
                    if !web.contains(&value) {
                        web.push(value);
                    }
                } else {
                    let fixed = self.fixed_within(value, region, depth)?;
                    if only.is_some_and(|known| known != fixed) || web.len() > MAX_USES {
                        return None;
                    }
                    only = Some(fixed);
                }
            }
        }
        only
    }

    fn invariant_load(&mut self, load: Value, region: &impl Surroundings, depth: usize) -> Option<Value> {
        if let Some(known) = self.invariant_of(load) {
            return Some(known);
        }
        let host = self.host;
        let access = load.memory_access().filter(|access| !access.volatile && !access.atomic)?;
        let is_integer = access.ty.int_bits().is_some_and(|bits| bits <= 64);
        if !(is_integer || access.ty.is_pointer()) || self.invariants.len() >= MAX_LOADS {
            return None;
        }
        let block = load.parent()?;
        let address = host.scev_at_scope(access.pointer, host.loop_of(block))?;
        let base_scev = host.pointer_base(address)?;
        let origin = base_scev.unknown_value()?;
        let offset = host.minus(address, base_scev).filter(|d| d.kind() == ScevKind::Constant)?.constant()?;
        let bytes = host.store_size(access.ty).map(i128::from).filter(|bytes| *bytes > 0)?;
        if offset.abs() > 1 << 40 {
            return None;
        }
        let (entering, header) = region.entry();
        let is_chained = origin.parent().is_some_and(|block| region.contains(block));
        if is_integer && self.is_stored_to(origin, header) {
            // An integer of an array that the nest writes is data.
            return None;
        }
        // One in a nest of its own, for which there may be two versions soon, does not count.
        let is_in_front =
            |block: Block| !region.contains(block) && host.loop_of(block).is_none_or(|around| around.contains(header));
        let older = host.users_here(access.pointer, MAX_USES).into_iter().find(|user| {
            let other = user.memory_access();
            user.is(Opcode::Load)
                && user.parent().is_some_and(is_in_front)
                && other.is_some_and(|o| o.pointer == access.pointer && o.ty == access.ty && !o.volatile && !o.atomic)
                && host.value_dominates_block(*user, header)
        });
        let base = if is_chained {
            let depth = depth.checked_sub(1)?;
            let base = origin.is(Opcode::Load).then(|| self.fixed_within(origin, region, depth))??;
            self.is_loaded_first(load, header, region, false).then_some(base)?
        } else {
            let end = u64::try_from(offset + bytes).ok().filter(|_| offset >= 0);
            let at = entering.terminator()?;
            // The bytes may be those of a variable that is out of scope: reading them is harmless, but not for a sanitizer.
            let is_harmless = !host.function().has_watched_accesses();
            let known = is_harmless && end.is_some_and(|end| host.is_dereferenceable(origin, end, at));
            let known = known || older.is_some_and(|older| is_just_before(older, entering));
            (known || self.is_loaded_first(load, header, region, true)).then_some(origin)?
        };
        let same =
            |known: &&mut super::InvariantLoad| known.base == base && known.offset == offset && known.ty == access.ty;
        if let Some(known) = self.invariants.iter_mut().find(same) {
            known.members.push(load);
            return Some(known.value);
        }
        let value = older.unwrap_or(load);
        self.invariants.push(InvariantLoad {
            value,
            is_older: older.is_some(),
            base,
            offset,
            bytes,
            ty: access.ty,
            members: vec![load],
        });
        Some(value)
    }

    /// Whether the region stores through that pointer.
    fn is_stored_to(&mut self, origin: Value, header: Block) -> bool {
        let host = self.host;
        let stored = self.stored.get_or_insert_with(|| {
            let blocks = host.loop_of(header).map(|root| host.loop_blocks(root)).unwrap_or_default();
            let accesses = blocks.into_iter().flat_map(Block::instructions).filter_map(Value::memory_access);
            let stores = accesses.filter(|access| access.stored.is_some());
            stores.filter_map(|store| host.pointer_base(host.scev(store.pointer)?)?.unknown_value()).collect()
        });
        stored.contains(&origin)
    }

    /// Whether the region, whenever it is entered, loads what `load` does through that pointer before the first branch.
    fn is_loaded_first(&self, load: Value, header: Block, region: &impl Surroundings, after_stores: bool) -> bool {
        let Some(access) = load.memory_access() else { return false };
        self.host.users_here(access.pointer, MAX_USES).into_iter().any(|user| {
            user.is(Opcode::Load) && user.ty() == access.ty && self.executes_first(user, header, region, after_stores)
        })
    }

    /// Whether an instruction is executed whenever the region is entered, before the first branch. Nothing that detection
    /// lets through ends the program or returns on the way.
    fn executes_first(&self, load: Value, header: Block, region: &impl Surroundings, after_stores: bool) -> bool {
        let mut block = header;
        let mut seen = Vec::new();
        while region.contains(block) && !seen.contains(&block) {
            seen.push(block);
            for instruction in block.instructions() {
                if instruction == load {
                    return true;
                }
                if !after_stores && instruction.may_write() {
                    return false;
                }
            }
            match block.successors().as_slice() {
                [next] => block = *next,
                _ => return false,
            }
        }
        false
    }
}

/// Whether an instruction is executed before `block` ends, with no call in between that could free memory.
fn is_just_before(instruction: Value, block: Block) -> bool {
    let mut block = block;
    for _ in 0..MAX_USES {
        for other in block.instructions().into_iter().rev() {
            if other == instruction {
                return true;
            }
            if other.may_write() && !other.is(Opcode::Store) {
                return false;
            }
        }
        match block.single_predecessor() {
            Some(above) => block = above,
            None => return false,
        }
    }
    false
}
