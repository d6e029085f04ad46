//! `peel(S@k, multiple = m)`: whole blocks of `m` values of a loop first, what is left over behind them.
//!
//! ```text
//! band S -> [i]              =>     sequence                                                  multiple = 8
//!   ...                               filter { S[i] : blocks 8b, ..., 8b + 7 that are there }
//!                                       band S -> [i]
//!                                         ...
//!                                     filter { all other S[i] }
//!                                       band S -> [i]
//!                                         ...
//! ```
//!
//! What is done to the first copy, which is the one that `S@k` means from now on, need not care about ends: a block is a fixed number of
//! iterations. The second keeps its order. A block is there for an instance if the instance exists with the first and with the last value
//! of the block instead of its own; with bounds that do not depend on inner loops this means whole iterations. Legal if what is left over,
//! at both ends, does not have to come before whole blocks.
//!
//! It does not apply where there is no whole block. Where nothing is left over, the tree stays as it is.

use crate::affine::{Aff, MultiAff};
use crate::arith::Int;
use crate::budget::Budget;
use crate::relation::UnionSet;
use crate::schedule::{EditError, Node};
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::bad;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "peel",
    meaning: "runs whole blocks of a loop first, the rest behind them",
    sites: 1,
    arguments: &[Argument { name: "multiple", kind: Kind::Integer, optional: false, meaning: "the size of a block" }],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, budget: &Budget) -> Result<Draft<'m>, EditError> {
    let cursor = draft.band_at(&step.sites[0])?;
    let Node::Band(band, _) = cursor.node() else { return bad("the site is no band") };
    let [member] = band.members() else { return bad("the band has several members: split it first") };
    let multiple = step.integer("multiple").filter(|multiple| *multiple > 0);
    let Some(multiple) = multiple.map(Int::from) else { return bad("multiple is a positive number") };
    let domain = cursor.domain(budget)?;
    let mut whole = Vec::new();
    for instances in domain.members() {
        let space = instances.space();
        let name = space.range_tuple().name().map_or("", |name| name);
        let Some(dim) = member.dimension(name) else {
            return bad(format!("the member is not one of the dimensions of {name}"));
        };
        let first = Aff::var(space.clone(), dim)?.floor_div(&multiple).scale(&multiple);
        let last = first.add_constant(&(&multiple - &Int::one()));
        let mut there = instances.clone();
        for end in [first, last] {
            let moved = MultiAff::identity(space)?.with_component(dim, &end)?;
            there = there.intersect(&instances.preimage(&moved, budget)?, budget)?;
        }
        whole.push(there);
    }
    let whole = UnionSet::from_members(whole)?;
    let context = &draft.scop().context;
    if whole.intersect_params(context, budget)?.is_empty(budget)? {
        return bad(format!("there is no block of {multiple} iterations"));
    }
    if domain.subtract(&whole, budget)?.intersect_params(context, budget)?.is_empty(budget)? {
        return Ok(draft.clone());
    }
    Ok(draft.with_tree(cursor.order_before(&whole, budget)?.into_tree()))
}
