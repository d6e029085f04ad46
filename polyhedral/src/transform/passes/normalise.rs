//! `normalise(S@k)`: the iterations of a loop are counted from zero.
//!
//! ```text
//! band S -> [i]              =>     band S -> [i]              { S[i, j] : i + 1 <= j < n }
//!   band S -> [j]                     band S -> [j - i - 1]
//! ```
//!
//! The order does not change. What is done to blocks of iterations, as [peel](super::peel) and [tile](super::tile) make them, then begins with
//! the first iteration whatever that is. The band has one member, which is a dimension of every statement in it, with one lower bound, the
//! same for all, in terms of what the bands above schedule.
//!
//! D. Bacon, S. Graham, O. Sharp, "Compiler Transformations for High-Performance Computing", ACM Computing Surveys 26(4), 1994
//! (loop normalization).

use std::collections::BTreeMap;

use crate::affine::{Aff, MultiUnionPwAff, PwAff, UnionPwAff};
use crate::arith::Int;
use crate::budget::Budget;
use crate::relation::Set;
use crate::schedule::{Cursor, EditError, Member, Node};
use crate::space::{DimKind, Name};
use crate::transform::pass::Pass;
use crate::transform::passes::bad;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass =
    Pass { name: "normalise", meaning: "counts the iterations of a loop from zero", sites: 1, arguments: &[], apply };

fn apply<'m>(draft: &Draft<'m>, step: &Step, budget: &Budget) -> Result<Draft<'m>, EditError> {
    let cursor = draft.band_at(&step.sites[0])?;
    let Node::Band(band, _) = cursor.node() else { return bad("the site is no band") };
    let [member] = band.members() else { return bad("the band has several members: split it first") };
    let outer: Vec<Member> = cursor.ancestors().flat_map(|above| members(&above)).collect();
    let (mut offsets, mut first): (Vec<PwAff>, Option<Offset>) = (Vec::new(), None);
    for instances in cursor.domain(budget)?.members() {
        let name = instances.space().range_tuple().name().map_or("", |name| name);
        let Some(dim) = member.dimension(name) else {
            return bad(format!("the member is not one of the dimensions of {name}"));
        };
        let found = offset(instances, dim, |other| outer.iter().position(|above| above.dimension(name) == Some(other)));
        let Some((offset, function)) = found else {
            return bad("the loop has not one first iteration in terms of the loops around it");
        };
        if first.get_or_insert_with(|| offset.clone()) != &offset {
            return bad("the loop does not begin at the same iteration for all statements");
        }
        offsets.push(PwAff::from_aff(function));
    }
    let shift = MultiUnionPwAff::from_union_pw_aff(&UnionPwAff::from_members(offsets, budget)?)?;
    Ok(draft.with_tree(cursor.shift(&shift, budget)?.into_tree()))
}

/// What is added to a counter: a constant, multiples of parameters by name, and of members of the bands above by position.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Offset {
    constant: Int,
    params: BTreeMap<Name, Int>,
    members: BTreeMap<usize, Int>,
}

fn members(cursor: &Cursor) -> Vec<Member> {
    if let Node::Band(band, _) = cursor.node() { band.members().to_vec() } else { Vec::new() }
}

/// What is added to a dimension so that its smallest value is zero. `above` is the member of a band above that another dimension is.
fn offset(instances: &Set, dim: usize, above: impl Fn(usize) -> Option<usize>) -> Option<(Offset, Aff)> {
    let (space, [conjunction]) = (instances.space(), instances.conjunctions()) else { return None };
    let (first, n) = (space.offset(DimKind::Out), space.dim(DimKind::Out));
    let mut bounds = conjunction.ineqs().iter().filter(|row| {
        let is_of_others = |other: usize| other == dim || row[first + other].is_zero() || above(other).is_some();
        row[first + dim].is_positive() && (0..n).all(is_of_others)
    });
    let (bound, None) = (bounds.next()?, bounds.next()) else { return None };
    if !bound[first + dim].is_one() || !bound[space.n_col()..].iter().all(Int::is_zero) {
        return None;
    }
    let mut row = bound[..space.n_col()].to_vec();
    row[first + dim] = Int::zero();
    let params = space.param_names().iter().zip(&row[1..]).filter(|(_, factor)| !factor.is_zero());
    let members = (0..n).filter(|other| !row[first + other].is_zero());
    let offset = Offset {
        constant: row[0].clone(),
        params: params.map(|(name, factor)| (name.clone(), factor.clone())).collect(),
        members: members.map(|other| Some((above(other)?, row[first + other].clone()))).collect::<Option<_>>()?,
    };
    Some((offset, Aff::from_row(space.clone(), row, Int::one())))
}
