//! From a model to a new schedule: dependences, legality, cost, and the tree that code generation reads.

pub mod applied;
pub mod cost;
pub mod expand;
mod legality;
mod live_ranges;
pub mod nest;
mod perfect;
mod registers;
mod strip;
pub mod tiles;
pub mod time_tiling;
mod wishes;

use crate::detect::reasons::Reason;
use crate::model::data::describe;
use crate::model::scop::Scop;
use crate::model::sets::library_error;
use applied::Applied;
use expand::Strip;
use nest::{Result, Search};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Map;
use tessera_polyhedral::schedule::ScheduleTree;
use tessera_polyhedral::scop::{Dependence, Scop as Data};
pub use wishes::Wishes;

/// The outcome of optimisation.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The model that the schedule is about, where it is not the one that was planned: scalars have copies.
    pub expanded: Option<Scop>,
    /// The model as data.
    pub data: Data,
    /// All memory dependences.
    pub dependences: Vec<Dependence>,
    /// The new schedule; `None` if the nest should stay as it is.
    pub tree: Option<ScheduleTree>,
    /// What was done, nest by nest.
    pub applied: Vec<Applied>,
    /// Why nothing was done, if nothing was.
    pub refusal: Option<Reason>,
}

/// Computes dependences and the best schedule that is known to be legal: first with copies of scalars where they would
/// help, then without.
pub fn plan(scop: &Scop, wishes: &Wishes, budget: &Budget) -> Result<Plan> {
    if !wishes.reorder {
        return unchanged(scop, wishes, budget);
    }
    let found = if wishes.copies { expand::find(scop, wishes, budget)? } else { Vec::new() };
    let shapes = if found.is_empty() { Vec::new() } else { expand::shapes(wishes) };
    for shape in shapes {
        let Some((expanded, strips)) = expand::expand(scop, &found, shape)? else { break };
        if let Some(plan) = attempt(&expanded, &strips, wishes, budget)? {
            return Ok(Plan { expanded: Some(expanded), ..plan });
        }
    }
    let mut plan = attempt(scop, &[], wishes, budget)?;
    if plan.is_none() && wishes.live_ranges {
        plan = attempt(scop, &[], &Wishes { live_ranges: false, ..wishes.clone() }, budget)?;
    }
    plan.ok_or_else(|| Reason::Internal { message: "the new order violates a dependence".into() })
}

/// The original order, as new code if the user wants that.
fn unchanged(scop: &Scop, wishes: &Wishes, budget: &Budget) -> Result<Plan> {
    let data = describe(scop, budget)?;
    let dependences = data.dependences(budget).map_err(library_error)?.merged;
    let (tree, applied, refusal) = if wishes.unprofitable {
        (Some(data.schedule.clone()), scop.order.iter().map(Applied::unchanged).collect(), None)
    } else {
        (None, Vec::new(), Some(Reason::Unprofitable))
    };
    Ok(Plan { expanded: None, data, dependences, tree, applied, refusal })
}

/// The schedule that the search finds, verified against all dependences; nothing if it violates one.
fn attempt(scop: &Scop, strips: &[Strip], wishes: &Wishes, budget: &Budget) -> Result<Option<Plan>> {
    let data = describe(scop, budget)?;
    let dependences = data.dependences(budget).map_err(library_error)?;
    let mut search = Search::new(scop, &data, &dependences, strips, wishes, budget);
    let all: Vec<usize> = (0..scop.statements.len()).collect();
    let domain = search.instances(&all)?;
    let mut root = search.sequence(&scop.order, 0)?;
    if search.applied.is_empty() {
        search.applied = registers::kept(scop);
        if search.applied.is_empty() {
            let refusal = Some(if search.blocked { Reason::Dependences } else { Reason::Unprofitable });
            let dependences = dependences.merged;
            return Ok(Some(Plan { expanded: None, data, dependences, tree: None, applied: Vec::new(), refusal }));
        }
        root = search.in_place(&scop.order)?;
    }
    let tree = ScheduleTree::new(domain, root);
    if !search.respects(&tree)? {
        return Ok(None);
    }
    let applied = search.applied;
    let dependences = dependences.merged;
    Ok(Some(Plan { expanded: None, data, dependences, tree: Some(tree), applied, refusal: None }))
}

impl Search<'_> {
    /// Whether a schedule respects all dependences, or at least those that hold if live ranges are reordered.
    fn respects(&mut self, tree: &ScheduleTree) -> Result<bool> {
        if self.applied.iter().all(|nest| nest.reordered.is_empty()) {
            let ordered = self.dependences.merged.iter().filter(|dependence| !dependence.reduction);
            let maps: Vec<Map> = ordered.map(|dependence| dependence.map.clone()).collect();
            if tree.is_legal(&maps, self.budget).map_err(library_error)? {
                return Ok(true);
            }
            for k in 0..self.applied.len() {
                self.applied[k].reordered = self.reorderable(&self.applied[k].statements);
            }
            if self.applied.iter().all(|nest| nest.reordered.is_empty()) {
                return Ok(false);
            }
        }
        self.live_ranges()?.are_respected(tree, self.budget)
    }
}
