//! Nests on a device: which ones can be executed there as a whole, in which order, and what the host has to know for that.
//!
//! ```text
//! support   can a device do what the statements do, with the same bits?
//! mapping   which loops are shared by blocks and threads; what is left is for single threads
//! register_tile   how many points of these loops a thread takes
//! expansion   scalars with a place per iteration, between kernels
//! partial   reductions in parts that run side by side
//! results   places for values that are used behind the nest
//! program   the code of the host, which launches kernels, and that of the kernels (the library's `device`)
//! sizes     which bytes of which arrays are copied, how many blocks there are, how much work that is
//! ```
//!
//! All instances are in kernels, so that data stay on the device from the first to the last; loops of the host around kernels (time steps) do
//! not touch them. Nothing here changes IR; `emit` builds what is planned here.

mod expansion;
pub mod mapping;
pub mod obstacle;
mod partial;
mod register_tile;
mod results;
pub mod sizes;
pub mod support;

use crate::host::Analyses;
use crate::model::data::describe;
use crate::model::limits;
use crate::model::scop::Scop;
use crate::options::{Gpu, GpuUse};
use mapping::{Choices, Mapped};
use obstacle::Obstacle;
use results::DeviceResult;
use sizes::Sizes;
use tessera_polyhedral::ast::AstOptions;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::device::{DeviceError, Kernel, Program};
use tessera_polyhedral::scop::Scop as Data;
use tessera_polyhedral::space::Name;

/// A nest on a device.
#[derive(Clone, Debug)]
pub struct DevicePlan {
    /// What traces call the nest.
    pub name: String,
    /// The model that kernels are made from: without copies of scalars.
    pub scop: Scop,
    /// The mapped order.
    pub mapped: Mapped,
    /// The code of the host and of the kernels.
    pub program: Program,
    /// The values that are used behind the nest.
    pub results: Vec<DeviceResult>,
    /// How many reductions are computed in parts.
    pub partial: usize,
    /// What the host computes before it asks for the device.
    pub sizes: Sizes,
    /// What the user asked for.
    pub gpu: Gpu,
    /// Rows of at least so many bytes are copied without what lies between them.
    pub rows: u64,
    /// Whether a product and the sum after it are one operation on the host.
    pub fuses: bool,
}

/// What the user asked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Whether code for a device is made, and for which ones.
    pub gpu: Gpu,
    /// Whether loops over time may be tiled.
    pub time_tiling: bool,
    /// The threads that add up the parts of a reduction.
    pub parts: u64,
    /// Rows of at least so many bytes are copied without what lies between them.
    pub rows: u64,
}

/// Plans a nest of that name, described as `data`, for a device.
pub fn plan(
    host: &Analyses<'_>,
    (scop, name): (&Scop, String),
    data: &Data,
    asked: Asked,
    budget: &Budget,
) -> Result<DevicePlan, Obstacle> {
    let Asked { gpu, time_tiling, parts, rows } = asked;
    support::check(host, scop)?;
    let placed = results::with_places(scop)?;
    let (scop, results) = match &placed {
        Some((placed, results)) => (placed, results.clone()),
        None => (scop, Vec::new()),
    };
    let described = placed.as_ref().map(|(placed, _)| describe(placed, budget)).transpose()?;
    let data = described.as_ref().unwrap_or(data);
    let scop = &within_limits(scop, budget)?;
    support::fits(scop)?;
    let choices = Choices { may_be_slow: gpu.when == GpuUse::Always, time_tiling };
    let plan_of = |of: &Scop, of_data: &Data, (choices, partial): (Choices, usize), budget: &Budget| {
        let (mapped, program) = kernels(of, of_data, choices, budget)?;
        let sizes = Sizes::new(host, (of, of_data), (scop, data), (&mapped.tree, &program), budget)?;
        let (name, scop, results, fuses) = (name.clone(), of.clone(), results.clone(), support::host_fuses(host));
        let plan = DevicePlan { name, scop, mapped, program, results, partial, sizes, gpu, rows, fuses };
        plan.scalars()?;
        Ok(plan)
    };
    let whole = plan_of(scop, data, (choices, 0), budget);
    let is_good = match &whole {
        Ok(plan) => !plan.mapped.is_slow,
        Err(obstacle) => *obstacle == Obstacle::Budget,
    };
    if !is_good {
        let expanded = budget.share(budget.remaining() / 4 * 3, |own| {
            let Some(new) = expansion::expanded(scop, data, own)? else { return Ok(None) };
            support::fits(&new)?;
            let fast = Choices { may_be_slow: false, ..choices };
            plan_of(&new, &describe(&new, own)?, (fast, 0), own).map(Some)
        });
        if let Ok(Ok(Some(plan))) = expanded {
            return Ok(plan);
        }
    }
    // What single threads would do.
    let alone: Vec<String> = match &whole {
        Ok(plan) => plan.mapped.alone.clone(),
        Err(Obstacle::Budget) => Vec::new(),
        Err(_) => scop.statements.iter().map(|statement| statement.name.clone()).collect(),
    };
    let in_parts = budget.share(budget.remaining() / 4 * 3, |own| {
        let Some((new, partial)) = partial::with_partial_results(scop, &alone, parts, own)? else { return Ok(None) };
        support::fits(&new)?;
        plan_of(&new, &describe(&new, own)?, (choices, partial), own).map(Some)
    });
    match in_parts {
        Ok(Ok(Some(plan))) if !(is_good && plan.mapped.is_slow) => Ok(plan),
        _ => whole,
    }
}

/// The order and the code of kernels. Loops over time are not tiled where proofs about tiles and their code cost most of the budget.
fn kernels(scop: &Scop, data: &Data, choices: Choices, budget: &Budget) -> Result<(Mapped, Program), Obstacle> {
    let with = |choices: Choices, budget: &Budget| {
        let mapped = mapping::mapped(scop, data, choices, budget)?;
        let options = AstOptions::for_new_order();
        let program = Program::new(&mapped.tree, Some(&scop.context), &options, budget).map_err(complaint)?;
        Ok((mapped, program))
    };
    if choices.time_tiling
        && let Ok(Ok(found)) = budget.share(budget.remaining() / 8 * 7, |own| with(choices, own))
    {
        return Ok(found);
    }
    with(Choices { time_tiling: false, ..choices }, budget)
}

/// The model for parameters that pass the guard: what bounds numbers beyond (`i < 2^63 / 5`, so that a counter does not wrap around) is left
/// out of the code.
fn within_limits(scop: &Scop, budget: &Budget) -> Result<Scop, Obstacle> {
    let limits = limits(scop.params.len(), scop.context.space());
    Ok(Scop { context: scop.context.intersect(&limits?, budget)?, ..scop.clone() })
}

fn complaint(error: DeviceError) -> Obstacle {
    match error {
        DeviceError::Relation(error) => error.into(),
        DeviceError::Ast(error) => error.into(),
        marks @ DeviceError::Marks { .. } => Obstacle::Mapping { what: marks.to_string() },
    }
}

impl DevicePlan {
    /// Of each kernel: whether its threads have their own of each array of the model, by index.
    pub fn scalars(&self) -> Result<Vec<Vec<bool>>, Obstacle> {
        let of_kernel = |kernel: &Kernel| {
            let names = kernel.order.tree.domain().map(|domain| domain.iter().map(|(name, _)| name.clone()).collect());
            let names: Vec<Name> = names.unwrap_or_default();
            let own = self.scop.statements.iter().filter(|s| names.iter().any(|name| **name == *s.name));
            let mut private = vec![None; self.scop.arrays.len()];
            for statement in own {
                for (number, access) in statement.accesses.iter().enumerate() {
                    let is_own = self.mapped.private.iter().any(|(name, n)| (name, *n) == (&statement.name, number));
                    if private[access.array].replace(is_own).is_some_and(|before| before != is_own) {
                        return Err(Obstacle::Scalar);
                    }
                }
            }
            Ok(private.into_iter().map(|is_own| is_own.unwrap_or(false)).collect())
        };
        self.program.kernels.iter().map(of_kernel).collect()
    }

    /// What is told to the user.
    pub fn summary(&self) -> String {
        let some = |number: usize, one: &str| match number {
            1 => format!("1 {one}"),
            number => format!("{number} {one}s"),
        };
        let kernels = some(self.program.kernels.len(), "kernel");
        let copied = || self.sizes.transfers.iter().filter(|transfer| !transfer.is_of_device());
        let arrays = some(copied().count(), "array");
        let back = match copied().filter(|transfer| !transfer.is_copied_in()).count() {
            0 => String::new(),
            number => format!(", {number} of them only back"),
        };
        let tiles = self.mapped.sweeps.map_or_else(String::new, |sweeps| format!(" in tiles of {sweeps} sweeps"));
        let parts = match self.partial {
            0 => String::new(),
            partial => format!(", {} in parts", some(partial, "reduction")),
        };
        format!("{kernels} for a device ({}){tiles}{parts}, {arrays} copied{back}", self.gpu.architecture.name)
    }
}
