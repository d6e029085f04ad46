//! `reschedule(algorithm = ..., fusion = ...)`: the schedule that the library's scheduler computes from the dependences takes the place of the
//! whole tree.
//!
//! Validity and proximity are the dependences that fix an order, coincidence all of them; what the context says is known. See
//! [`scheduler`](crate::scheduler).
//!
//! Coefficients and constants are bounded. Of a nest whose inner loop is known to run at most 1000 times, the scheduler may make one loop,
//! `1000 i + j`, and where two statements must run one after the other, it may shift the second one by 1000. If the loops run less often
//! than was known, new ones would go through all the values in between: with `int n` through up to 2^31 for each `i`.

use crate::affine::Aff;
use crate::arith::Int;
use crate::budget::Budget;
use crate::relation::UnionSet;
use crate::schedule::{EditError, Member, ScheduleTree};
use crate::scheduler::{self, Algorithm, Fusion, Options, ScheduleConstraints};
use crate::space::DimKind;
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
        Argument {
            name: "coefficient",
            kind: Kind::Integer,
            optional: true,
            meaning: "the greatest coefficient of a counter or parameter (8)",
        },
        Argument {
            name: "shift",
            kind: Kind::Integer,
            optional: true,
            meaning: "how far statements may be shifted against each other (64)",
        },
    ],
    apply,
};

/// The greatest coefficient, if the step names none: skews of stencils are as great as their radius.
const COEFFICIENT: u32 = 8;

/// The greatest constant.
const SHIFT: u32 = 64;

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
    let limit = |name: &str, default: u32| match step.integer(name).map(u32::try_from) {
        None => Ok(default),
        Some(Ok(limit)) => Ok(limit),
        Some(Err(_)) => bad(format!("{name} is a number from 0 to {}", u32::MAX)),
    };
    let (coefficient, shift) = (limit("coefficient", COEFFICIENT)?, limit("shift", SHIFT)?);
    let bounds = Options { max_coefficient: Some(coefficient), max_constant_term: Some(shift), ..Options::default() };
    let options = Options { algorithm, ..bounds }.with_fusion(fusion);
    let tree = scheduler::schedule(&constraints, &options, budget)?;
    // The bounds are about one way to find a dimension of several.
    if !is_bounded(&tree, coefficient, shift) {
        return bad(format!(
            "the scheduler finds no order with coefficients up to {coefficient} and shifts up to {shift}"
        ));
    }
    Ok(draft.with_tree(tree))
}

/// Whether all coefficients of counters and parameters are small, and all constants of statements in one loop close to each other.
fn is_bounded(tree: &ScheduleTree, coefficient: u32, shift: u32) -> bool {
    let (coefficient, shift) = (Int::from(coefficient), Int::from(shift));
    let member_is_bounded = |member: &Member| {
        let functions: Vec<&Aff> =
            member.exprs().flat_map(|(_, function)| function.pieces()).map(|(_, function)| function).collect();
        let is_small = |value: Int, function: &Aff| value.abs() <= &coefficient * function.denominator();
        let small = functions.iter().all(|function| {
            [DimKind::Param, DimKind::Out].into_iter().all(|kind| {
                let n = function.space().dim(kind);
                (0..n).all(|dim| is_small(function.coefficient(kind, dim), function))
            })
        });
        let constants: Vec<Int> = functions.iter().map(|f| f.constant_term().div_floor(f.denominator())).collect();
        let apart = constants.iter().max().zip(constants.iter().min()).map(|(most, least)| most - least);
        small && apart.is_none_or(|apart| apart <= shift)
    };
    tree.bands().iter().flat_map(|(_, band)| band.members()).all(member_is_bounded)
}
