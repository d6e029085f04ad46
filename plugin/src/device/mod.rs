//! Nests on a device: which ones can be executed there as a whole, in which order, and what the host has to know for that.
//!
//! ```text
//! support   can a device do what the statements do, with the same bits?
//! mapping   which loops are shared by blocks and threads; what is left is for single threads
//! program   the code of the host, which launches kernels, and that of the kernels (the library's `device`)
//! sizes     which bytes of which arrays are copied, how many blocks there are, how much work that is
//! ```
//!
//! All instances are in kernels, so that data stay on the device from the first to the last; loops of the host around kernels (time steps) do
//! not touch them. Nothing here changes IR; `emit` builds what is planned here.

pub mod mapping;
pub mod obstacle;
pub mod sizes;
pub mod support;

use crate::host::Analyses;
use crate::model::scop::Scop;
use crate::options::{Gpu, GpuUse};
use obstacle::Obstacle;
use sizes::Sizes;
use tessera_polyhedral::ast::AstOptions;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::device::{DeviceError, Program};
use tessera_polyhedral::schedule::ScheduleTree;
use tessera_polyhedral::scop::Scop as Data;
use tessera_polyhedral::transform::Script;

/// A nest on a device.
#[derive(Clone, Debug)]
pub struct DevicePlan {
    /// What traces call the nest.
    pub name: String,
    /// The mapped order.
    pub tree: ScheduleTree,
    /// The steps that lead to it, but for the kernels of single threads.
    pub log: Script,
    /// The code of the host and of the kernels.
    pub program: Program,
    /// What the host computes before it asks for the device.
    pub sizes: Sizes,
    /// What the user asked for.
    pub gpu: Gpu,
    /// Whether a product and the sum after it are one operation on the host.
    pub fuses: bool,
}

/// Plans a nest of that name, described as `data`, for a device.
pub fn plan(
    host: &Analyses<'_>,
    (scop, name): (&Scop, String),
    data: &Data,
    gpu: Gpu,
    budget: &Budget,
) -> Result<DevicePlan, Obstacle> {
    support::check(host, scop)?;
    let (tree, log) = mapping::mapped(scop, data, gpu.when == GpuUse::Always, budget)?;
    let options = AstOptions { invariant_conditions_outside: true, ..AstOptions::default() };
    let program = Program::new(&tree, Some(&scop.context), &options, budget).map_err(complaint)?;
    let sizes = Sizes::new(scop, data, (&tree, &program), budget)?;
    Ok(DevicePlan { name, tree, log, program, sizes, gpu, fuses: support::host_fuses(host) })
}

fn complaint(error: DeviceError) -> Obstacle {
    match error {
        DeviceError::Relation(error) => error.into(),
        DeviceError::Ast(error) => error.into(),
        marks @ DeviceError::Marks { .. } => Obstacle::Mapping { what: marks.to_string() },
    }
}

impl DevicePlan {
    /// What is told to the user.
    pub fn summary(&self) -> String {
        let some = |number: usize, one: &str| match number {
            1 => format!("1 {one}"),
            number => format!("{number} {one}s"),
        };
        let kernels = some(self.program.kernels.len(), "kernel");
        let arrays = some(self.sizes.transfers.len(), "array");
        format!("{kernels} for a device ({}), {arrays} copied", self.gpu.architecture.name)
    }
}
