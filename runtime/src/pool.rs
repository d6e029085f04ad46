//! Memory between sessions: allocating on a device takes longer than most sessions.
//!
//! Sizes are rounded up to *classes*, a quarter of a power of two apart, so that arrays whose sizes differ a little share
//! memory and at most a fifth of a block is unused. The pool holds blocks that nobody uses; it does not call the driver, so
//! that it can be tested without one, and so that no lock is held during such a call.
//!
//! Example: 1000 bytes have class 1024 and 1100 bytes class 1280. A block of class 1280 that was given back serves the next
//! request for 1024 too, as it is less than twice as large.

use std::collections::BTreeMap;

/// The smallest class, which is also the alignment that drivers give.
const SMALLEST: usize = 256;

/// The class of a size: the bytes to allocate for it. `None` where there is none, as the size is close to the end of the
/// address space.
pub(crate) fn class(bytes: usize) -> Option<usize> {
    if bytes <= SMALLEST {
        return Some(SMALLEST);
    }
    // 2^k < bytes <= 2^(k + 1), in steps of 2^(k - 2).
    let step = 1usize << ((bytes - 1).ilog2() - 2);
    bytes.checked_next_multiple_of(step)
}

/// Blocks that nobody uses, by class.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    idle: BTreeMap<usize, Vec<T>>,
    idle_bytes: usize,
    limit: usize,
}

impl<T> Pool<T> {
    /// A pool that keeps at most this many bytes.
    pub(crate) fn new(limit: usize) -> Pool<T> {
        Pool { idle: BTreeMap::new(), idle_bytes: 0, limit }
    }

    /// A block of at least this class and less than twice of it, with its own class.
    pub(crate) fn take(&mut self, class: usize) -> Option<(usize, T)> {
        let (&found, _) = self.idle.range(class..class.saturating_mul(2)).next()?;
        let blocks = self.idle.get_mut(&found)?;
        let block = blocks.pop()?;
        if blocks.is_empty() {
            self.idle.remove(&found);
        }
        self.idle_bytes -= found;
        Some((found, block))
    }

    /// Takes a block back, and returns those that are too many now: the largest ones.
    #[must_use]
    pub(crate) fn give(&mut self, class: usize, block: T) -> Vec<T> {
        self.idle.entry(class).or_default().push(block);
        self.idle_bytes += class;
        let mut evicted = Vec::new();
        while self.idle_bytes > self.limit {
            let Some((&largest, _)) = self.idle.last_key_value() else { break };
            match self.take(largest) {
                Some((_, block)) => evicted.push(block),
                None => break,
            }
        }
        evicted
    }

    /// All blocks: the pool is empty afterwards.
    #[must_use]
    pub(crate) fn drain(&mut self) -> Vec<T> {
        self.idle_bytes = 0;
        std::mem::take(&mut self.idle).into_values().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Pool, class};

    #[test]
    fn classes_hold_their_sizes_and_waste_at_most_a_fifth() {
        for bytes in (1..70_000).chain([1 << 40, (1 << 40) + 1]) {
            let class = class(bytes).unwrap();
            assert!(class >= bytes);
            assert!(bytes <= 256 || (class - bytes) * 5 <= class, "{bytes} {class}");
            assert_eq!(super::class(class), Some(class));
        }
        assert_eq!(class(0), Some(256));
        assert_eq!(class(1000), Some(1024));
        assert_eq!(class(1100), Some(1280));
        assert_eq!(class(usize::MAX), None);
    }

    #[test]
    fn blocks_come_back_for_sizes_that_are_a_little_smaller() {
        let mut pool = Pool::new(10_000);
        assert!(pool.give(1280, 'a').is_empty());
        assert_eq!(pool.take(512), None);
        assert_eq!(pool.take(1536), None);
        assert_eq!(pool.take(1024), Some((1280, 'a')));
        assert_eq!(pool.take(1024), None);
    }

    #[test]
    fn the_largest_blocks_go_first() {
        let mut pool = Pool::new(4096);
        assert!(pool.give(1024, 'a').is_empty());
        assert!(pool.give(2048, 'b').is_empty());
        assert_eq!(pool.give(1536, 'c'), ['b']);
        assert_eq!(pool.give(8192, 'd'), ['d']);
        assert_eq!(pool.drain(), ['a', 'c']);
        assert_eq!(pool.take(1024), None);
    }
}
