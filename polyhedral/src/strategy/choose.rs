//! Choices of a strategy (`either ... or ...`), and what it finds on a machine.
//!
//! Every choice is searched with, and the one with the least [estimate](crate::cost) for the machine is taken; the first one in the text
//! wins ties. Unknown parameters have the size that the model takes for them.
//!
//! Example: with `either { permute() tile() } or { descend() jam() }` a product of matrices is tiled, and the recurrence
//! `for i: for j: A[i][j] += A[i][j - 1]` is jammed.

use std::sync::Arc;

use crate::budget::Budget;
use crate::cost::{Model, Sizes};
use crate::scop::{Dependences, Scop};
use crate::target::Target;

use super::{Failure, Plan, SearchOptions, compared, plan};

/// What the strategy finds for a SCoP without copies of scalars: [`plan`], and where that finds nothing to do, and the machine is known, one of
/// the orders that are [`compared`]. Of several [choices](super::Strategy::choices) the one with the least estimate. Cost: that of both for
/// each choice, and an estimate.
pub fn plan_on<'s>(
    scop: &'s Scop,
    dependences: &Arc<Dependences>,
    options: &SearchOptions,
    target: Option<&Target>,
    budget: &Budget,
) -> Result<Option<Plan<'s>>, Failure> {
    let Some(target) = target else { return plan(scop, dependences, &[], options, budget) };
    Ok(best(scop, dependences, options, target, budget)?.and_then(|(_, found)| found))
}

/// The options with the choice of their strategy that is best for a SCoP: as [`plan_on`] finds it, whatever copies of scalars would change. Costs nothing
/// where there is no choice.
pub fn choose(
    scop: &Scop,
    dependences: &Arc<Dependences>,
    options: &SearchOptions,
    target: &Target,
    budget: &Budget,
) -> Result<SearchOptions, Failure> {
    if !options.strategy.has_choices() {
        return Ok(options.clone());
    }
    if let Some((chosen, _)) = best(scop, dependences, options, target, budget)? {
        return Ok(chosen);
    }
    let first = options.strategy.choices().next().map_or_else(|| options.strategy.clone(), Arc::new);
    Ok(SearchOptions { strategy: first, ..options.clone() })
}

/// The choice with the least estimate, and what it finds; nothing if no choice has a plan.
fn best<'s>(
    scop: &'s Scop,
    dependences: &Arc<Dependences>,
    options: &SearchOptions,
    target: &Target,
    budget: &Budget,
) -> Result<Option<(SearchOptions, Option<Plan<'s>>)>, Failure> {
    let search = |options: &SearchOptions| {
        let found = plan(scop, dependences, &[], options, budget)?;
        if found.as_ref().is_some_and(|found| found.applied.is_empty()) {
            return Ok::<_, Failure>(compared(scop, dependences, options, target, budget)?.or(found));
        }
        Ok(found)
    };
    if !options.strategy.has_choices() {
        return Ok(Some((options.clone(), search(options)?)));
    }
    let model = Model::new(scop, dependences, target, &Sizes::default(), budget)?;
    let mut least: Option<(f64, (SearchOptions, Option<Plan<'s>>))> = None;
    for choice in options.strategy.choices() {
        let options = SearchOptions { strategy: Arc::new(choice), ..options.clone() };
        let Some(found) = search(&options)? else { continue };
        let draft = found.draft.clone().with_true_flags(budget)?;
        let total = model.estimate(draft.tree(), budget)?.total;
        if least.as_ref().is_none_or(|(known, _)| total < *known) {
            least = Some((total, (options, Some(found))));
        }
    }
    Ok(least.map(|(_, best)| best))
}
