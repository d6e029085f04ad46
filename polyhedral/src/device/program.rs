//! [`Program`]: the code of the host and of its kernels.

use std::collections::BTreeSet;

use crate::ast::{AstBuild, AstOptions, AstUnit, IterId};
use crate::budget::Budget;
use crate::relation::Set;
use crate::schedule::{Launch, Node, ScheduleTree};
use crate::space::Name;

use super::DeviceError;
use super::site::{Site, sites};
use super::split::{self, Names, free};
use super::uniform;

/// What one thread of a kernel does, and in which order.
#[derive(Clone, Debug)]
pub struct ThreadOrder {
    /// The statement of the host's code that launches the kernel: its arguments are the values of [`ThreadOrder::host`].
    pub name: Name,
    /// Where the kernel is in the mapped tree.
    pub site: Site,
    /// The parameters that are the values of the host's loops.
    pub host: Vec<Name>,
    /// The parameters that are the block.
    pub blocks: Vec<Name>,
    /// The parameters that are the thread in its block.
    pub threads: Vec<Name>,
    /// The statements that are barriers.
    pub barriers: Vec<Name>,
    /// The order of one thread, with the parameters above.
    pub tree: ScheduleTree,
    /// What is known about the parameters.
    pub context: Set,
}

/// A kernel with its code.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// What one thread does.
    pub order: ThreadOrder,
    /// The code of one thread.
    pub unit: AstUnit,
}

/// The code of a mapped tree.
#[derive(Clone, Debug)]
pub struct Program {
    /// The order of the host, with launches as statements.
    pub tree: ScheduleTree,
    /// The code of the host.
    pub host: AstUnit,
    /// The kernels, in the order of the tree.
    pub kernels: Vec<Kernel>,
}

impl ThreadOrder {
    /// The size of the launches.
    pub fn launch(&self) -> &Launch {
        &self.site.launch
    }

    /// The orders of threads of all kernels of a tree, in the order of the tree. `context` is what is known about its parameters.
    pub fn all(tree: &ScheduleTree, context: Option<&Set>, budget: &Budget) -> Result<Vec<ThreadOrder>, DeviceError> {
        let mut taken = names(tree, context);
        let sites = sites(tree)?;
        let mut kernels = Vec::new();
        for _ in &sites {
            let name = free("kernel", &taken);
            taken.push(name.clone());
            kernels.push(name);
        }
        let orders = sites.into_iter().zip(kernels);
        orders.map(|(site, name)| ThreadOrder::new(tree, site, name, context, &taken, budget)).collect()
    }

    fn new(
        tree: &ScheduleTree,
        site: Site,
        name: Name,
        context: Option<&Set>,
        taken: &[Name],
        budget: &Budget,
    ) -> Result<ThreadOrder, DeviceError> {
        let depth = tree.cursor_at(&site.path).map_or(0, |mark| mark.schedule_depth());
        let mut taken = taken.to_vec();
        let mut some = |start: &str, n: usize| -> Vec<Name> {
            let mut names = Vec::new();
            for _ in 0..n {
                let name = free(start, &taken);
                taken.push(name.clone());
                names.push(name);
            }
            names
        };
        let (host, blocks) = (some("h", depth), some("b", site.launch.grid.len()));
        let names = Names { host, blocks, threads: some("t", site.launch.block.len()) };
        let made = split::kernel_tree(tree, &site, &names, context, budget)?;
        let Names { host, blocks, threads } = names;
        let split::KernelTree { tree, context, barriers } = made;
        Ok(ThreadOrder { name, site, host, blocks, threads, barriers, tree, context })
    }
}

impl Kernel {
    /// A barrier that not all threads of a block reach, or not with the same values: one below a loop or a condition that depends on
    /// the thread. Nothing for kernels of [`Program::new`]. Linear in the code.
    pub fn divergent_barrier(&self) -> Option<Name> {
        uniform::divergent(&self.unit, &self.order.barriers, &self.order.threads)
    }

    /// The loops that all threads of a block reach together, with the same iterations: a barrier may stand in them. Linear in the code.
    pub fn uniform_loops(&self) -> BTreeSet<IterId> {
        uniform::uniform_loops(&self.unit, &self.order.threads)
    }
}

impl Program {
    /// The code of a tree with marks of kernels. `context` is what is known about its parameters. The cost is that of code for the tree,
    /// and of some set operations per kernel.
    pub fn new(
        tree: &ScheduleTree,
        context: Option<&Set>,
        options: &AstOptions,
        budget: &Budget,
    ) -> Result<Program, DeviceError> {
        let _phase = crate::phase!("device", budget);
        let orders = ThreadOrder::all(tree, context, budget)?;
        let tree = split::host_tree(tree, &orders, budget)?;
        let build = AstBuild::new().with_options(options.clone());
        let mut kernels = Vec::new();
        for order in orders {
            let unit = build.clone().with_context(order.context.clone()).build(&order.tree, budget)?;
            kernels.push(Kernel { order, unit });
        }
        let build = if let Some(context) = context { build.with_context(context.clone()) } else { build };
        Ok(Program { host: build.build(&tree, budget)?, tree, kernels })
    }
}

/// The names of statements and parameters of a tree.
fn names(tree: &ScheduleTree, context: Option<&Set>) -> Vec<Name> {
    let mut all = Vec::new();
    if let Some(domain) = tree.domain() {
        for (name, set) in domain.iter() {
            all.push(name.clone());
            all.extend(set.space().param_names().iter().cloned());
        }
    }
    if let Some(context) = context {
        all.extend(context.space().param_names().iter().cloned());
    }
    for (_, node) in tree.nodes() {
        match node {
            Node::Context(set, _) | Node::Guard(set, _) => all.extend(set.space().param_names().iter().cloned()),
            Node::Filter(instances, _) => {
                instances.iter().for_each(|(_, set)| all.extend(set.space().param_names().iter().cloned()));
            }
            Node::Extension(map, _) => {
                all.extend(map.params_space().param_names().iter().cloned());
                all.extend(map.members().filter_map(|map| map.space().range_tuple().name().cloned()));
            }
            Node::Band(band, _) => {
                for (_, function) in band.members().iter().flat_map(|member| member.exprs()) {
                    all.extend(function.space().param_names().iter().cloned());
                }
            }
            _ => {}
        }
    }
    all
}
