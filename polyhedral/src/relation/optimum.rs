//! The extreme values of a quasi-affine function on a set.

use crate::affine::Aff;
use crate::budget::Budget;
use crate::error::Result;
use crate::lp::{self, IntOptimum};

use super::row;
use super::{Relation, mismatch};

/// The least (or greatest) floor of a function on a relation without domain.
pub(super) fn extremum(set: &Relation, aff: &Aff, maximum: bool, budget: &Budget) -> Result<IntOptimum> {
    let compatible = set.space.has_equal_tuples(aff.space()) || aff.space().is_params();
    if !compatible {
        return Err(mismatch("optimise", &set.space, aff.space()));
    }
    let set = set.align_params(&set.space.align_params(aff.space()));
    let aff = aff.align_params(&set.space).floor();
    let arguments = aff.space().n_col();
    let mut best = IntOptimum::Empty;
    for part in &set.parts {
        let mut c = part.clone();
        let shift = c.n_col();
        let mut map: Vec<usize> = (0..arguments).collect();
        map.extend((0..aff.divs().len()).map(|k| shift + k));
        for (k, div) in aff.divs().iter().enumerate() {
            c.add_div(row::remap(&div.row, &map[..arguments + k], shift + k), div.den.clone());
        }
        let mut objective = row::remap(aff.row(), &map, c.n_col());
        if maximum {
            objective = row::negated(&objective);
        }
        let value = lp::min_integer(c.n_col() - 1, c.eqs(), &c.solver_ineqs(), &objective, budget)?;
        best = match (best, value) {
            (IntOptimum::Unbounded, _) | (_, IntOptimum::Unbounded) => return Ok(IntOptimum::Unbounded),
            (IntOptimum::Empty, other) | (other, IntOptimum::Empty) => other,
            (IntOptimum::Bounded(a), IntOptimum::Bounded(b)) => IntOptimum::Bounded(a.min(b)),
        };
    }
    Ok(match best {
        IntOptimum::Bounded(value) if maximum => IntOptimum::Bounded(-value),
        other => other,
    })
}
