//! The scheduler: from schedule constraints to a schedule tree.
//!
//! [`schedule`] computes a new order of statement instances that respects all validity constraints and has permutable bands as
//! deep as possible with as many coincident (parallel) members outside as possible. It starts from nothing: the original
//! order matters only as far as it is in the constraints.
//!
//! | file | holds |
//! | --- | --- |
//! | `constraints` | the input as plain data; that of a program whose live ranges may be reordered |
//! | `options` | what the caller chooses; names and defaults are those of isl |
//! | `graph`, `statement`, `sizes`, `numbering` | statements in compressed coordinates and the constraints between them |
//! | `cone` | constraints as generators: what they demand of schedule coefficients |
//! | `layout`, `tableau`, `pivot`, `number`, `search` | linear programs: unknowns, lexicographic simplex, solutions that are not trivial |
//! | `independence` | when a row is linearly independent |
//! | `pluto`, `band`, `conditional` | members of permutable bands, live ranges |
//! | `carry`, `refine` | a row that carries constraints; finer parts of constraints where there is none |
//! | `components`, `cluster`, `fuse`, `closeness`, `driver` | the way through a graph |
//! | `chains`, `chain_search` | statements that always run one after the other, scheduled as one |
//! | `live` | which conditional constraints a tree makes binding: part of the final check |
//! | `wavefront` | an edit: parallelism inside a band without coincident members |
//!
//! # Example
//!
//! ```
//! use tessera_polyhedral::budget::Budget;
//! use tessera_polyhedral::scheduler::{Options, schedule};
//! use tessera_polyhedral::scheduler::ScheduleConstraints;
//! let budget = Budget::new(100_000_000);
//! let constraints = ScheduleConstraints::parse(
//!     "domain: '[n] -> { S[i, j] : 0 <= i, j < n }'\n\
//!      validity: '{ S[i, j] -> S[i + 1, j]; S[i, j] -> S[i, j + 1] }'",
//!     &budget,
//! )?;
//! let tree = schedule(&constraints, &Options::default(), &budget)?;
//! let (_, band) = tree.bands()[0];
//! assert!(band.permutable && band.len() == 2);
//! # Ok::<(), tessera_polyhedral::Error>(())
//! ```
//!
//! Sources: S. Verdoolaege, G. Janssens, *Scheduling for PPCG*, report CW 706, 2017; U. Bondhugula et al., 2008; P. Feautrier, 1992.

mod band;
mod carry;
mod chain_search;
mod chains;
mod closeness;
mod cluster;
mod components;
mod conditional;
mod cone;
mod constraints;
mod driver;
mod fuse;
mod graph;
mod independence;
mod layout;
mod live;
mod number;
mod numbering;
mod options;
mod pivot;
mod pluto;
mod read;
mod refine;
mod search;
mod sizes;
mod statement;
mod tableau;
mod wavefront;

pub use chains::{Chain, Chains, schedule_chains};
pub use constraints::ScheduleConstraints;
pub use options::{Algorithm, Fusion, Options};
pub use wavefront::wavefront;

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Map, UnionMap};
use crate::schedule::{Instances, ScheduleTree};

use driver::Driver;
use graph::Graph;

/// A schedule that respects the constraints.
///
/// The tree has a domain node with all instances; the context bounds what may be assumed but is not part of it.
/// Constraints on instances outside the domain are taken into account as they are; those between spaces that are not in the
/// domain are ignored. Every validity constraint is respected; pairs of an instance and itself are ignored.
/// Deterministic.
///
/// Cost: polynomial in the number of statements and constraints for typical inputs, exponential in the number of dimensions in the worst case.
/// Errors: the budget; two statements of one name; constraints that no affine schedule can carry.
pub fn schedule(constraints: &ScheduleConstraints, options: &Options, budget: &Budget) -> Result<ScheduleTree> {
    let graph = Graph::new(constraints, options, budget)?;
    let node = Driver { options, budget }.schedule(graph)?;
    let tree = ScheduleTree::new(Instances::from_union_set(&constraints.domain)?, node);
    if options.verify {
        verify(&tree, constraints, budget)?;
    }
    Ok(tree)
}

/// The schedule as a relation from instances to points in time of one length. See [`schedule`] and
/// [`Options::separate_components`].
pub fn schedule_map(constraints: &ScheduleConstraints, options: &Options, budget: &Budget) -> Result<UnionMap> {
    let tree = schedule(constraints, options, budget)?;
    if options.separate_components { tree.to_map(budget) } else { tree.to_map_with_joint_components(budget) }
}

/// Checks a tree by the legality test of schedule trees, which shares nothing with the scheduler: the validity constraints,
/// and the conditional ones that the tree makes binding.
fn verify(tree: &ScheduleTree, constraints: &ScheduleConstraints, budget: &Budget) -> Result<()> {
    let mut dependences: Vec<Map> = Vec::new();
    let mut add = |map: &Map| -> Result<()> {
        let same = map.space().domain().has_equal_tuples(&map.space().range());
        dependences.push(if same {
            map.subtract(&Map::identity(&map.space().domain())?, budget)?
        } else {
            map.clone()
        });
        Ok(())
    };
    constraints.validity.members().try_for_each(&mut add)?;
    if !constraints.conditional_validity.is_plainly_empty() {
        let params = constraints.domain.params_space().align_params(constraints.condition.params_space());
        let mut params = params.align_params(constraints.conditional_validity.params_space());
        for relation in [&constraints.validity, &constraints.coincidence, &constraints.proximity] {
            params = params.align_params(relation.params_space());
        }
        let params = params.align_params(constraints.context.space());
        let conditions = constraints.condition.align_params(&params);
        let conditional = constraints.conditional_validity.align_params(&params);
        live::imposed_constraints(tree, &conditions, &conditional, budget)?.iter().try_for_each(&mut add)?;
    }
    match tree.first_violation(&dependences, budget)? {
        None => Ok(()),
        Some(violation) => Err(statement::refused(format!(
            "the schedule that was found is wrong: {violation}; please report the constraints"
        ))),
    }
}
