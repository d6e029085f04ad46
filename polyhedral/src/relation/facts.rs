//! [`Facts`]: what questions have found out about the points of a conjunction inside a relation.
//!
//! The parts of a [`Relation`](super::Relation) are shared and never change, so an answer stays true as long as the
//! part lives. Invariants: facts are no part of the value (equality, order and hash ignore them); only methods of a
//! relation set them, on its own parts; a clone starts without facts, because it may be changed, and so does a part
//! that is put into a relation.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// There is an integer point.
pub(super) const NOT_EMPTY: u8 = 1;
/// There is no integer point.
pub(super) const EMPTY: u8 = 2;
/// No inequality follows from the other constraints.
pub(super) const IRREDUNDANT: u8 = 4;

/// A set of facts.
#[derive(Debug, Default)]
pub(super) struct Facts(AtomicU8);

impl Facts {
    /// Whether all of some facts are known.
    pub(super) fn has(&self, facts: u8) -> bool {
        self.0.load(Relaxed) & facts == facts
    }

    /// Adds facts. Threads that ask the same question find the same answer, so the order of stores does not matter.
    pub(super) fn note(&self, facts: u8) {
        self.0.fetch_or(facts, Relaxed);
    }

    /// Adds what is known about an equal conjunction.
    pub(super) fn learn(&self, other: &Facts) {
        self.note(other.0.load(Relaxed));
    }
}

impl Clone for Facts {
    fn clone(&self) -> Facts {
        Facts::default()
    }
}

impl PartialEq for Facts {
    fn eq(&self, _: &Facts) -> bool {
        true
    }
}

impl Eq for Facts {}

impl PartialOrd for Facts {
    fn partial_cmp(&self, other: &Facts) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Facts {
    fn cmp(&self, _: &Facts) -> Ordering {
        Ordering::Equal
    }
}

impl Hash for Facts {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
