//! Pragmas about loops in C: pragmas that no bit of a result may depend on.
//!
//! Which pragma a loop has depends on the case's seed and the loop's counter alone, so that reduction keeps it.

use super::first::Draws;
use super::tree::{Case, Loop};

/// Asking for vectorisation would also allow another order of floating-point additions.
const PRAGMAS: [&str; 9] = [
    "clang loop unroll(disable)",
    "clang loop unroll(enable)",
    "clang loop unroll_count(2)",
    "clang loop unroll(full)",
    "clang loop vectorize(disable)",
    "clang loop interleave(disable)",
    "clang loop interleave_count(1) unroll(disable)",
    "clang loop distribute(enable)",
    "clang loop vectorize(disable) unroll_count(3)",
];

/// The pragma before a loop; a quarter of the cases has some.
pub(super) fn of_loop(case: &Case, l: &Loop) -> Option<&'static str> {
    if case.seed() % 4 != 1 {
        return None;
    }
    let mut draws = Draws::of(case, l, 0x51ed_270b);
    (draws.below(3) != 0).then(|| PRAGMAS[draws.below(PRAGMAS.len())])
}
