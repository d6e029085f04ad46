//! Nests on a device: which ones can be executed there as a whole, in which order, and what the host has to know for that.
//!
//! ```text
//! support   can a device do what the statements do, with the same bits?
//! mapping   which loops are shared by blocks and threads; what is left is for single threads
//! register_tile   how many points of these loops a thread takes
//! program   the code of the host, which launches kernels, and that of the kernels (the library's `device`)
//! sizes     which bytes of which arrays are copied, how many blocks there are, how much work that is
//! ```
//!
//! All instances are in kernels, so that data stay on the device from the first to the last; loops of the host around kernels (time steps) do
//! not touch them. Nothing here changes IR; `emit` builds what is planned here.

pub mod mapping;
pub mod obstacle;
mod register_tile;
pub mod sizes;
pub mod support;

use crate::host::Analyses;
use crate::model::limits;
use crate::model::scop::Scop;
use crate::options::{Gpu, GpuUse};
use mapping::{Choices, Mapped};
use obstacle::Obstacle;
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
    /// What the host computes before it asks for the device.
    pub sizes: Sizes,
    /// What the user asked for.
    pub gpu: Gpu,
    /// Whether a product and the sum after it are one operation on the host.
    pub fuses: bool,
}

/// Plans a nest of that name, described as `data`, for a device. Loops over time may be tiled, or may not: they are not where proofs about tiles and
/// their code cost most of the budget.
pub fn plan(
    host: &Analyses<'_>,
    (scop, name): (&Scop, String),
    data: &Data,
    (gpu, time_tiling): (Gpu, bool),
    budget: &Budget,
) -> Result<DevicePlan, Obstacle> {
    support::check(host, scop)?;
    let scop = &within_limits(scop, budget)?;
    let with = |time_tiling: bool, budget: &Budget| {
        let choices = Choices { may_be_slow: gpu.when == GpuUse::Always, time_tiling };
        let mapped = mapping::mapped(scop, data, choices, budget)?;
        let program =
            Program::new(&mapped.tree, Some(&scop.context), &AstOptions::for_new_order(), budget).map_err(complaint)?;
        let sizes = Sizes::new(scop, data, (&mapped.tree, &program), budget)?;
        let (scop, fuses) = (scop.clone(), support::host_fuses(host));
        let plan = DevicePlan { name: name.clone(), scop, mapped, program, sizes, gpu, fuses };
        plan.scalars()?;
        Ok(plan)
    };
    if time_tiling && let Ok(Ok(plan)) = budget.share(budget.remaining() / 8 * 7, |own| with(true, own)) {
        return Ok(plan);
    }
    with(false, budget)
}

/// The model for parameters that pass the guard: what bounds numbers beyond (`i < 2^63 / 5`, so that a counter does not wrap around) is left
/// out of the code.
fn within_limits(scop: &Scop, budget: &Budget) -> Result<Scop, Obstacle> {
    let limits = limits(scop.params.len(), scop.context.space());
    let limits = limits.map_err(|reason| Obstacle::Mapping { what: reason.to_string() })?;
    Ok(Scop { context: scop.context.intersect(&limits, budget)?, ..scop.clone() })
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
        let copied = self.sizes.transfers.iter().filter(|transfer| !transfer.is_scalar());
        let arrays = some(copied.count(), "array");
        let tiles = self.mapped.sweeps.map_or_else(String::new, |sweeps| format!(" in tiles of {sweeps} sweeps"));
        format!("{kernels} for a device ({}){tiles}, {arrays} copied", self.gpu.architecture.name)
    }
}
