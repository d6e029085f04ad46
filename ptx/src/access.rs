//! Accesses to memory: where an address leads, whether it may be accessed, and what is remembered about it.
//!
//! Every access goes through `find`, which checks alignment and bounds, in all modes. With checks, `note` enters it for
//! the detection of races, and `load_undefined` and `store_undefined` follow undefined bytes.

use crate::arithmetic::{Binary, float};
use crate::block::Environment;
use crate::code::{Access, Atomic, NONE, Region, Slot, Transfer, Update};
use crate::fault::{AccessKind, FaultKind, MemoryKind, Origin};
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, read, write};
use crate::races::Now;
use crate::thread::{NEVER, Private};
use crate::types::sign_extend;

/// Bytes that an access may touch.
#[derive(Clone, Copy)]
pub(crate) enum Found {
    /// A buffer and an offset in it.
    Global(usize, usize),
    Shared(usize),
    Local(usize),
    Param(usize),
}

/// The last line that a mark can name.
const LINES: u32 = (1 << (DEFINED - 3)) - 1;

/// Why a value that came from memory is undefined: the line of the load and the memory.
fn origin(line: u32, memory: MemoryKind) -> u32 {
    line.min(LINES) << 3
        | match memory {
            MemoryKind::Shared => 2,
            MemoryKind::Local => 3,
            MemoryKind::Param => 4,
            MemoryKind::Global | MemoryKind::Const => 5,
        }
}

/// The mark of a result of a division by zero in this line.
pub(crate) fn division(line: u32) -> u32 {
    line.min(LINES) << 3 | 6
}

/// Where the mark of an undefined value says which of its bytes are defined, a bit each.
const DEFINED: u32 = 24;

/// The mark of a value of which these bytes are defined, if all of its `count` bytes are not: `origin` says why others are not.
pub(crate) fn partly(origin: u32, defined: u8, count: u32) -> u32 {
    let all = (1u32 << count.min(8)) - 1;
    if u32::from(defined) & all == all { 0 } else { whole(origin) | (u32::from(defined) & all) << DEFINED }
}

/// The mark of a value without any byte that is defined.
pub(crate) fn whole(undefined: u32) -> u32 {
    undefined & !(u32::MAX << DEFINED)
}

/// Which bytes of a value are defined.
pub(crate) fn defined_bytes(undefined: u32) -> u8 {
    if undefined == 0 { u8::MAX } else { (undefined >> DEFINED) as u8 }
}

/// The bits of the bytes of a value that are not defined.
pub(crate) fn undefined_bits(undefined: u32, bytes: u8) -> u64 {
    let unknown = (0..bytes).filter(|byte| defined_bytes(undefined) >> byte & 1 == 0);
    unknown.fold(0, |all, byte| all | 0xff << (8 * byte))
}

/// Which bytes of a value are 0.
pub(crate) fn zero_bytes(value: u64) -> u8 {
    (0..8).filter(|byte| value >> (8 * byte) & 0xff == 0).fold(0, |all, byte| all | 1 << byte)
}

/// The mark of the result of a function each of whose bits is one of the operand's, or its opposite, or always the same.
pub(crate) fn rewired(f: impl Fn(u64) -> u64, undefined: u32, value: u64) -> u32 {
    if undefined == 0 {
        return 0;
    }
    let unknown = undefined_bits(undefined, 8);
    partly(undefined, zero_bytes(f(value & !unknown) ^ f(value | unknown)), 8)
}

/// The mark of the result of a function of so many bits, each of which comes from the two at the same place: one that is the same
/// whatever undefined bits are, as in `and` with a 0, is defined.
pub(crate) fn combined(f: Binary, undefined: [u32; 2], values: [u64; 2], bits: u8) -> u32 {
    if undefined == [0, 0] {
        return 0;
    }
    let unknown = undefined.map(|mark| undefined_bits(mark, 8) & (u64::MAX >> (64 - bits)));
    let known = [values[0] & !unknown[0], values[1] & !unknown[1]];
    let result = f(known[0], known[1]);
    let others = [(0, unknown[1]), (unknown[0], 0), (unknown[0], unknown[1])];
    let differing = others.into_iter().fold(0, |all, (a, b)| all | (result ^ f(known[0] | a, known[1] | b)));
    partly(whole(undefined[0]).max(whole(undefined[1])), zero_bytes(differing), u32::from(bits).div_ceil(8))
}

/// Whether the lowest bytes of a value are defined.
pub(crate) fn has_low_bytes(undefined: u32, bytes: usize) -> bool {
    defined_bytes(undefined).trailing_ones() as usize >= bytes.min(8)
}

pub(crate) fn origin_of(undefined: u32) -> Origin {
    let undefined = whole(undefined);
    let line = undefined >> 3;
    match undefined & 7 {
        _ if undefined == NEVER => Origin::Nowhere,
        2 => Origin::Memory(MemoryKind::Shared, line),
        3 => Origin::Memory(MemoryKind::Local, line),
        4 => Origin::Memory(MemoryKind::Param, line),
        6 => Origin::Division(line),
        _ => Origin::Memory(MemoryKind::Global, line),
    }
}

/// The content of a slot.
#[inline(always)]
pub(crate) fn get(slots: &[u64], slot: Slot) -> u64 {
    slots[slot as usize]
}

impl Environment<'_, '_> {
    pub(crate) fn is_constant(&self, address: u64) -> bool {
        let found = self.memory.find(address, 0, &mut 0);
        found.is_some_and(|(buffer, _)| self.memory.buffers[buffer].constant)
    }

    /// The bytes of `count` elements of an access, which must be there and aligned.
    #[inline(always)]
    pub(crate) fn find(
        &mut self,
        private: &Private,
        access: &Access,
        address: u64,
        count: u64,
    ) -> Result<Found, FaultKind> {
        let bytes = u64::from(access.bytes) * count;
        // Without a call where most accesses go.
        if access.region == Region::Global
            && address & (bytes - 1) == 0
            && let Some((buffer, offset)) = self.memory.find(address, bytes, &mut self.hint)
            && !self.memory.buffers[buffer].constant
        {
            return Ok(Found::Global(buffer, offset));
        }
        self.find_anywhere(private, access.region, address, bytes)
    }

    fn find_anywhere(
        &mut self,
        private: &Private,
        region: Region,
        address: u64,
        bytes: u64,
    ) -> Result<Found, FaultKind> {
        let (memory, at) = match region {
            Region::Global => (MemoryKind::Global, address),
            Region::Const => (MemoryKind::Const, address),
            Region::Shared => (MemoryKind::Shared, address),
            Region::Local => (MemoryKind::Local, address),
            Region::LocalFrame => (MemoryKind::Local, address.wrapping_add(private.local_base as u64)),
            Region::Param => (MemoryKind::Param, address),
            Region::ParamFrame => (MemoryKind::Param, address.wrapping_add(private.param_base as u64)),
            Region::Generic if address < SHARED_WINDOW => (MemoryKind::Global, address),
            Region::Generic if address < LOCAL_WINDOW => (MemoryKind::Shared, address - SHARED_WINDOW),
            Region::Generic if address < PARAM_WINDOW => (MemoryKind::Local, address - LOCAL_WINDOW),
            Region::Generic => (MemoryKind::Param, address - PARAM_WINDOW),
        };
        if at & (bytes - 1) != 0 {
            return Err(FaultKind::Misaligned { memory, address: at, bytes });
        }
        let outside = Err(FaultKind::OutOfBounds { memory, address: at, bytes });
        let within = |length: usize| at.checked_add(bytes).is_some_and(|end| end <= length as u64);
        match memory {
            MemoryKind::Global | MemoryKind::Const => {
                let Some((buffer, offset)) = self.memory.find(at, bytes, &mut self.hint) else { return outside };
                let constant = self.memory.buffers[buffer].constant;
                if region != Region::Generic && constant != (memory == MemoryKind::Const) {
                    return outside;
                }
                Ok(Found::Global(buffer, offset))
            }
            MemoryKind::Shared => {
                if !within(self.shared.len()) {
                    return outside;
                }
                // The whole access lies in one variable.
                let next = self.launch.shared_regions.partition_point(|(start, _)| *start <= at);
                match next.checked_sub(1).and_then(|i| self.launch.shared_regions.get(i)) {
                    Some((_, end)) if at + bytes <= *end => Ok(Found::Shared(at as usize)),
                    _ => outside,
                }
            }
            MemoryKind::Local if within(private.local.len()) => Ok(Found::Local(at as usize)),
            MemoryKind::Param if within(private.params.len()) => Ok(Found::Param(at as usize)),
            _ => outside,
        }
    }

    pub(crate) fn writable(&self, found: Found, address: u64) -> Result<(), FaultKind> {
        match found {
            Found::Global(buffer, _) if self.memory.buffers[buffer].constant => {
                Err(FaultKind::ReadOnly { memory: MemoryKind::Const, address })
            }
            _ => Ok(()),
        }
    }

    #[inline(always)]
    pub(crate) fn load(&self, private: &Private, found: Found, access: &Access) -> u64 {
        let bytes = usize::from(access.bytes);
        let value = match found {
            Found::Global(buffer, offset) => read(&self.memory.buffers[buffer].bytes, offset, bytes),
            Found::Shared(offset) => read(&self.shared, offset, bytes),
            Found::Local(offset) => read(&private.local, offset, bytes),
            Found::Param(offset) => read(&private.params, offset, bytes),
        };
        if access.extend == 0 {
            value
        } else {
            crate::types::truncate(sign_extend(value, u32::from(access.bytes) * 8), u32::from(access.extend))
        }
    }

    #[inline(always)]
    pub(crate) fn store(&mut self, private: &mut Private, found: Found, bytes: u8, value: u64) {
        let bytes = usize::from(bytes);
        match found {
            Found::Global(buffer, offset) => write(&mut self.memory.buffers[buffer].bytes, offset, bytes, value),
            Found::Shared(offset) => write(&mut self.shared, offset, bytes, value),
            Found::Local(offset) => write(&mut private.local, offset, bytes, value),
            Found::Param(offset) => write(&mut private.params, offset, bytes, value),
        }
    }

    /// Why a value loaded from here is undefined, or zero.
    pub(crate) fn load_undefined(&self, private: &Private, found: Found, bytes: usize) -> u32 {
        let (written, offset, memory) = match found {
            Found::Global(..) => return 0,
            Found::Shared(offset) => (&self.shared_written, offset, MemoryKind::Shared),
            Found::Local(offset) => (&private.local_written, offset, MemoryKind::Local),
            Found::Param(offset) => (&private.params_written, offset, MemoryKind::Param),
        };
        let all = written.get(offset..offset + bytes).is_some_and(|w| w.iter().all(|b| *b));
        if all { 0 } else { origin(self.line, memory) }
    }

    /// Notes that these bytes were written, with a defined value or not. Returns whether they may be: others see what
    /// is in global memory.
    pub(crate) fn store_undefined(&mut self, private: &mut Private, found: Found, bytes: usize, defined: bool) -> bool {
        let (written, offset) = match found {
            Found::Global(..) => return defined,
            Found::Shared(offset) => (&mut self.shared_written, offset),
            Found::Local(offset) => (&mut private.local_written, offset),
            Found::Param(offset) => (&mut private.params_written, offset),
        };
        if let Some(written) = written.get_mut(offset..offset + bytes) {
            written.fill(defined);
        }
        true
    }

    /// Enters an access for the detection of races.
    pub(crate) fn note(
        &mut self,
        found: Found,
        access: &Access,
        thread: u32,
        kind: AccessKind,
    ) -> Result<(), FaultKind> {
        if !self.launch.checks.races {
            return Ok(());
        }
        let (shadow, offset, memory, start) = match found {
            Found::Global(buffer, offset) => {
                if self.global_shadows.len() <= buffer {
                    self.global_shadows.resize_with(buffer + 1, Default::default);
                }
                let start = self.memory.buffers[buffer].address;
                (&mut self.global_shadows[buffer], offset, MemoryKind::Global, start)
            }
            Found::Shared(offset) => (&mut self.shared_shadow, offset, MemoryKind::Shared, 0),
            Found::Local(_) | Found::Param(_) => return Ok(()),
        };
        let strong_read = access.strong && kind == AccessKind::Read;
        let kind = if access.strong && kind == AccessKind::Write { AccessKind::Atomic } else { kind };
        let now = Now {
            block: self.block_index,
            thread,
            line: self.line,
            kind,
            strong_read,
            constant: access.constant,
            clocks: &self.clocks,
            private: memory == MemoryKind::Shared,
        };
        let bytes = usize::from(access.bytes) * usize::from(access.count);
        match shadow.access(offset, bytes, &now) {
            None => Ok(()),
            Some(conflict) if conflict.constant => Err(FaultKind::NotConstant {
                address: start + conflict.offset as u64,
                access: kind,
                other_block: u64::from(conflict.block),
                other_thread: conflict.thread,
                other_line: conflict.line,
            }),
            Some(conflict) => Err(FaultKind::Race {
                memory,
                address: start + conflict.offset as u64,
                access: kind,
                other: conflict.kind,
                other_block: u64::from(conflict.block),
                other_thread: conflict.thread,
                other_line: conflict.line,
            }),
        }
    }

    pub(crate) fn atomic<const CHECK: bool>(
        &mut self,
        private: &mut Private,
        atomic: &Atomic,
        slots: &mut [u64],
        index: u32,
    ) -> Result<(), FaultKind> {
        let access = &atomic.access;
        let address = address(slots, access);
        let found = self.find(private, access, address, 1)?;
        self.writable(found, address)?;
        if CHECK {
            self.note(found, access, index, AccessKind::Atomic)?;
            let undefined = if self.undefined { self.load_undefined(private, found, access.bytes.into()) } else { 0 };
            if undefined != 0 {
                let register = "the value that the atomic changes".to_owned();
                return Err(FaultKind::Undefined { register, origin: origin_of(undefined) });
            }
        }
        let old = self.load(private, found, access);
        let operand = get(slots, atomic.a);
        let new = match atomic.update {
            Update::With(f) => f(old, operand),
            Update::AddSingle if matches!(found, Found::Global(..)) => float::add_flushing(old, operand),
            Update::AddSingle => float::add::<f32>(old, operand),
            Update::CompareAndSwap => {
                if old == operand {
                    get(slots, atomic.b)
                } else {
                    old
                }
            }
        };
        self.store(private, found, access.bytes, new);
        if atomic.d != NONE {
            slots[atomic.d as usize] = old;
        }
        Ok(())
    }
}

/// The address of an access.
#[inline(always)]
pub(crate) fn address(slots: &[u64], access: &Access) -> u64 {
    if access.address == NONE { access.offset } else { get(slots, access.address).wrapping_add(access.offset) }
}

impl Found {
    pub(crate) fn plus(self, bytes: usize) -> Found {
        match self {
            Found::Global(buffer, offset) => Found::Global(buffer, offset + bytes),
            Found::Shared(offset) => Found::Shared(offset + bytes),
            Found::Local(offset) => Found::Local(offset + bytes),
            Found::Param(offset) => Found::Param(offset + bytes),
        }
    }
}

impl Private {
    /// Copies parameters whose address is taken to the local variables of the current function.
    pub(crate) fn move_params(&mut self, moved: &[Transfer]) {
        for transfer in moved {
            let from = self.param_base + transfer.caller as usize;
            let to = self.local_base + transfer.callee as usize;
            let bytes = transfer.bytes as usize;
            if let (Some(to), Some(from)) = (self.local.get_mut(to..to + bytes), self.params.get(from..from + bytes)) {
                to.copy_from_slice(from);
            }
            let from = self.params_written.get(from..from + bytes);
            if let (Some(to), Some(from)) = (self.local_written.get_mut(to..to + bytes), from) {
                to.copy_from_slice(from);
            }
        }
    }

    /// Copies parameters between the frames of caller and callee.
    pub(crate) fn copy_params(&mut self, from: usize, to: usize, bytes: u32) {
        let range = from..from + bytes as usize;
        let end = range.end.max(to + bytes as usize);
        if end <= self.params.len() {
            self.params.copy_within(range.clone(), to);
        }
        if end <= self.params_written.len() {
            self.params_written.copy_within(range, to);
        }
    }
}
