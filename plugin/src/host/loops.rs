//! Loops as LoopInfo knows them.

use super::buffer;
use super::ffi;
use super::handles::{Block, Loop, SourceLocation};
use super::value::location;
use std::ptr;

impl Loop {
    /// The block that control enters the loop through.
    pub fn header(self) -> Block {
        // SAFETY: a handle points to a live loop of this run, and every loop has a header.
        let raw = unsafe { ffi::tessera_loop_header(self.raw()) };
        Block::from_raw(raw).unwrap_or_else(|| unreachable!("every loop has a header"))
    }

    /// The loop around this one.
    pub fn parent(self) -> Option<Loop> {
        // SAFETY: a handle points to a live loop of this run.
        Loop::from_raw(unsafe { ffi::tessera_loop_parent(self.raw()) })
    }

    /// The loops directly inside this one, in program order.
    pub fn children(self) -> Vec<Loop> {
        // SAFETY: a handle points to a live loop of this run.
        let raw = buffer::items(ptr::null_mut(), |out, capacity| unsafe {
            ffi::tessera_loop_children(self.raw(), out, capacity)
        });
        raw.into_iter().filter_map(Loop::from_raw).collect()
    }

    /// The depth of the nest down to this loop; 1 for a top-level loop.
    pub fn depth(self) -> u32 {
        // SAFETY: a handle points to a live loop of this run.
        unsafe { ffi::tessera_loop_depth(self.raw()) }
    }

    /// The only block that branches back to the header; `None` when there are several.
    pub fn latch(self) -> Option<Block> {
        // SAFETY: a handle points to a live loop of this run.
        Block::from_raw(unsafe { ffi::tessera_loop_latch(self.raw()) })
    }

    /// The only block outside the loop that branches to the header.
    pub fn predecessor(self) -> Option<Block> {
        // SAFETY: a handle points to a live loop of this run.
        Block::from_raw(unsafe { ffi::tessera_loop_predecessor(self.raw()) })
    }

    /// The predecessor, when it branches nowhere else.
    pub fn preheader(self) -> Option<Block> {
        // SAFETY: a handle points to a live loop of this run.
        Block::from_raw(unsafe { ffi::tessera_loop_preheader(self.raw()) })
    }

    /// Whether the block is in the loop or in one inside it.
    pub fn contains(self, block: Block) -> bool {
        // SAFETY: both handles are live in this run.
        unsafe { ffi::tessera_loop_contains(self.raw(), block.raw()) != 0 }
    }

    /// Whether the other loop is this one or inside it.
    pub fn contains_loop(self, other: Loop) -> bool {
        self.contains(other.header()) && other.depth() >= self.depth()
    }

    /// The edges that leave the loop: (block inside, block outside).
    pub fn exit_edges(self) -> Vec<(Block, Block)> {
        // SAFETY: a handle points to a live loop of this run.
        let raw = buffer::items(ptr::null_mut(), |out, capacity| unsafe {
            ffi::tessera_loop_exit_edges(self.raw(), out, capacity)
        });
        raw.chunks_exact(2).filter_map(|edge| Some((Block::from_raw(edge[0])?, Block::from_raw(edge[1])?))).collect()
    }

    /// Where the loop starts in the source.
    pub fn location(self) -> Option<SourceLocation> {
        // SAFETY: a handle points to a live loop of this run.
        location(|at, out, capacity, length| unsafe {
            ffi::tessera_loop_location(self.raw(), at, out, capacity, length)
        })
    }
}
