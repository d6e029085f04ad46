//! The kernels of a nest, as text in the language PTX.
//!
//! All kernels of a nest have the same first parameters, which the host writes down once ([`Parameters`]):
//!
//! ```text
//! parameters of the model          words
//! values that statements use       of their own types
//! arrays, scalars                  addresses of the device, of what the base pointer of the host points to
//! values of the host's loops       words, written before every launch
//! ```
//!
//! Invariant: a kernel knows of its words what the host knows of them (their ranges), so that its arithmetic fits where that of the host does.

use super::Job;
use super::code::{Emitter, KernelCode, Word};
use super::interval::Interval;
use crate::device::{DevicePlan, support};
use crate::host::{Edit, EditError, Editor, KernelIndex, Type, Value};
use crate::model::scop::Storage;
use std::collections::HashMap;
use tessera_polyhedral::device::Kernel;
use tessera_polyhedral::schedule::{LoopType, Node};
use tessera_polyhedral::space::Name;

/// So many blocks with tiles of registers a multiprocessor is to hold at least, so that it has work while one of them waits: with 256 threads a
/// block, that leaves 128 registers for a thread. Other kernels need fewer anyway, and more of their blocks run at once.
const BLOCKS: i64 = 2;

/// The parameters that all kernels of a nest have.
pub(super) struct Parameters {
    /// How many of the model there are.
    pub(super) words: usize,
    /// The values from before the nest, in order.
    pub(super) values: Vec<Value>,
    /// The arrays, by index of the model.
    pub(super) arrays: Vec<usize>,
}

impl Parameters {
    pub(super) fn new(device: &DevicePlan) -> Self {
        let scop = &device.scop;
        let arrays = device.sizes.transfers.iter().map(|transfer| transfer.array).collect();
        Self { words: scop.params.len(), values: support::values(scop), arrays }
    }

    /// How many there are, without those of the host's loops.
    pub(super) fn len(&self) -> usize {
        self.words + self.values.len() + self.arrays.len()
    }
}

/// Builds and compiles the kernels. `ranges` are those of the host's loops around each of them.
pub(super) fn compiled(
    editor: &Editor<'_>,
    job: &Job,
    device: &DevicePlan,
    ranges: &[Vec<Option<Interval>>],
) -> Edit<String> {
    let module = editor.device_module(device.gpu.architecture)?;
    let parameters = Parameters::new(device);
    let private = device.scalars().map_err(|obstacle| EditError::new(obstacle.to_string()))?;
    let word = editor.int_type(editor.word_bits())?;
    let pointer = editor.device_pointer()?;
    for ((kernel, ranges), private) in device.program.kernels.iter().zip(ranges).zip(&private) {
        let mut types: Vec<Type> = vec![word; parameters.words];
        types.extend(parameters.values.iter().map(|value| value.ty()));
        types.extend(vec![pointer; parameters.arrays.len()]);
        types.extend(vec![word; kernel.order.host.len()]);
        let function = module.kernel(&kernel.order.name, &types)?;
        for (index, transfer) in device.sizes.transfers.iter().enumerate().filter(|_| job.hints) {
            // The guard has checked that arrays do not overlap where one of them is written.
            let is_only_read = !transfer.is_written() && !transfer.is_of_device();
            module.promise_apart(function, parameters.words + parameters.values.len() + index, is_only_read)?;
        }
        if has_tile(kernel) {
            let mut threads = [1; 3];
            for (size, axis) in threads.iter_mut().zip(kernel.order.launch().block.iter().rev()) {
                *size = *axis;
            }
            module.bound(function, threads, BLOCKS);
        }
        let own = editor.of_kernel(&module, function);
        build(&own, (job, device), kernel, (&parameters, ranges), private)?;
    }
    module.compile()
}

/// Builds a kernel with its editor.
fn build(
    editor: &Editor<'_>,
    (job, device): (&Job, &DevicePlan),
    kernel: &Kernel,
    (parameters, ranges): (&Parameters, &[Option<Interval>]),
    private: &[bool],
) -> Edit<()> {
    let scop = &device.scop;
    let order = &kernel.order;
    let entry = editor.create_block("entry", None)?;
    editor.at_end(entry);
    let arguments = editor.function().arguments();
    if arguments.len() != parameters.len() + order.host.len() {
        return Err(EditError::new("a kernel with other parameters than it should have"));
    }
    let (params, rest) = arguments.split_at(parameters.words);
    let (values, rest) = rest.split_at(parameters.values.len());
    let (arrays, host) = rest.split_at(parameters.arrays.len());
    let known: HashMap<Value, Value> = parameters.values.iter().copied().zip(values.iter().copied()).collect();
    let mut bases = vec![None; scop.arrays.len()];
    for (array, base) in parameters.arrays.iter().zip(arrays) {
        bases[*array] = match scop.arrays[*array].storage {
            Storage::Scalar(_, ty) if private[*array] => Some(editor.alloca(ty, "own")?),
            _ => Some(*base),
        };
    }
    // One that is never launched has any.
    let range = |dim: usize| ranges.get(dim).copied().unwrap_or(Some((0, 0)));
    let of_host = order.host.iter().zip(host).enumerate();
    let mut words: Vec<Word> =
        of_host.map(|(dim, (name, value))| Word { name: name.clone(), value: *value, range: range(dim) }).collect();
    let mut place = |names: &[Name], sizes: &[i64], index: fn(usize) -> KernelIndex| -> Edit<()> {
        for (dim, (name, size)) in names.iter().zip(sizes).enumerate() {
            // The last dimension is x: neighbours along it run side by side.
            let value = editor.kernel_index(index(names.len() - 1 - dim))?;
            words.push(Word { name: name.clone(), value, range: Some((0, i128::from(size - 1))) });
        }
        Ok(())
    };
    place(&order.blocks, &order.launch().grid, KernelIndex::Block)?;
    place(&order.threads, &order.launch().block, KernelIndex::Thread)?;
    let threads = parameters.words + words.len() - order.threads.len();
    let code = KernelCode {
        scop,
        words,
        bases,
        barriers: &order.barriers,
        threads,
        block: &order.launch().block,
        uniform: kernel.uniform_loops(),
        fuses: device.fuses,
    };
    let emitter = Emitter::of_kernel(editor, entry, (job, &kernel.unit), params, &known, &code)?;
    let (end, _) = emitter.run()?;
    editor.at_end(end);
    editor.return_nothing()
}

/// Whether threads take several points side by side.
fn has_tile(kernel: &Kernel) -> bool {
    kernel.order.tree.nodes().iter().any(|(_, node)| match node {
        Node::Band(band, _) => band.members().iter().any(|member| member.loop_type == LoopType::Unroll),
        _ => false,
    })
}
