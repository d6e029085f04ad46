//! What reading scalar evolution asks the region.

use super::{ProgramPoint, Reader};
use crate::detect::first_iteration::IterationPhase;
use crate::detect::recurrence::Recurrence;
use crate::formula::condition::Dnf;
use crate::host::{Block, Loop, Value};

/// The loops and blocks of the region under construction, as far as the reader needs them.
pub trait Surroundings {
    /// The region's index of a loop, if it is inside.
    fn loop_index(&self, handle: Loop) -> Option<usize>;
    /// Whether a block is inside the region.
    fn contains(&self, block: Block) -> bool;
    /// Whether a loop, by its index, is around a place: its counter has a value there. (`ProgramPoint::Before` asks for none.)
    fn is_around(&self, index: usize, place: ProgramPoint) -> bool;
    /// The recurrence that a PHI is although scalar evolution does not see it, with the region's index of its loop and the
    /// loop around that.
    fn recurrence(&self, phi: Value) -> Option<(Recurrence, usize, Option<Loop>)>;
    /// The values that a PHI of the region takes under the assumption that no side exit is taken, and from where.
    fn incoming(&self, phi: Value) -> Vec<(Value, Block)>;
    /// Whether the iterations in which a block inside executes are known exactly: it is in no subregion.
    fn is_certain(&self, block: Block) -> bool;
    /// Whether a loop of the region begins with the block.
    fn is_header(&self, block: Block) -> bool;
    /// The loop of which only the first iteration decides a condition, with its truth value there.
    fn decided(&self, condition: Value) -> Option<(usize, bool)>;
    /// The iterations of a loop in which a place is executed, if not in all.
    fn phase(&self, place: ProgramPoint, index: usize) -> Option<IterationPhase>;
    /// The same for a block.
    fn phase_of_block(&self, block: Block, index: usize) -> Option<IterationPhase>;
    /// The loop with a special first iteration whose header a PHI is in.
    fn is_carried(&self, phi: Value) -> Option<usize>;
    /// What such a PHI takes from outside and from the latch, and its loop.
    fn carried_ways(&self, phi: Value, index: usize) -> Option<(Value, Value, Loop)>;
    /// Where control may go from `from` to `to`, over the loops around `to`: every iteration in which it does is
    /// among them. `None` if that is not known.
    fn edge(&self, reader: &mut Reader<'_, '_>, from: Block, to: Block) -> Option<Dnf>;
    /// The block from which the region is entered, and where: the header of the outermost loop.
    fn entry(&self) -> (Block, Block);
}
