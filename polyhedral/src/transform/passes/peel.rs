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
//! iterations. The second keeps its order. With `front = all` it comes first, and whole blocks are the second copy. That is for loops whose
//! end inner loops begin at: of `for i < n: for k = i to n - 1: s[i] += A[i][k]` those `k` that fewer than `m` rows have come first. With
//! `front = start` only what is left over at the start is taken out, and comes first; whole blocks and the rest of the ends stay together.
//! A block is there for an instance if the instance exists with the first and with the last value
//! of the block instead of its own; with bounds that do not depend on inner loops this means whole iterations. Legal if what is left over,
//! at both ends, does not have to come before whole blocks.
//!
//! It does not apply where there is no whole block. Where nothing is left over, the tree stays as it is.

use crate::affine::{Aff, MultiAff};
use crate::arith::Int;
use crate::budget::Budget;
use crate::relation::UnionSet;
use crate::schedule::{EditError, Node};
use crate::space::DimKind;
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::bad;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "peel",
    meaning: "runs whole blocks of a loop first, the rest behind them",
    sites: 1,
    arguments: &[
        Argument { name: "multiple", kind: Kind::Integer, optional: false, meaning: "the size of a block" },
        Argument {
            name: "front",
            kind: Kind::Word(&["all", "start"]),
            optional: true,
            meaning: "all: what is left over comes first; start: only what is at the start is taken out",
        },
    ],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, budget: &Budget) -> Result<Draft<'m>, EditError> {
    let cursor = draft.band_at(&step.sites[0])?;
    let Node::Band(band, _) = cursor.node() else { return bad("the site is no band") };
    let [member] = band.members() else { return bad("the band has several members: split it first") };
    let multiple = step.integer("multiple").filter(|multiple| *multiple > 0);
    let Some(multiple) = multiple.map(Int::from) else { return bad("multiple is a positive number") };
    let front = step.name("front");
    let domain = cursor.domain(budget)?;
    let (mut whole, mut started) = (Vec::new(), Vec::new());
    for instances in domain.members() {
        let space = instances.space();
        let name = space.range_tuple().name().map_or("", |name| name);
        let Some((value, dim)) = member.get(name).and_then(|value| Some((value, moving(value)?))) else {
            return bad(format!("the member is not one of the dimensions of {name}, alone or with others"));
        };
        let first = value.floor_div(&multiple).scale(&multiple);
        let last = first.add_constant(&(&multiple - &Int::one()));
        let exists_at = |end: &Aff| -> Result<_, EditError> {
            let there_instead = Aff::var(space.clone(), dim)?.add(&end.sub(value)?)?;
            let moved = MultiAff::identity(space)?.with_component(dim, &there_instead)?;
            Ok(instances.intersect(&instances.preimage(&moved, budget)?, budget)?)
        };
        let begun = exists_at(&first)?;
        whole.push(begun.intersect(&exists_at(&last)?, budget)?);
        started.push(begun);
    }
    let (whole, started) = (UnionSet::from_members(whole)?, UnionSet::from_members(started)?);
    let context = &draft.scop().context;
    if whole.intersect_params(context, budget)?.is_empty(budget)? {
        return bad(format!("there is no block of {multiple} iterations"));
    }
    if domain.subtract(&whole, budget)?.intersect_params(context, budget)?.is_empty(budget)? {
        return Ok(draft.clone());
    }
    let parted = match front {
        Some("all") => cursor.order_after(&whole, budget)?,
        Some(_) => cursor.order_after(&started, budget)?,
        None => cursor.order_before(&whole, budget)?,
    };
    Ok(draft.with_tree(parted.into_tree()))
}

/// The innermost dimension that a member runs along by one; nothing if it has divisions.
fn moving(value: &Aff) -> Option<usize> {
    let n = value.space().dim(DimKind::Out);
    let last = (0..n).rev().find(|dim| !value.coefficient(DimKind::Out, *dim).is_zero())?;
    let is_plain = value.divs().is_empty() && value.denominator().is_one();
    (is_plain && value.coefficient(DimKind::Out, last).is_one()).then_some(last)
}
