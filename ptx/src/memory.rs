//! Global memory of a device: buffers with addresses of their own.
//!
//! Invariant: between two buffers lies a gap of at least [`GAP`] bytes, and addresses are never used twice, so that an
//! access behind the end of a buffer, or to one that was freed, hits nothing. An address below `2^44` is one of global
//! memory; the windows of the other state spaces lie above.

use std::fmt;

use crate::syntax::Space;

/// Unmapped bytes between buffers.
const GAP: u64 = 1 << 20;
/// The address of the first buffer.
const FIRST: u64 = 1 << 32;
/// Alignment of buffers, as that of `cuMemAlloc`.
const ALIGN: u64 = 256;

/// Where generic addresses of shared memory begin.
pub(crate) const SHARED_WINDOW: u64 = 0x7000_0000_0000;
/// Where generic addresses of local memory begin.
pub(crate) const LOCAL_WINDOW: u64 = 0x7100_0000_0000;
/// Where generic addresses of parameters begin.
pub(crate) const PARAM_WINDOW: u64 = 0x7200_0000_0000;
/// The size of a window.
pub(crate) const WINDOW: u64 = 1 << 40;

/// The first generic address of a state space.
pub(crate) fn window(space: Space) -> u64 {
    match space {
        Space::Shared => SHARED_WINDOW,
        Space::Local => LOCAL_WINDOW,
        Space::Param => PARAM_WINDOW,
        Space::Generic | Space::Global | Space::Const => 0,
    }
}

/// What goes wrong between host and device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryError {
    /// The device has not so many bytes left.
    OutOfMemory(u64),
    /// The bytes do not lie in one buffer.
    Unmapped {
        /// The address.
        address: u64,
        /// How many bytes.
        bytes: u64,
    },
    /// The device has no such module any more.
    Unloaded,
    /// A module declares a variable whose definition is elsewhere.
    External(String),
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryError::OutOfMemory(bytes) => write!(f, "the device has no {bytes} bytes left"),
            MemoryError::Unmapped { address, bytes } => write!(f, "{bytes} bytes at {address:#x} lie in no buffer"),
            MemoryError::Unloaded => write!(f, "the device has no such module any more"),
            MemoryError::External(name) => write!(f, "`{name}` is defined in no module"),
        }
    }
}

impl std::error::Error for MemoryError {}

#[derive(Debug)]
pub(crate) struct Buffer {
    pub(crate) address: u64,
    pub(crate) bytes: Vec<u8>,
    pub(crate) constant: bool,
}

#[derive(Debug)]
pub(crate) struct Memory {
    /// In the order of their addresses.
    pub(crate) buffers: Vec<Buffer>,
    next: u64,
    used: u64,
    limit: u64,
}

impl Memory {
    pub(crate) fn new(limit: u64) -> Memory {
        Memory { buffers: Vec::new(), next: FIRST, used: 0, limit }
    }

    pub(crate) fn allocate(&mut self, bytes: u64, align: u64, constant: bool) -> Result<u64, MemoryError> {
        let length = usize::try_from(bytes).map_err(|_| MemoryError::OutOfMemory(bytes))?;
        let align = align.max(ALIGN);
        let address = self.next.next_multiple_of(align);
        let after = address.checked_add(bytes).and_then(|end| end.checked_add(GAP));
        match after {
            Some(after) if bytes <= self.limit - self.used && after < SHARED_WINDOW => {
                let mut zeros = Vec::new();
                zeros.try_reserve_exact(length).map_err(|_| MemoryError::OutOfMemory(bytes))?;
                zeros.resize(length, 0);
                self.next = after;
                self.used += bytes;
                self.buffers.push(Buffer { address, bytes: zeros, constant });
                Ok(address)
            }
            _ => Err(MemoryError::OutOfMemory(bytes)),
        }
    }

    pub(crate) fn free(&mut self, address: u64) -> Result<(), MemoryError> {
        match self.buffers.binary_search_by_key(&address, |b| b.address) {
            Ok(index) => {
                self.used -= self.buffers.remove(index).bytes.len() as u64;
                Ok(())
            }
            Err(_) => Err(MemoryError::Unmapped { address, bytes: 1 }),
        }
    }

    /// The buffer that holds all of these bytes, and where in it they are; `hint` is where the last search ended.
    #[inline(always)]
    pub(crate) fn find(&self, address: u64, bytes: u64, hint: &mut usize) -> Option<(usize, usize)> {
        if let Some(buffer) = self.buffers.get(*hint)
            && let Some(offset) = address.checked_sub(buffer.address)
            && offset < buffer.bytes.len() as u64
            && bytes <= buffer.bytes.len() as u64 - offset
        {
            return Some((*hint, offset as usize));
        }
        self.search(address, bytes, hint)
    }

    fn search(&self, address: u64, bytes: u64, hint: &mut usize) -> Option<(usize, usize)> {
        let index = self.buffers.partition_point(|b| b.address <= address).checked_sub(1)?;
        let buffer = self.buffers.get(index)?;
        let offset = address - buffer.address;
        let length = buffer.bytes.len() as u64;
        if offset <= length && bytes <= length - offset {
            *hint = index;
            return Some((index, offset as usize));
        }
        None
    }

    pub(crate) fn slice(&self, address: u64, bytes: u64) -> Result<&[u8], MemoryError> {
        let (index, offset) = self.find(address, bytes, &mut 0).ok_or(MemoryError::Unmapped { address, bytes })?;
        Ok(&self.buffers[index].bytes[offset..offset + bytes as usize])
    }

    pub(crate) fn slice_mut(&mut self, address: u64, bytes: u64) -> Result<&mut [u8], MemoryError> {
        let (index, offset) = self.find(address, bytes, &mut 0).ok_or(MemoryError::Unmapped { address, bytes })?;
        Ok(&mut self.buffers[index].bytes[offset..offset + bytes as usize])
    }
}

/// An unsigned number of `bytes` bytes at `offset`, which the caller has checked.
#[inline(always)]
pub(crate) fn read(memory: &[u8], offset: usize, bytes: usize) -> u64 {
    let part = memory.get(offset..offset + bytes).unwrap_or(&[]);
    match *part {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => 0,
    }
}

/// Writes the low `bytes` bytes of `value` at `offset`, which the caller has checked.
#[inline(always)]
pub(crate) fn write(memory: &mut [u8], offset: usize, bytes: usize, value: u64) {
    if let Some(part) = memory.get_mut(offset..offset + bytes) {
        match part {
            [a] => *a = value as u8,
            [_, _] => part.copy_from_slice(&(value as u16).to_le_bytes()),
            [_, _, _, _] => part.copy_from_slice(&(value as u32).to_le_bytes()),
            _ => part.copy_from_slice(&value.to_le_bytes()[..bytes]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_apart() {
        let mut memory = Memory::new(1 << 20);
        let a = memory.allocate(100, 1, false).unwrap();
        let b = memory.allocate(100, 1, false).unwrap();
        assert!(b - a > GAP);
        assert!(memory.slice(a + 96, 4).is_ok());
        assert!(memory.slice(a + 97, 4).is_err());
        assert!(memory.slice(a - 1, 1).is_err());
        memory.free(a).unwrap();
        assert!(memory.slice(a, 1).is_err());
        assert!(memory.free(a).is_err());
        assert_eq!(memory.allocate(1 << 20, 1, false), Err(MemoryError::OutOfMemory(1 << 20)));
        assert!(memory.slice(u64::MAX, 8).is_err());
    }
}
