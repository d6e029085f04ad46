//! `shift(S@k, statement = T, member = m, amount = a)`: one statement runs `a` iterations of a member later (earlier, if negative).
//!
//! ```text
//! band S -> [i]; T -> [i]       =>     band S -> [i]; T -> [i + 1]          statement = T, member = 0, amount = 1
//! ```
//!
//! What it is good for: two loops can be fused although one reads what the other writes an iteration later.

use crate::affine::MultiUnionPwAff;
use crate::budget::Budget;
use crate::schedule::{EditError, Node};
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::{bad, member};
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "shift",
    meaning: "moves one statement in a member of a band",
    sites: 1,
    arguments: &[
        Argument { name: "statement", kind: Kind::Statement, optional: false, meaning: "the statement that moves" },
        Argument { name: "member", kind: Kind::Integer, optional: false, meaning: "in which member" },
        Argument { name: "amount", kind: Kind::Integer, optional: false, meaning: "by how many iterations" },
    ],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, budget: &Budget) -> Result<Draft<'m>, EditError> {
    let cursor = draft.band_at(&step.sites[0])?;
    let Node::Band(band, _) = cursor.node() else { return bad("the site is no band") };
    let (shifted, amount) = (member(step, "member", &cursor)?, step.integer("amount").unwrap_or(0));
    let moved = step.name("statement").unwrap_or("");
    if band.members()[shifted].function(moved).is_none() {
        return bad(format!("the band does not schedule {moved}"));
    }
    // One function per member and statement, over the statement's own tuple.
    let mut components = Vec::new();
    for (k, member) in band.members().iter().enumerate() {
        let constants = member.exprs().map(|(name, function)| {
            let tuple = function.space().to_string();
            let tuple = tuple.split_once('{').map_or("", |(_, rest)| rest).trim_end().trim_end_matches('}').trim();
            format!("{tuple} -> [({})]", if k == shifted && &**name == moved { amount } else { 0 })
        });
        components.push(format!("{{ {} }}", constants.collect::<Vec<_>>().join("; ")));
    }
    let shift = MultiUnionPwAff::parse(&format!("[{}]", components.join(", ")), budget)?;
    Ok(draft.with_tree(cursor.shift(&shift, budget)?.into_tree()))
}
