//! Promises of the program that a loop carries no dependences among some of its accesses: `#pragma clang loop
//! vectorize(assume_safety)`, `#pragma omp simd` and the like, which reach the plugin as groups of accesses.
//!
//! A promise about loop L says nothing about pairs of instances in the same iteration of L, nor about those in different iterations
//! of a loop around L. Only accesses that stand where the promise found them take part: what scalars became in the model was
//! never promised anything.

use crate::detect::reasons::Reason;
use crate::model::scop::{Access, Scop, Statement};
use crate::model::sets::library_error;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Map;
use tessera_polyhedral::space::Space;

/// A dependence between two accesses without the pairs of instances that a promise excludes.
pub(super) fn without_promised(
    scop: &Scop,
    source: (&Statement, &Access),
    target: (&Statement, &Access),
    relation: &Map,
    budget: &Budget,
) -> Result<Map, Reason> {
    let mut rest = relation.clone();
    let common = source.0.loops.iter().zip(&target.0.loops).take_while(|(a, b)| a == b).count();
    for (depth, index) in source.0.loops[..common].iter().enumerate() {
        if is_promised(scop, source, *index) && is_promised(scop, target, *index) {
            let carried = carried_at(rest.space(), depth)?;
            rest = rest.subtract(&carried, budget).map_err(library_error)?;
        }
    }
    Ok(rest)
}

/// Whether an access takes part in the promise about loop `index`.
fn is_promised(scop: &Scop, (statement, access): (&Statement, &Access), index: usize) -> bool {
    let Some(instruction) = access.instruction else { return false };
    scop.is_in_place(statement, access) && scop.region.loops[index].handle.is_parallel_access(instruction)
}

/// All pairs in one iteration of the outer `depth` loops and in different iterations of the next one. The source runs before the
/// target, so that the later iteration is the target's.
fn carried_at(space: &Space, depth: usize) -> Result<Map, Reason> {
    let mut pairs = Map::universe(space.clone());
    for dim in 0..depth {
        pairs = pairs.equate(dim, dim).map_err(library_error)?;
    }
    pairs.order_lt(depth, depth).map_err(library_error)
}
