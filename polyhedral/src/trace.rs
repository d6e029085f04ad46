//! Where time and work go: phases as spans of the crate `tracing`.
//!
//! ```
//! use tessera_polyhedral::{budget::Budget, phase};
//! let budget = Budget::new(100);
//! {
//!     let _phase = phase!("dependences", &budget);
//!     budget.spend(40)?;
//! } // A collector sees a span `dependences` with the field `units=40`.
//! # Ok::<(), tessera_polyhedral::budget::Exhausted>(())
//! ```
//!
//! A span has the target [`TARGET`] and the level `DEBUG`. Its field `units` is what the budget lost from its beginning
//! to its end, with all phases inside. The library collects nothing itself: without a subscriber of the caller a phase
//! costs one comparison with a number in memory at its beginning and one at its end.

use crate::budget::Budget;
use tracing::span::EnteredSpan;

#[doc(hidden)]
pub use tracing;

/// The target of all spans of this crate and of those built on it.
pub const TARGET: &str = "tessera";

/// The field that holds the units of the budget.
pub const UNITS: &str = "units";

/// A phase that goes on; it ends where this is dropped.
#[derive(Debug)]
#[must_use = "the phase ends where this is dropped"]
pub struct PhaseSpan<'b> {
    span: EnteredSpan,
    budget: &'b Budget,
    before: u64,
}

impl<'b> PhaseSpan<'b> {
    /// Enters a span that has the field [`UNITS`]. The macro [`phase!`](crate::phase) makes one.
    #[inline]
    pub fn new(span: tracing::Span, budget: &'b Budget) -> Self {
        PhaseSpan { span: span.entered(), budget, before: budget.spent() }
    }
}

impl Drop for PhaseSpan<'_> {
    #[inline]
    fn drop(&mut self) {
        if !self.span.is_disabled() {
            self.span.record(UNITS, self.budget.spent() - self.before);
        }
    }
}

/// Begins a phase that ends where the value is dropped: `let _phase = phase!("check", budget);`. More fields may
/// follow, as those of a span; they are evaluated only where somebody collects.
#[macro_export]
macro_rules! phase {
    ($name:literal, $budget:expr $(, $($field:tt)+)?) => {
        $crate::trace::PhaseSpan::new(
            $crate::trace::tracing::debug_span!(
                target: $crate::trace::TARGET,
                $name,
                units = $crate::trace::tracing::field::Empty
                $(, $($field)+)?
            ),
            $budget,
        )
    };
}
