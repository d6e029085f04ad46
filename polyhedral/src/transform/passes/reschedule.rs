//! `reschedule(algorithm = ..., fusion = ...)`: the schedule that the library's scheduler computes from the dependences takes the place of the
//! whole tree.
//!
//! Validity and proximity are the dependences that fix an order, coincidence all of them; what the context says is known. See
//! [`scheduler`](crate::scheduler).

use crate::budget::Budget;
use crate::relation::UnionSet;
use crate::schedule::EditError;
use crate::scheduler::{self, Algorithm, Fusion, Options, ScheduleConstraints};
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::bad;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "reschedule",
    meaning: "replaces the order by one that the scheduler computes from dependences alone",
    sites: 0,
    arguments: &[
        Argument {
            name: "algorithm",
            kind: Kind::Word(&["isl", "feautrier"]),
            optional: true,
            meaning: "how a dimension of the schedule is found",
        },
        Argument {
            name: "fusion",
            kind: Kind::Word(&["none", "smart", "max"]),
            optional: true,
            meaning: "how much is fused",
        },
    ],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, budget: &Budget) -> Result<Draft<'m>, EditError> {
    if !draft.placement().copies.is_empty() {
        return bad("a new order would leave out the copies of buffers; compute it before there are any");
    }
    let domain = UnionSet::from_members(draft.scop().statements.iter().map(|statement| statement.domain.clone()))?;
    let mut constraints = ScheduleConstraints::new(domain);
    constraints.context = draft.scop().context.clone();
    constraints.validity = draft.order(budget)?;
    constraints.proximity = constraints.validity.clone();
    constraints.coincidence = draft.together(budget)?;
    let algorithm = match step.name("algorithm") {
        Some("feautrier") => Algorithm::Feautrier,
        _ => Algorithm::default(),
    };
    let fusion = match step.name("fusion") {
        Some("none") => Fusion::None,
        Some("max") => Fusion::Max,
        _ => Fusion::default(),
    };
    let options = Options { algorithm, ..Options::default() }.with_fusion(fusion);
    Ok(draft.with_tree(scheduler::schedule(&constraints, &options, budget)?))
}
