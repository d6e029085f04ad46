//! What the tests of passes, strategies and SCoPs share: the budget, files of cases, and a machine that executes orders.

pub(crate) mod case_file;
pub(crate) mod device;
pub(crate) mod machine;

use tessera_polyhedral::budget::Budget;

/// Enough for any question of a test: a test that runs out of it asks for too much.
pub(crate) fn budget() -> Budget {
    Budget::new(5_000_000_000)
}
