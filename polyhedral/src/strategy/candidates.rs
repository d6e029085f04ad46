//! Orders of the library's scheduler, compared with the order of the program by estimated time.
//!
//! The search of the other modules goes through the loops that the program has. Where dependences exclude every order of them that would
//! pay, the [scheduler](crate::scheduler) may still find one: it skews, shifts, fuses and distributes. Its trees are candidates, each with
//! every loop of its longest band innermost once, and the same in tiles. The one with the least [estimate](crate::cost) is taken if it is
//! better than the order of the program by the margin of the strategy, for the size that the model takes for unknown parameters and for
//! smaller ones down to the least from which on that holds: the guard asks for it.
//!
//! Example: of `for i: for j: A[j] = A[j - 1] + A[j] + A[j + 1]` every order of the two loops waits for itself; the scheduler gives
//! `[i, i + j]`, in tiles of which whole pieces of `A` stay in the cache.
//!
//! Invariants: the order of the program wins ties; what is returned has passed the check; the budget of all this is limited, and if
//! it does not do, there are no candidates.

use std::sync::Arc;

use crate::ast::{Ast, AstBuild, AstError, AstOptions, For};
use crate::budget::Budget;
use crate::cost::{DEFAULT_SIZE, Estimate, Model, Sizes};
use crate::error::Error;
use crate::schedule::Member;
use crate::scop::{Dependences, Scop};
use crate::space::DimKind;
use crate::target::Target;
use crate::transform::{Draft, Need, Site, Step, TransformError, Value, check};

use super::program::Program;
use super::{Failure, Plan, Rescheduled, SearchOptions, Tactic, Transformation, requested_size};

/// Sizes of all parameters for which estimates are compared, the largest first.
const SIZES: [i64; 7] = [DEFAULT_SIZE as i64, 700, 500, 350, 250, 175, 125];

/// The most elementary operations for all candidates of a SCoP: so many take a tenth of a second, and the scheduler needs more for some
/// programs of ten statements, without finding much.
const MOST: u64 = 1_000_000;

/// An order of the program whose chains take less than so many times the time of its operations, loads and stores is not compared with others.
const WAITING: f64 = 1.5;

/// The best order of the scheduler, if its estimate is better than that of the program's order by the strategy's margin. Cost: the
/// scheduler once per kind of fusion, and some estimates for each of its trees.
pub fn compared<'s>(
    scop: &'s Scop,
    dependences: &Arc<Dependences>,
    options: &SearchOptions,
    target: &Target,
    budget: &Budget,
) -> Result<Option<Plan<'s>>, Failure> {
    // Whoever has steps for this nest alone, if only none, wants no others.
    if !options.allow(Tactic::Schedule) || options.strategy.script(&scop.name).is_some() {
        return Ok(None);
    }
    let _phase = crate::phase!("candidates", budget);
    let part = (budget.remaining() / 4).min(MOST);
    match budget.share(part, |own| best(scop, dependences, options, target, own)).map_err(Error::from)? {
        Err(Failure::Relation(Error::Exhausted(_))) => Ok(None),
        found => found,
    }
}

fn best<'s>(
    scop: &'s Scop,
    dependences: &Arc<Dependences>,
    options: &SearchOptions,
    target: &Target,
    budget: &Budget,
) -> Result<Option<Plan<'s>>, Failure> {
    let Some(deepest) = deepest(scop) else { return Ok(None) };
    // Estimates at the largest size choose; smaller ones say from where on.
    let model = |size: i64| {
        let names = scop.context.space().param_names();
        let sizes = names.iter().fold(Sizes::default(), |sizes, name| sizes.with(name, size));
        Model::new(scop, dependences, target, &sizes, budget)
    };
    let largest = model(SIZES[0])?;
    let original = Draft::with_dependences(scop, dependences.clone()).with_live_ranges(false);
    let before = largest.estimate(original.tree(), budget)?;
    if !options.unprofitable && !waits(&before) {
        return Ok(None);
    }
    let mut candidates = Vec::new();
    // There is nothing to fuse with a single statement.
    let kinds = if scop.statements.len() == 1 { 1 } else { options.strategy.fusion.len() };
    for fusion in options.strategy.fusion.iter().take(kinds) {
        let step = Step::new("reschedule", None, [("fusion", Value::Name(fusion.clone()))]);
        let Some(draft) = taken(original.edit(&step, budget))? else { continue };
        if candidates.iter().any(|known: &Draft<'_>| known.tree() == draft.tree()) {
            continue;
        }
        candidates.extend(variants(&draft, deepest, options, budget)?);
    }
    let margin = options.strategy.margin as f64 / 100.0;
    let mut ranked = Vec::new();
    for draft in candidates {
        let total = largest.estimate(draft.tree(), budget)?.total;
        if options.unprofitable || total <= margin * before.total {
            ranked.push((draft, total));
        }
    }
    ranked.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let mut chosen = None;
    for (draft, _) in ranked {
        if options.unprofitable || !tests_inside(&draft, &scop.statements[deepest].name, budget)? {
            chosen = Some(draft);
            break;
        }
    }
    let Some(mut draft) = chosen else { return Ok(None) };
    if check(&draft, budget)?.is_some() {
        return Ok(None);
    }
    if !scop.context.space().param_names().is_empty() && !options.unprofitable {
        let mut from = SIZES[0];
        for size in &SIZES[1..] {
            let model = model(*size)?;
            let (new, old) =
                (model.estimate(draft.tree(), budget)?.total, model.estimate(original.tree(), budget)?.total);
            if new > margin * old {
                break;
            }
            from = *size;
        }
        let around = Program::of(scop).map(|program| program.around[deepest].clone()).unwrap_or_default();
        if let Some((counter, others)) = around.split_last() {
            // A single iteration of the only other loop has none beside it (one row of sums: 0.93 of the speed).
            let beside = if let [other] = others { Some(Need::at_least(*other, 2)) } else { None };
            for need in beside.into_iter().chain([Need::at_least(*counter, from.unsigned_abs())]) {
                draft = draft.edit(&need.step(), budget)?;
            }
        }
    }
    // Estimates ask the dependences themselves.
    draft = draft.with_true_flags(budget)?;
    let loops: Vec<usize> = (0..scop.schedule.bands().len()).collect();
    let (statements, order) = ((0..scop.statements.len()).collect(), loops.clone());
    let tiles = draft.log().iter().filter(|step| step.pass == "tile").find_map(|step| step.integers("sizes"));
    let (tiles, rescheduled) = (tiles.unwrap_or_default(), Some(Rescheduled { is_skewed: is_skewed(&draft) }));
    let nest = Transformation { loops, statements, order, tiles, rescheduled, ..Transformation::default() };
    Ok(Some(Plan { draft, applied: vec![nest], blocked: false }))
}

/// Whether the code of an order asks in iterations of an innermost loop with instances of a statement what to do: estimates do not know of
/// that. (A triangular solve over vectors of vectors, with a division in the middle of the innermost loop: 0.5 of the speed of the program's
/// order, estimated at 2x.)
fn tests_inside(draft: &Draft<'_>, statement: &str, budget: &Budget) -> Result<bool, Failure> {
    let build = AstBuild::new().with_options(AstOptions::for_new_order()).with_context(draft.scop().context.clone());
    match build.build(draft.tree(), budget) {
        Ok(unit) => Ok(innermost(&unit.body).iter().any(|node| {
            has(&node.body, &|part| matches!(part, Ast::User { stmt, .. } if **stmt == *statement))
                && has(&node.body, &|part| matches!(part, Ast::If { cond, .. } if cond.involves(node.iter)))
        })),
        Err(AstError::Relation(error)) => Err(error.into()),
        // What has no code is no better.
        Err(_) => Ok(true),
    }
}

/// The loops of some code that have no other loop inside them.
fn innermost(ast: &Ast) -> Vec<&For> {
    match ast {
        Ast::For(node) if !has(&node.body, &|part| matches!(part, Ast::For(_))) => vec![node],
        _ => ast.children().flat_map(innermost).collect(),
    }
}

/// Whether a node, or one below it, is of some kind.
fn has(ast: &Ast, is_it: &impl Fn(&Ast) -> bool) -> bool {
    is_it(ast) || ast.children().any(|part| has(part, is_it))
}

/// Whether some loop of an order runs along several loops of the program at once.
fn is_skewed(draft: &Draft<'_>) -> bool {
    draft.tree().bands().iter().flat_map(|(_, band)| band.members()).any(Member::is_skewed)
}

/// Whether an order spends most of its time waiting for chains of operations. (For data, estimates are not sure enough: a transposition of
/// 3000 rows in tiles was estimated at less than half, and ran at 0.76x.)
fn waits(estimate: &Estimate) -> bool {
    let part = |name: &str| estimate.part(name).unwrap_or(0.0);
    part("chain") >= WAITING * part("compute").max(part("L1"))
}

/// The first of the statements with the most dimensions, if it has several.
fn deepest(scop: &Scop) -> Option<usize> {
    let depth = |s: &usize| scop.statements[*s].domain.space().dim(DimKind::Out);
    (0..scop.statements.len()).rev().max_by_key(depth).filter(|s| depth(s) > 1)
}

/// A tree of the scheduler, and the same with another innermost loop and in tiles: of the last band around a statement that has several
/// members.
fn variants<'s>(
    draft: &Draft<'s>,
    statement: usize,
    options: &SearchOptions,
    budget: &Budget,
) -> Result<Vec<Draft<'s>>, Failure> {
    let name = &draft.scop().statements[statement].name;
    let members = draft.members_of(name);
    let mut found = vec![draft.clone()];
    let Some((band, n)) = members.iter().copied().enumerate().rfind(|(_, n)| *n > 1) else { return Ok(found) };
    // Who wants everything, and names sizes, wants tiles.
    let is_forced = options.unprofitable && !options.tiles.is_empty();
    let tiled: &[bool] = match (options.allow(Tactic::Tile), is_forced) {
        (true, true) => &[true],
        (true, false) => &[false, true],
        (false, _) => &[false],
    };
    if tiled == [true] {
        found.clear();
    }
    for &is_tiled in tiled {
        for inner in 0..n {
            let number = |number: usize| Value::Integer(i64::try_from(number).unwrap_or(i64::MAX));
            let mut steps = Vec::new();
            if inner + 1 < n {
                let order = (0..n).filter(|member| *member != inner).chain([inner]);
                steps.push(("interchange", band, "order", Value::List(order.map(number).collect())));
            }
            if is_tiled {
                let shapes = &options.strategy.schedule_tiles;
                let shape = &shapes[(n - 2).min(shapes.len() - 1)];
                let default = |member: usize| shape[member.min(shape.len() - 1)];
                let sizes = (0..n).map(|member| requested_size(&options.tiles, member).unwrap_or(default(member)));
                steps.push(("tile", band, "sizes", Value::list(sizes)));
            }
            steps.push(("split", band + usize::from(is_tiled), "at", number(n - 1)));
            let mut variant = Some(draft.clone());
            for (pass, band, argument, value) in steps {
                let site = Site { statement: name.clone(), band, copy: 0 };
                let Some(before) = variant else { break };
                variant = taken(before.edit(&Step::new(pass, site, [(argument, value)]), budget))?;
            }
            found.extend(variant);
        }
    }
    Ok(found)
}

/// A draft, or nothing where the step does not apply.
fn taken(outcome: Result<Draft<'_>, TransformError>) -> Result<Option<Draft<'_>>, Failure> {
    match outcome {
        Ok(draft) => Ok(Some(draft)),
        Err(TransformError::NotApplicable { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
