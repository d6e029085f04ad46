//! `expose(S@k, last = m)`: the last `m` dimensions of the statements become a band above one that is there.
//!
//! ```text
//! band S -> [i]            =>      band S -> [u, v]          of S[i, j, u, v], last = 2
//!   band S -> [j]                    band S -> [i]
//!                                      band S -> [j]
//! ```
//!
//! Statements have dimensions that their order does not mention where scalars have copies: the numbers of the tiles in whose points
//! the copies are. Legal if dependences allow that these come first.

use crate::affine::Aff;
use crate::budget::Budget;
use crate::schedule::{Band, EditError, Member, Node};
use crate::space::DimKind;
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::bad;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "expose",
    meaning: "puts a band of the last dimensions of statements above a band",
    sites: 1,
    arguments: &[Argument { name: "last", kind: Kind::Integer, optional: false, meaning: "how many dimensions" }],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, _: &Budget) -> Result<Draft<'m>, EditError> {
    let cursor = draft.band_at(&step.sites[0])?;
    let Node::Band(band, _) = cursor.node() else { return bad("the site is no band") };
    let count = step.integer("last").and_then(|last| usize::try_from(last).ok()).filter(|last| *last > 0);
    let Some(count) = count else { return bad("last is a positive number") };
    let names: Vec<_> = band.members().iter().flat_map(Member::exprs).map(|(name, _)| name.clone()).collect();
    let statements: Vec<_> =
        draft.scop().statements.iter().filter(|s| names.iter().any(|name| **name == *s.name)).collect();
    let mut members = Vec::new();
    for position in (1..=count).rev() {
        let mut counters = Vec::new();
        for statement in &statements {
            let space = statement.domain.space();
            let Some(dim) = space.dim(DimKind::Out).checked_sub(position) else {
                return bad(format!("{} has fewer than {count} dimensions", statement.name));
            };
            counters.push(Aff::var(space.clone(), dim)?);
        }
        members.push(Member::new(counters)?);
    }
    Ok(draft.with_tree(cursor.insert_band(Band::new(members))?.into_tree()))
}
