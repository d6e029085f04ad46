//! A launch: its geometry, its arguments, what is checked, and frames for its functions.

use std::collections::HashSet;

use crate::code::{SlotKind, Special};
use crate::device::Limits;
use crate::fault::{Fault, FaultKind};
use crate::module::Module;
use crate::syntax::Space;

/// What is looked for while a kernel runs. Bounds and alignment are always checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Two threads that access a byte, one of them to write it, with nothing that orders them; and writes to bytes that
    /// are read with `.nc`.
    pub races: bool,
    /// Barriers that not all threads of a warp execute.
    pub barriers: bool,
    /// Barriers of the whole block after some thread has exited. PTX lets such threads out of account since version
    /// 6.0; CUDA C++ forbids it.
    pub exits: bool,
    /// Use of values that are not defined: of registers, shared and local memory that nothing was written to, and of
    /// results of divisions of integers by zero.
    pub undefined: bool,
}

impl Checks {
    /// Everything.
    pub const ALL: Checks = Checks { races: true, barriers: true, exits: true, undefined: true };
    /// Nothing but bounds and alignment: five to ten times as fast.
    pub const NONE: Checks = Checks { races: false, barriers: false, exits: false, undefined: false };
}

/// How a kernel is launched.
///
/// ```
/// use tessera_ptx::{Checks, Configuration};
/// let mut configuration = Configuration::new([4, 1, 1], [32, 1, 1]);
/// configuration.argument(0x1_0000_0000u64.to_le_bytes());
/// configuration.argument(7u32.to_le_bytes());
/// configuration.checks = Checks::NONE;
/// ```
#[derive(Clone, Debug)]
pub struct Configuration {
    /// Blocks in the grid.
    pub grid: [u32; 3],
    /// Threads in a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// The bytes of every parameter, in order.
    pub arguments: Vec<Vec<u8>>,
    /// What is checked.
    pub checks: Checks,
    /// The most instructions that all threads together may execute.
    pub steps: u64,
}

impl Configuration {
    /// A launch without arguments, with all checks.
    pub fn new(grid: [u32; 3], block: [u32; 3]) -> Configuration {
        Configuration { grid, block, shared_bytes: 0, arguments: Vec::new(), checks: Checks::ALL, steps: 1 << 34 }
    }

    /// Adds the bytes of the next argument.
    pub fn argument(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.arguments.push(bytes.as_ref().to_vec());
        self
    }
}

/// What a launch did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Blocks.
    pub blocks: u64,
    /// Threads.
    pub threads: u64,
    /// Instructions that threads executed, all threads together; those that a predicate switched off count too.
    pub instructions: u64,
    /// Barriers of whole blocks or of some of their warps that were passed.
    pub barriers: u64,
}

/// The frame of a function before its first instruction.
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) values: Vec<u64>,
    pub(crate) specials: Vec<(u32, Special)>,
    pub(crate) undefined: Vec<u32>,
}

/// What does not change during a launch.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    pub(crate) module: &'a Module,
    pub(crate) kernel: usize,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) checks: Checks,
    pub(crate) limits: &'a Limits,
    /// By function; `None` for those that the kernel does not reach.
    pub(crate) templates: Vec<Option<Template>>,
    pub(crate) params: Vec<u8>,
    pub(crate) shared_bytes: usize,
    /// Beginnings and ends of the variables in shared memory, in order.
    pub(crate) shared_regions: Vec<(u64, u64)>,
}

/// Bytes between two variables in shared memory, with checks: so that a tile cannot be left into the next.
const SHARED_GAP: u64 = 64;

impl<'a> Launch<'a> {
    /// Checks the configuration and prepares frames; `addresses` are those of the module's variables.
    pub(crate) fn prepare(
        module: &'a Module,
        addresses: &[u64],
        kernel: &str,
        configuration: &Configuration,
        limits: &'a Limits,
    ) -> Result<Launch<'a>, Fault> {
        let fault = |kind| Fault { kernel: kernel.to_owned(), line: None, block: None, thread: None, kind };
        let Some(index) = module.functions.iter().position(|f| f.is_kernel && f.name == kernel) else {
            return Err(fault(FaultKind::NoKernel));
        };
        let function = &module.functions[index];
        let threads = geometry(configuration, limits).map_err(|what| fault(FaultKind::Geometry(what)))?;
        if let Some(most) = function.max_threads
            && threads > most
        {
            let what = format!("a block of {threads} threads, where `.maxntid` allows {most}");
            return Err(fault(FaultKind::Geometry(what)));
        }
        if let Some(required) = function.required_threads
            && required != configuration.block
        {
            return Err(fault(FaultKind::Geometry(format!("a block that is not as `.reqntid` says: {required:?}"))));
        }
        if configuration.arguments.len() != function.parameters.len() {
            let (given, wanted) = (configuration.arguments.len(), function.parameters.len());
            return Err(fault(FaultKind::Arguments(format!("{given} arguments for {wanted} parameters"))));
        }
        let mut params = Vec::new();
        for (i, (argument, parameter)) in configuration.arguments.iter().zip(&function.parameters).enumerate() {
            if argument.len() != parameter.bytes as usize {
                let (given, wanted) = (argument.len(), parameter.bytes);
                let what = format!("argument {i} has {given} bytes, its parameter {wanted}");
                return Err(fault(FaultKind::Arguments(what)));
            }
            params.resize(parameter.offset as usize, 0);
            params.extend_from_slice(argument);
        }
        let reachable = reachable(module, index);
        for &callee in &reachable {
            let bytes = u64::from(module.functions[callee].local_bytes);
            if bytes > limits.local_bytes {
                return Err(fault(FaultKind::LocalMemory { bytes, limit: limits.local_bytes }));
            }
        }
        let shared = Shared::layout(module, &reachable, configuration);
        if shared.counted > limits.shared_bytes {
            return Err(fault(FaultKind::SharedMemory { bytes: shared.counted, limit: limits.shared_bytes }));
        }
        let mut launch = Launch {
            module,
            kernel: index,
            grid: configuration.grid,
            block: configuration.block,
            checks: configuration.checks,
            limits,
            templates: Vec::new(),
            params,
            shared_bytes: shared.end as usize,
            shared_regions: shared.regions,
        };
        for (i, function) in module.functions.iter().enumerate() {
            let template = reachable.contains(&i).then(|| template(&function.slots, addresses, &shared.offsets));
            launch.templates.push(template);
        }
        Ok(launch)
    }

    /// Whether anything is checked but bounds and alignment.
    pub(crate) fn has_checks(&self) -> bool {
        self.checks != Checks::NONE
    }

    pub(crate) fn tracks_undefined(&self) -> bool {
        self.checks.undefined
    }

    /// The number of threads of a block.
    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// `%tid` of thread number `index`.
    pub(crate) fn tid(&self, index: u32) -> [u32; 3] {
        let [x, y, _] = self.block;
        [index % x, index / x % y, index / x / y]
    }

    /// The value of a special register.
    pub(crate) fn special(&self, special: Special, block: [u32; 3], index: u32) -> u64 {
        let lane = index % 32;
        let below = (1u64 << lane) - 1;
        match special {
            Special::Tid(axis) => u64::from(self.tid(index)[axis]),
            Special::Ntid(axis) => u64::from(self.block[axis]),
            Special::Ctaid(axis) => u64::from(block[axis]),
            Special::Nctaid(axis) => u64::from(self.grid[axis]),
            Special::Laneid => u64::from(lane),
            Special::Warpid => u64::from(index / 32),
            Special::Nwarpid => u64::from(self.threads().div_ceil(32)),
            Special::LanemaskEq => 1 << lane,
            Special::LanemaskLt => below,
            Special::LanemaskLe => below | 1 << lane,
            Special::LanemaskGt => 0xffff_ffff & !(below | 1 << lane),
            Special::LanemaskGe => 0xffff_ffff & !below,
        }
    }
}

/// The number of threads of a block, where grid and block are within the limits.
fn geometry(configuration: &Configuration, limits: &Limits) -> Result<u64, String> {
    for axis in 0..3 {
        let (grid, block) = (configuration.grid[axis], configuration.block[axis]);
        if grid == 0 || block == 0 {
            return Err("the grid or the block is empty".to_owned());
        }
        if grid > limits.grid[axis] {
            return Err(format!("a grid of {grid} blocks along axis {axis}, where {} are possible", limits.grid[axis]));
        }
        if block > limits.block[axis] {
            return Err(format!(
                "a block of {block} threads along axis {axis}, where {} are possible",
                limits.block[axis]
            ));
        }
    }
    let threads: u64 = configuration.block.iter().map(|&n| u64::from(n)).product();
    let most = limits.threads_per_block.min(1 << 15);
    if threads > u64::from(most) {
        return Err(format!("a block of {threads} threads, where {most} are possible"));
    }
    Ok(threads)
}

/// The kernel and what it calls.
fn reachable(module: &Module, kernel: usize) -> HashSet<usize> {
    let mut found = HashSet::from([kernel]);
    let mut open = vec![kernel];
    while let Some(next) = open.pop() {
        for &callee in module.functions.get(next).map_or(&[][..], |f| &f.callees) {
            if found.insert(callee) {
                open.push(callee);
            }
        }
    }
    found
}

/// Where the variables in shared memory are.
struct Shared {
    /// By variable of the module.
    offsets: Vec<u64>,
    regions: Vec<(u64, u64)>,
    end: u64,
    /// What counts against the limit: without gaps.
    counted: u64,
}

impl Shared {
    fn layout(module: &Module, reachable: &HashSet<usize>, configuration: &Configuration) -> Shared {
        let used: HashSet<usize> = reachable.iter().flat_map(|&f| module.functions[f].shared.iter().copied()).collect();
        let gap = if configuration.checks == Checks::NONE { 0 } else { SHARED_GAP };
        let mut shared = Shared { offsets: vec![0; module.variables.len()], regions: Vec::new(), end: 0, counted: 0 };
        let of_shared = |(i, v): &(usize, &crate::module::Variable)| v.space == Space::Shared && used.contains(i);
        for (i, variable) in module.variables.iter().enumerate().filter(of_shared) {
            if variable.bytes == 0 {
                continue;
            }
            let offset = shared.end.next_multiple_of(variable.align.max(1));
            shared.offsets[i] = offset;
            shared.regions.push((offset, offset + variable.bytes));
            shared.end = offset + variable.bytes + gap;
            shared.counted = shared.counted.next_multiple_of(variable.align.max(1)) + variable.bytes;
        }
        // All dynamic variables begin at the same place, behind the others.
        let mut align = 16;
        for (_, variable) in module.variables.iter().enumerate().filter(of_shared) {
            align = align.max(variable.align);
        }
        let dynamic = u64::from(configuration.shared_bytes);
        let offset = shared.end.next_multiple_of(align);
        for (i, variable) in module.variables.iter().enumerate().filter(of_shared) {
            if variable.bytes == 0 {
                shared.offsets[i] = offset;
            }
        }
        if dynamic > 0 {
            shared.regions.push((offset, offset + dynamic));
            shared.end = offset + dynamic;
            shared.counted = shared.counted.next_multiple_of(align) + dynamic;
        }
        shared
    }
}

fn template(slots: &[SlotKind], addresses: &[u64], shared: &[u64]) -> Template {
    let mut template = Template { values: Vec::new(), specials: Vec::new(), undefined: Vec::new() };
    for (i, slot) in slots.iter().enumerate() {
        let (value, undefined) = match *slot {
            SlotKind::Register(_) => (0, crate::thread::NEVER),
            SlotKind::Constant(value) => (value, 0),
            SlotKind::Special(special) => {
                template.specials.push((i as u32, special));
                (0, 0)
            }
            SlotKind::Address(variable, offset) => {
                // A variable in shared memory has no address on the device, and others none in shared memory.
                let address =
                    addresses.get(variable).copied().unwrap_or(0) + shared.get(variable).copied().unwrap_or(0);
                (address.wrapping_add(offset), 0)
            }
        };
        template.values.push(value);
        template.undefined.push(undefined);
    }
    template
}
