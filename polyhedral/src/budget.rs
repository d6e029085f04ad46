//! The operation budget: a deterministic bound on work.
//!
//! Operations on Presburger sets can explode, and a compiler must never hang on one. Every operation that can be
//! expensive therefore takes a [`Budget`] by reference and *spends* from it as it works. When nothing is left it
//! returns [`Exhausted`], and the caller treats the answer as unknown. The budget counts operations, not time, so the
//! same input gives the same answer on every machine and on every run.
//!
//! One unit is one update of a tableau row or one visit of a constraint: something of the order of ten nanoseconds.

use std::cell::Cell;
use std::fmt;

/// A counter of elementary operations with a limit.
///
/// It is passed as a shared reference, because many data structures spend from one budget at the same time. It is not
/// `Sync`: one budget belongs to one thread.
///
/// ```
/// use tessera_polyhedral::budget::Budget;
/// let budget = Budget::new(10);
/// assert!(budget.spend(7).is_ok());
/// assert_eq!(budget.spend(4).unwrap_err().limit, 10);
/// assert!(budget.spend(1).is_err()); // an exhausted budget stays exhausted
/// ```
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    spent: Cell<u64>,
}

impl Budget {
    /// A budget of `limit` units, none of them spent.
    pub fn new(limit: u64) -> Self {
        Self { limit, spent: Cell::new(0) }
    }

    /// A budget that is never exhausted in practice (its limit is 2^64 - 1 units, centuries of work).
    pub fn unlimited() -> Self {
        Self::new(u64::MAX)
    }

    /// Takes `n` units. Once the total goes over the limit, this and every later call fail.
    #[inline]
    pub fn spend(&self, n: u64) -> Result<(), Exhausted> {
        let total = self.spent.get().saturating_add(n);
        self.spent.set(total);
        if total > self.limit { Err(Exhausted { limit: self.limit }) } else { Ok(()) }
    }

    /// Does some work with a budget of its own: of `part` units, or of what is left if that is less. What it cost, at most its part, is
    /// spent; where that is more than was left, this is the error.
    pub fn share<T>(&self, part: u64, work: impl FnOnce(&Budget) -> T) -> Result<T, Exhausted> {
        let own = Budget::new(part.min(self.remaining()));
        let result = work(&own);
        self.spend(own.spent().min(own.limit()))?;
        Ok(result)
    }

    /// The number of units asked for so far. It can be greater than the limit: the last request is counted.
    pub fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// The number of units that this budget started with.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// The number of units that are left.
    pub fn remaining(&self) -> u64 {
        self.limit.saturating_sub(self.spent.get())
    }

    /// Whether a request has already gone over the limit.
    pub fn is_exhausted(&self) -> bool {
        self.spent.get() > self.limit
    }
}

/// The error of an operation that ran out of its [`Budget`]: the answer is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted {
    /// The limit that was reached, in units.
    pub limit: u64,
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the budget of {} operations is exhausted; raise the limit or simplify the input", self.limit)
    }
}

impl std::error::Error for Exhausted {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spends_up_to_the_limit_exactly() {
        let budget = Budget::new(3);
        assert!(budget.spend(1).is_ok());
        assert!(budget.spend(2).is_ok());
        assert_eq!(budget.remaining(), 0);
        assert!(!budget.is_exhausted());
        assert_eq!(budget.spend(1), Err(Exhausted { limit: 3 }));
        assert!(budget.is_exhausted());
        assert_eq!(budget.spend(0), Err(Exhausted { limit: 3 }));
    }

    #[test]
    fn does_not_overflow() {
        let budget = Budget::new(u64::MAX - 1);
        assert!(budget.spend(u64::MAX - 1).is_ok());
        assert!(budget.spend(u64::MAX).is_err());
        assert_eq!(budget.spent(), u64::MAX);
    }
}
