//! Races: two accesses to one byte by two threads, at least one a write, that nothing orders.
//!
//! Threads of one block are ordered by barriers. Every warp has an epoch, which grows at each of its barriers, and
//! knows the last epoch of every other warp whose accesses are before its own ([`Clocks`]); a barrier hands that
//! knowledge on to all that wait at it, also where only some warps take part. Blocks are never ordered. Two atomics
//! (volatile and relaxed accesses count as such) are no race.
//!
//! Every byte remembers two accesses by different threads of each kind: plain writes, atomics, and reads. An access
//! that is ordered before a new one gives up its place to it. If a write is not ordered with one of many reads, it is
//! not with one of those that are kept: of two different threads one is not the writer. Places are kept for another
//! block, if there is one.
//!
//! A byte that is accessed costs 112 bytes, in pages that are made when they are needed.
//!
//! What this does not see: order that comes from flags and fences. A program that hands over data by an atomic flag is
//! reported. Synchronisation of a part of a warp is taken for one of the whole warp.

use crate::fault::AccessKind;

/// What each warp of a block knows about the others.
#[derive(Debug, Default)]
pub(crate) struct Clocks {
    warps: usize,
    known: Vec<u32>,
}

impl Clocks {
    pub(crate) fn reset(&mut self, warps: usize) {
        self.warps = warps;
        self.known.clear();
        self.known.resize(warps * warps, 0);
        for warp in 0..warps {
            self.known[warp * warps + warp] = 1;
        }
    }

    /// Everything before this moment in these warps, and what `arrived` knows, is before everything from now on in
    /// them.
    pub(crate) fn synchronise(&mut self, warps: &[usize], arrived: &[u32]) {
        let n = self.warps;
        let mut joined = arrived.to_vec();
        joined.resize(n, 0);
        for &warp in warps {
            join(&mut joined, &self.known[warp * n..]);
        }
        for &warp in warps {
            let own = self.known[warp * n + warp];
            join(&mut self.known[warp * n..], &joined);
            self.known[warp * n + warp] = own + 1;
        }
    }

    /// The knowledge of a warp that arrives at a barrier and does not wait: joined to `arrived`.
    pub(crate) fn arrive(&mut self, warp: usize, arrived: &mut Vec<u32>) {
        let n = self.warps;
        arrived.resize(n, 0);
        join(arrived, &self.known[warp * n..]);
        self.known[warp * n + warp] += 1;
    }

    fn epoch(&self, warp: usize) -> u32 {
        self.known.get(warp * self.warps + warp).copied().unwrap_or(0)
    }

    /// Whether an access of warp `other` in its `epoch` is before what warp `warp` does now.
    fn before(&self, warp: usize, other: usize, epoch: u32) -> bool {
        let known = self.known.get(warp * self.warps + other).copied().unwrap_or(0);
        if warp == other { epoch < known } else { epoch <= known }
    }
}

/// `to` knows what `from` knows, too.
fn join(to: &mut [u32], from: &[u32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = (*to).max(*from);
    }
}

#[derive(Clone, Copy, Debug)]
struct Access {
    block: u32,
    thread: u16,
    atomic: bool,
    epoch: u32,
    line: u32,
}

const EMPTY: Access = Access { block: u32::MAX, thread: 0, atomic: false, epoch: 0, line: 0 };

#[derive(Clone, Copy)]
struct Cell {
    writes: [Access; 2],
    atomics: [Access; 2],
    reads: [Access; 2],
    /// The last read as a constant.
    constant: Access,
}

const PAGE: usize = 256;

/// The accesses to one memory.
#[derive(Default)]
pub(crate) struct Shadow {
    pages: Vec<Option<Box<[Cell; PAGE]>>>,
}

/// The access that is made now.
#[derive(Clone, Copy)]
pub(crate) struct Now<'a> {
    pub(crate) block: u32,
    pub(crate) thread: u32,
    pub(crate) line: u32,
    pub(crate) kind: AccessKind,
    /// A relaxed or volatile read.
    pub(crate) strong_read: bool,
    /// A read with `.nc`: no write may be to this byte in the whole launch, ordered or not.
    pub(crate) constant: bool,
    pub(crate) clocks: &'a Clocks,
    /// The memory belongs to one block: accesses of other blocks were to another memory.
    pub(crate) private: bool,
}

/// The other access of a race, and the byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub(crate) offset: usize,
    pub(crate) kind: AccessKind,
    pub(crate) block: u32,
    pub(crate) thread: u32,
    pub(crate) line: u32,
    /// One of the two reads the byte as a constant.
    pub(crate) constant: bool,
}

impl Now<'_> {
    /// Whether the other access is before this one, by the same thread, or was to another memory.
    fn ordered(&self, other: &Access) -> bool {
        if other.block != self.block {
            return self.private || other.block == u32::MAX;
        }
        u32::from(other.thread) == self.thread
            || self.clocks.before(self.thread as usize / 32, usize::from(other.thread) / 32, other.epoch)
    }
}

impl Shadow {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.pages.clear();
    }

    /// Enters an access to `bytes` bytes at `offset`; returns the first conflict.
    pub(crate) fn access(&mut self, offset: usize, bytes: usize, now: &Now<'_>) -> Option<Conflict> {
        let atomic = now.kind == AccessKind::Atomic || now.strong_read;
        let epoch = now.clocks.epoch(now.thread as usize / 32);
        let new = Access { block: now.block, thread: now.thread as u16, atomic, epoch, line: now.line };
        for byte in offset..offset + bytes {
            let page = byte / PAGE;
            if self.pages.len() <= page {
                self.pages.resize_with(page + 1, || None);
            }
            let empty = Cell { writes: [EMPTY; 2], atomics: [EMPTY; 2], reads: [EMPTY; 2], constant: EMPTY };
            let cell = &mut self.pages[page].get_or_insert_with(|| Box::new([empty; PAGE]))[byte % PAGE];
            let conflict = |accesses: &[Access; 2], kind: AccessKind| {
                let found = accesses.iter().find(|a| !(now.ordered(a) || a.atomic && atomic))?;
                Some(Conflict {
                    offset: byte,
                    kind,
                    block: found.block,
                    thread: u32::from(found.thread),
                    line: found.line,
                    constant: false,
                })
            };
            let mut found =
                conflict(&cell.writes, AccessKind::Write).or_else(|| conflict(&cell.atomics, AccessKind::Atomic));
            if now.kind != AccessKind::Read {
                found = found.or_else(|| conflict(&cell.reads, AccessKind::Read));
            }
            // Reads as constants go with no write at all.
            let other = if now.constant {
                [cell.writes[0], cell.atomics[0]].into_iter().find(|a| a.block != EMPTY.block)
            } else {
                Some(cell.constant).filter(|a| now.kind != AccessKind::Read && a.block != EMPTY.block)
            };
            if let Some(other) = other {
                let kind = if now.constant { AccessKind::Write } else { AccessKind::Read };
                let (block, thread, line) = (other.block, u32::from(other.thread), other.line);
                found = Some(Conflict { offset: byte, kind, block, thread, line, constant: true });
            }
            if found.is_some() {
                return found;
            }
            if now.constant {
                cell.constant = new;
            }
            let places = match now.kind {
                AccessKind::Read => &mut cell.reads,
                AccessKind::Write => &mut cell.writes,
                AccessKind::Atomic => &mut cell.atomics,
            };
            enter(places, new, now);
        }
        None
    }
}

fn enter(places: &mut [Access; 2], mut new: Access, now: &Now<'_>) {
    let same = |a: &Access| a.block == new.block && a.thread == new.thread;
    if let Some(place) = places.iter_mut().find(|a| same(a)) {
        // A plain read stays one when a relaxed read follows it.
        new.atomic &= place.atomic || place.epoch < new.epoch;
        *place = new;
    } else if let Some(place) = places.iter_mut().find(|a| now.ordered(a)) {
        *place = new;
    } else if places[0].block == places[1].block && places[0].block != new.block {
        places[1] = new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now(thread: u32, kind: AccessKind, clocks: &Clocks) -> Now<'_> {
        Now { block: 0, thread, line: thread + 1, kind, strong_read: false, constant: false, clocks, private: false }
    }

    #[test]
    fn barriers_order_and_blocks_do_not() {
        let mut clocks = Clocks::default();
        clocks.reset(3);
        let mut shadow = Shadow::default();
        assert!(shadow.access(0, 4, &now(0, AccessKind::Write, &clocks)).is_none());
        assert!(shadow.access(0, 4, &now(0, AccessKind::Read, &clocks)).is_none());
        assert_eq!(shadow.access(2, 4, &now(1, AccessKind::Read, &clocks)).map(|c| (c.offset, c.thread)), Some((2, 0)));
        assert!(shadow.access(0, 4, &now(40, AccessKind::Read, &clocks)).is_some());
        // A barrier of warps 0 and 1 only.
        clocks.synchronise(&[0, 1], &[]);
        assert!(shadow.access(0, 4, &now(40, AccessKind::Read, &clocks)).is_none());
        assert!(shadow.access(0, 4, &now(1, AccessKind::Read, &clocks)).is_none());
        assert!(shadow.access(0, 4, &now(70, AccessKind::Read, &clocks)).is_some());
        clocks.synchronise(&[1, 2], &[]);
        // Warp 2 knows through warp 1 what warp 0 did before.
        assert!(shadow.access(0, 4, &now(70, AccessKind::Read, &clocks)).is_none());
        let other = Now { block: 1, ..now(0, AccessKind::Read, &clocks) };
        assert!(shadow.access(0, 1, &other).is_some());
        assert!(shadow.access(0, 1, &Now { private: true, ..other }).is_none());
    }

    #[test]
    fn atomics_are_no_race_with_each_other() {
        let mut clocks = Clocks::default();
        clocks.reset(2);
        let mut shadow = Shadow::default();
        for thread in 0..64 {
            assert!(shadow.access(8, 4, &now(thread, AccessKind::Atomic, &clocks)).is_none());
        }
        assert!(shadow.access(8, 4, &Now { block: 9, ..now(3, AccessKind::Atomic, &clocks) }).is_none());
        assert!(shadow.access(8, 4, &now(0, AccessKind::Read, &clocks)).is_some());
        let relaxed = Now { strong_read: true, ..now(0, AccessKind::Read, &clocks) };
        assert!(shadow.access(8, 4, &relaxed).is_none());
    }

    #[test]
    fn constants_are_not_written() {
        let mut clocks = Clocks::default();
        clocks.reset(1);
        let mut shadow = Shadow::default();
        let read = |thread| Now { constant: true, ..now(thread, AccessKind::Read, &clocks) };
        assert!(shadow.access(0, 4, &read(1)).is_none());
        assert!(shadow.access(0, 4, &read(2)).is_none());
        // Not even by the thread that read it.
        assert!(shadow.access(3, 4, &now(2, AccessKind::Write, &clocks)).is_some_and(|c| c.constant && c.offset == 3));
        assert!(shadow.access(8, 1, &now(2, AccessKind::Write, &clocks)).is_none());
        assert!(shadow.access(8, 1, &read(2)).is_some_and(|c| c.constant));
    }

    #[test]
    fn one_of_many_readers_is_enough() {
        let mut clocks = Clocks::default();
        clocks.reset(1);
        let mut shadow = Shadow::default();
        for thread in 0..32 {
            assert!(shadow.access(0, 4, &now(thread, AccessKind::Read, &clocks)).is_none());
        }
        for thread in 0..32 {
            let conflict = shadow.access(0, 4, &now(thread, AccessKind::Write, &clocks));
            assert!(conflict.is_some_and(|c| c.thread != thread), "{thread}");
        }
    }
}
