//! Where the pass stands.

/// Where the pass stands in the default pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Position {
    /// Right before the loop vectoriser: after inlining and all simplification, once.
    #[default]
    Vectorizer,
    /// After an inliner of its own, before loop-invariant code motion, redundancy elimination and unrolling.
    Early,
}
