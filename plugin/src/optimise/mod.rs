//! From a model to a new schedule: what the host knows, one call into the library's strategy, and what emission needs of its answer.

pub mod expand;
mod loops;
mod old_order;
pub mod placed;
mod private;
mod schedule_options;
pub mod transformation;

use crate::machine::Machine;
use crate::model::data::describe;
use crate::model::scop::Scop;
use crate::model::sets::library_error;
use crate::reasons::Reason;
use crate::simplify::reloaded;
use expand::expand;
use loops::Numbering;
use placed::{Places, placed};
pub use schedule_options::ScheduleOptions;
use std::sync::Arc;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::schedule::ScheduleTree;
use tessera_polyhedral::scop::{Dependence, Dependences, Scop as Data};
use tessera_polyhedral::strategy::{self, Copies, Expandable, Failure, expandable, requested_size, with_free_loops};
use tessera_polyhedral::target::Target;
use tessera_polyhedral::transform::{Need, Script, TransformError};
use transformation::{Transformation, need_of_region};

type Result<T> = std::result::Result<T, Reason>;

/// The outcome of optimisation.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The model that takes the place of the one that was planned, if another one does: scalars that lie in memory are loaded from there.
    pub reloaded: Option<Scop>,
    /// The same where scalars have copies, or elements of arrays, which the guard does not look at.
    pub expanded: Option<Scop>,
    /// The places of those copies of elements.
    pub places: Places,
    /// The buffers that they are in, for those who print them.
    pub buffers: String,
    /// The model as data.
    pub data: Data,
    /// All memory dependences.
    pub dependences: Vec<Dependence>,
    /// The new schedule; `None` if the nest should stay as it is.
    pub tree: Option<ScheduleTree>,
    /// The steps that lead to it from the order of the program.
    pub log: Script,
    /// How often loops must run for the new order to be used.
    pub needs: Vec<Need>,
    /// How often loops must run for copies to pay whose elements may be used in place instead.
    pub copied_if: Vec<Need>,
    /// What was done, nest by nest.
    pub applied: Vec<Transformation>,
    /// Why nothing was done, if nothing was.
    pub refusal: Option<Reason>,
    /// Why the steps that the user has for this nest were not taken, if there are some.
    pub complaint: Option<String>,
}

/// Computes dependences and the best schedule that is known to be legal: by the steps that the user has for this nest, if they can be
/// taken; else first with copies of scalars where they would help, then without.
pub fn plan(scop: &Scop, schedule_options: &ScheduleOptions, machine: &Machine<'_>, budget: &Budget) -> Result<Plan> {
    let data = describe(scop, budget)?;
    if !schedule_options.reorder {
        return unchanged(scop, data, schedule_options, budget);
    }
    let has_script = |name: &&String| schedule_options.strategy.strategy.script(name).is_some();
    let Some(name) = [&scop.name, &scop.numbered].into_iter().find(has_script) else {
        return search(scop, data, schedule_options, machine, budget);
    };
    match replay(scop, name, schedule_options, budget)? {
        Ok(plan) => Ok(plan),
        Err(failure) => {
            // The steps may be for the nest without the scalars that can be loaded again.
            if schedule_options.reload
                && let Some(reloaded) = reloaded(scop, budget)?
                && let Ok(plan) = replay(&reloaded, name, schedule_options, budget)?
            {
                return Ok(Plan { reloaded: Some(reloaded), ..plan });
            }
            let strategy = Arc::new(schedule_options.strategy.strategy.without_scripts());
            let strategy = strategy::SearchOptions { strategy, ..schedule_options.strategy.clone() };
            let complaint = Some(format!("the steps for nest \"{name}\" are not taken: {failure}"));
            let plan = search(scop, data, &ScheduleOptions { strategy, ..schedule_options.clone() }, machine, budget)?;
            Ok(Plan { complaint, ..plan })
        }
    }
}

/// The schedule that the strategy finds with or without copies; else one of the scheduler.
fn search(
    scop: &Scop,
    data: Data,
    schedule_options: &ScheduleOptions,
    machine: &Machine<'_>,
    budget: &Budget,
) -> Result<Plan> {
    if schedule_options.strategy.strategy.has_choices() {
        let dependences = Arc::new(data.dependences(budget).map_err(library_error)?);
        let target = target(machine)?;
        let strategy =
            strategy::choose(&data, &dependences, &schedule_options.strategy, target, budget).map_err(failure)?;
        return search(scop, data, &ScheduleOptions { strategy, ..schedule_options.clone() }, machine, budget);
    }
    let numbering = Numbering::new(&scop.order);
    let found = match schedule_options.copies {
        true => expandable(&data, &schedule_options.strategy, budget).map_err(library_error)?,
        false => Vec::new(),
    };
    for (nests, shape) in with_copies(&found, schedule_options) {
        let Some((expanded, copies)) = expand(scop, &numbering, &nests, shape)? else { continue };
        let data = describe(&expanded, budget)?;
        let dependences = Arc::new(data.dependences(budget).map_err(library_error)?);
        if let Some(plan) = attempt(&expanded, data, &dependences, &copies, &schedule_options.strategy, budget)? {
            let plan = plan.over(expanded);
            let log = plan.log.with_copies(shape);
            return Ok(Plan { log, ..plan });
        }
    }
    let dependences = Arc::new(data.dependences(budget).map_err(library_error)?);
    let mut plan = attempt(scop, data.clone(), &dependences, &[], &schedule_options.strategy, budget)?;
    if plan.is_none() && schedule_options.strategy.live_ranges {
        let strict = strategy::SearchOptions { live_ranges: false, ..schedule_options.strategy.clone() };
        plan = attempt(scop, data.clone(), &dependences, &[], &strict, budget)?;
    }
    if plan.as_ref().is_some_and(|plan| plan.refusal.is_some()) {
        // Only where nothing else was found is it worth to look at the machine.
        let target = target(machine)?;
        let found =
            strategy::compared(&data, &dependences, &schedule_options.strategy, target, budget).map_err(failure)?;
        if let Some(found) = found {
            return finished(scop, &data, &dependences, &found, budget)?.ok_or_else(lost);
        }
    }
    let plan = plan.ok_or_else(|| Reason::Internal { message: "the new order violates a dependence".into() })?;
    if plan.refusal.is_none() || !schedule_options.reload {
        return Ok(plan);
    }
    // Other nests of the function want something of the budget, too.
    let found = budget.share(budget.remaining() / 2, |own| search_reloaded(scop, schedule_options, machine, own));
    match found.map_err(|error| library_error(error.into()))? {
        Ok(found) => Ok(found.unwrap_or(plan)),
        Err(Reason::Budget { .. }) => Ok(plan),
        Err(reason) => Err(reason),
    }
}

/// The schedule that is found where scalars whose values lie in memory are loaded again; `None` if there are no such scalars or no schedule.
fn search_reloaded(
    scop: &Scop,
    schedule_options: &ScheduleOptions,
    machine: &Machine<'_>,
    budget: &Budget,
) -> Result<Option<Plan>> {
    let Some(reloaded) = reloaded(scop, budget)? else { return Ok(None) };
    let again = ScheduleOptions { reload: false, ..schedule_options.clone() };
    let found = search(&reloaded, describe(&reloaded, budget)?, &again, machine, budget)?;
    Ok(found.refusal.is_none().then(|| Plan { reloaded: Some(reloaded), ..found }))
}

fn target<'m>(machine: &'m Machine<'_>) -> Result<&'m Target> {
    machine.target().map(Arc::as_ref).map_err(|error| Reason::Internal { message: error.to_string() })
}

/// What the steps lead to that the user has for a nest of this name: with the copies of scalars that they are for, if any.
fn replay(
    scop: &Scop,
    name: &str,
    schedule_options: &ScheduleOptions,
    budget: &Budget,
) -> Result<std::result::Result<Plan, Failure>> {
    let shape = schedule_options.strategy.strategy.script(name).and_then(Script::copies);
    let run = |scop: &Scop| -> Result<std::result::Result<Plan, Failure>> {
        let data = Data { name: name.to_owned(), ..describe(scop, budget)? };
        let dependences = Arc::new(data.dependences(budget).map_err(library_error)?);
        match strategy::plan(&data, &dependences, &[], &schedule_options.strategy, budget) {
            Ok(Some(found)) => Ok(finished(scop, &data, &dependences, &found, budget)?.ok_or_else(|| {
                let what = "new code has no such buffers".to_owned();
                Failure::Step(TransformError::NotApplicable { step: "pack or privatise".to_owned(), what })
            })),
            Ok(None) => Err(Reason::Internal { message: "steps without a result".into() }),
            Err(failure) => Ok(Err(failure)),
        }
    };
    let Some(shape) = shape else { return run(scop) };
    let numbering = Numbering::new(&scop.order);
    let found = expandable(&describe(scop, budget)?, &schedule_options.strategy, budget).map_err(library_error)?;
    let mut outcome = None;
    for (nests, _) in with_copies(&found, schedule_options) {
        let Some((mut expanded, _)) = expand(scop, &numbering, &nests, shape)? else { continue };
        expanded.arrays.iter_mut().for_each(|array| array.is_jammed = false);
        match run(&expanded)? {
            Ok(plan) => return Ok(Ok(plan.over(expanded))),
            failure => outcome = Some(failure),
        }
    }
    match outcome {
        Some(failure) => Ok(failure),
        None => run(scop),
    }
}

/// The nests whose scalars get copies and the numbers of copies, to be tried one after the other: those of nests that are jammed do not
/// depend on the shape of tiles.
fn with_copies<'e>(
    found: &'e [Expandable],
    schedule_options: &ScheduleOptions,
) -> Vec<(Vec<&'e Expandable>, [i64; 2])> {
    let size = |position| requested_size(&schedule_options.strategy.tiles, position);
    let shapes = match (size(0), size(1)) {
        // Where tiles of rows are not legal, one row after the other may be.
        (Some(outer), Some(inner)) if outer > 1 => vec![[outer, inner], [1, inner]],
        (Some(outer), Some(inner)) => vec![[outer, inner]],
        _ => schedule_options.strategy.strategy.shapes.clone(),
    };
    let all: Vec<&Expandable> = found.iter().collect();
    let (jammed, tiled): (Vec<&Expandable>, Vec<&Expandable>) = found.iter().partition(|nest| nest.jam.is_some());
    let with_tiles = shapes.iter().filter(|_| !tiled.is_empty()).map(|shape| (all.clone(), *shape));
    let with_jams = (!jammed.is_empty()).then(|| (jammed, shapes[0]));
    with_tiles.chain(with_jams).collect()
}

/// The original order, as new code if the user wants that.
fn unchanged(scop: &Scop, data: Data, schedule_options: &ScheduleOptions, budget: &Budget) -> Result<Plan> {
    let dependences = data.dependences(budget).map_err(library_error)?.merged;
    let (tree, applied, refusal) = if schedule_options.strategy.unprofitable {
        (Some(data.schedule.clone()), scop.order.iter().map(Transformation::unchanged).collect(), None)
    } else {
        (None, Vec::new(), Some(Reason::Unprofitable))
    };
    Ok(Plan {
        reloaded: None,
        expanded: None,
        places: Places::default(),
        buffers: String::new(),
        data,
        dependences,
        tree,
        log: Script::default(),
        needs: Vec::new(),
        copied_if: Vec::new(),
        applied,
        refusal,
        complaint: None,
    })
}

/// The schedule that the strategy finds; nothing if it fails the check.
fn attempt(
    scop: &Scop,
    data: Data,
    dependences: &Arc<Dependences>,
    copies: &[Copies],
    schedule_options: &strategy::SearchOptions,
    budget: &Budget,
) -> Result<Option<Plan>> {
    let find = |options: &strategy::SearchOptions| {
        strategy::plan(&data, dependences, copies, options, budget).map_err(failure)
    };
    let Some(found) = find(schedule_options)? else { return Ok(None) };
    if let Some(plan) = finished(scop, &data, dependences, &found, budget)? {
        return Ok(Some(plan));
    }
    // The model cannot say where what should be copied is.
    let without = strategy::SearchOptions { packing: false, ..schedule_options.clone() };
    let Some(found) = find(&without)? else { return Ok(None) };
    finished(scop, &data, dependences, &found, budget)?.ok_or_else(lost).map(Some)
}

/// An order with buffers where none were to be.
fn lost() -> Reason {
    Reason::Internal { message: "buffers that nobody asked for".into() }
}

impl Plan {
    /// The plan for a model that has copies of scalars.
    fn over(self, expanded: Scop) -> Plan {
        Plan { expanded: self.expanded.or(Some(expanded)), ..self }
    }
}

/// What emission needs of what the library found; nothing if there are buffers that the model cannot have.
fn finished(
    scop: &Scop,
    data: &Data,
    dependences: &Dependences,
    found: &strategy::Plan<'_>,
    budget: &Budget,
) -> Result<Option<Plan>> {
    let placement = found.draft.placement();
    let (expanded, places) = match placement.is_empty() {
        true => (None, Places::default()),
        false => match placed(scop, &found.draft, budget)? {
            Some((expanded, places)) => (Some(expanded), places),
            None => return Ok(None),
        },
    };
    let numbering = Numbering::new(&scop.order);
    let mut applied: Vec<Transformation> =
        found.applied.iter().map(|nest| Transformation::new(nest, &numbering)).collect();
    let of_region = |need: &Need| need_of_region(*need, &numbering);
    let mut needs: Vec<Need> = found.draft.needs().iter().filter_map(of_region).collect();
    let mut copied_if: Vec<Need> = Vec::new();
    for need in placement.buffers.iter().flat_map(|buffer| &buffer.copied_if).filter_map(of_region) {
        if !copied_if.contains(&need) {
            copied_if.push(need);
        }
    }
    if applied.is_empty() {
        (applied, needs) = old_order::gains(scop, data, dependences, &numbering, budget)?;
    }
    let refusal = if found.blocked { Reason::Dependences } else { Reason::Unprofitable };
    let refusal = applied.is_empty().then_some(refusal);
    let tree = match refusal {
        None => Some(with_free_loops(found.draft.tree(), data, dependences, budget).map_err(|e| failure(e.into()))?),
        Some(_) => None,
    };
    let log = Script { steps: found.draft.log().to_vec() };
    let (data, dependences) = (data.clone(), dependences.merged.clone());
    Ok(Some(Plan {
        reloaded: None,
        expanded,
        places,
        buffers: placement.to_string(),
        data,
        dependences,
        tree,
        log,
        needs,
        copied_if,
        applied,
        refusal,
        complaint: None,
    }))
}

fn failure(failure: Failure) -> Reason {
    match failure {
        Failure::Relation(error) => library_error(error),
        Failure::Step(error) => Reason::Internal { message: error.to_string() },
    }
}
