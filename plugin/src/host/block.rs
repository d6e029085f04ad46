//! Basic blocks: their instructions and edges.

use super::buffer;
use super::ffi;
use super::handles::{Block, Function, Value};
use super::opcode::Opcode;
use llvm_sys::core;
use std::ptr;

impl Block {
    /// The name, or the number that IR prints for a block without one.
    pub fn name(self) -> String {
        // SAFETY: a handle points to a live block.
        buffer::text(|out, capacity| unsafe { ffi::tessera_block_name(self.raw(), out, capacity) })
    }

    /// The instructions in order.
    pub fn instructions(self) -> Vec<Value> {
        let mut instructions = Vec::new();
        // SAFETY: a handle points to a live block; each step asks a live instruction for its successor.
        unsafe {
            let mut next = core::LLVMGetFirstInstruction(self.raw());
            while let Some(instruction) = Value::from_raw(next) {
                instructions.push(instruction);
                next = core::LLVMGetNextInstruction(next);
            }
        }
        instructions
    }

    /// The phis, in order.
    pub fn phis(self) -> Vec<Value> {
        self.instructions().into_iter().take_while(|instruction| instruction.is(Opcode::Phi)).collect()
    }

    /// The last instruction, when it is a terminator.
    pub fn terminator(self) -> Option<Value> {
        // SAFETY: a handle points to a live block.
        Value::from_raw(unsafe { core::LLVMGetBasicBlockTerminator(self.raw()) })
    }

    /// The targets of the terminator, in its order, repeated where it names one twice.
    pub fn successors(self) -> Vec<Block> {
        // SAFETY: a handle points to a live block.
        let raw = buffer::items(ptr::null_mut(), |out, capacity| unsafe {
            ffi::tessera_successors(self.raw(), out, capacity)
        });
        raw.into_iter().filter_map(Block::from_raw).collect()
    }

    /// The blocks that may branch here, once per edge, in the order of the use list (the same on every run).
    pub fn predecessors(self) -> Vec<Block> {
        // SAFETY: a handle points to a live block.
        let raw = buffer::items(ptr::null_mut(), |out, capacity| unsafe {
            ffi::tessera_predecessors(self.raw(), out, capacity)
        });
        raw.into_iter().filter_map(Block::from_raw).collect()
    }

    /// The only block that may branch here.
    pub fn single_predecessor(self) -> Option<Block> {
        let predecessors = self.predecessors();
        let first = *predecessors.first()?;
        predecessors.iter().all(|&other| other == first).then_some(first)
    }

    /// The function that the block is in; `None` after it was taken out.
    pub fn function(self) -> Option<Function> {
        // SAFETY: a handle points to a live block.
        Function::from_raw(unsafe { core::LLVMGetBasicBlockParent(self.raw()) })
    }

    /// The block as an operand of a branch.
    pub fn as_value(self) -> Value {
        // SAFETY: a handle points to a live block, and a block is a value.
        let raw = unsafe { core::LLVMBasicBlockAsValue(self.raw()) };
        Value::from_raw(raw).unwrap_or_else(|| unreachable!("a block is a value"))
    }

    /// Whether the block is nothing but `unreachable`: the program promises that it is never entered.
    pub fn is_unreachable(self) -> bool {
        self.instructions().first().is_some_and(|first| first.is(Opcode::Unreachable))
    }

    /// Whether the block ends in `unreachable`, as the targets of failed checks do.
    pub fn ends_unreachable(self) -> bool {
        self.terminator().is_some_and(|terminator| terminator.is(Opcode::Unreachable))
    }
}
