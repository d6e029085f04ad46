//! Calls that write or copy a range of bytes: `memset`, `memcpy`, `memmove`.

use super::handles::Value;
use super::opcode::Opcode;

/// What the bytes of a bulk write are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkSource {
    /// All the same.
    Byte(Value),
    /// Those of another place, which does not overlap the destination in part.
    Apart(Value),
    /// Those of another place, which may overlap the destination.
    Anywhere(Value),
}

/// A call that writes a range of bytes, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulkWrite {
    /// Where it begins to write.
    pub pointer: Value,
    /// What it writes.
    pub source: BulkSource,
    /// The number of bytes, unsigned.
    pub length: Value,
}

impl Value {
    /// A call that writes a range of bytes and is not volatile; `None` for all other values.
    pub fn bulk_write(self) -> Option<BulkWrite> {
        if !self.is(Opcode::Call) {
            return None;
        }
        let name = self.intrinsic_name()?;
        let operands = self.operands();
        let [pointer, second, length, volatile, ..] = operands.as_slice() else { return None };
        let source = match name.as_str() {
            "llvm.memset" => BulkSource::Byte(*second),
            "llvm.memcpy" => BulkSource::Apart(*second),
            "llvm.memmove" => BulkSource::Anywhere(*second),
            _ => return None,
        };
        let plain = volatile.constant_int() == Some(0);
        plain.then_some(BulkWrite { pointer: *pointer, source, length: *length })
    }
}
