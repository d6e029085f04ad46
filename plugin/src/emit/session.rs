//! The code of the host that has a nest executed by a device.
//!
//! ```text
//! tessera.device    is there a run-time library?
//! tessera.ask       bytes of arrays; what is expected; session = begin(..)    null: on to the loops of the host
//! tessera.session   arrays to the device; launches, in the host's loops; end(session)
//!                   0: on to the loops of the host, as if nothing had happened; 1: done
//! ...               the loops of the host
//! tessera.told      behind them, where the library wants to know how long they took
//! ```
//!
//! What a launch passes on is in the frame: a word for every parameter, and a table of their addresses. The parameters that all kernels have
//! are written once, values of the host's loops before every launch.
//!
//! Addresses: kernels index as the host does, from what the base pointer points to. If the first byte that is copied lies `d` bytes behind
//! the base pointer, a kernel gets the address of that byte on the device less `d`.

use super::Job;
use super::code::{Emitter, Visitor};
use super::frame::Frame;
use super::interval::Interval;
use super::kernel::{self, Parameters};
use super::scopes::{Placed, Scopes};
use super::transfers::Bytes;
use crate::device::DevicePlan;
use crate::host::{Block, Edit, EditError, Editor, IntPredicate, LoopHint, NestConstant, RuntimeFunction, Type, Value};
use crate::options::GpuUse;
use std::cell::RefCell;
use std::collections::HashMap;
use tessera_polyhedral::ast::{Ast, AstUnit, Expr};
use tessera_polyhedral::device::Kernel;

/// The version of the interface of the run-time library: `TESSERA_RT_ABI_VERSION`.
const ABI: u32 = 4;

/// The words of an estimate (`tessera_rt_estimate`), and the places of its numbers.
const ESTIMATE: u64 = 10;
const OPERATIONS: usize = 0;
const DOUBLES: usize = 1;
const TRAFFIC: usize = 2;
const BYTES_IN: usize = 3;
const BYTES_OUT: usize = 4;
const LAUNCHES: usize = 5;
const ARRAYS: usize = 6;
const THREADS: usize = 7;
const HOST_SECONDS: usize = 8;
const BEGUN: usize = 9;

/// The time that the host is said to take where the device is to be used in any case. The library compares it with what it expects of the
/// device, and starts the driver for so much gain at once.
const FOREVER: f64 = 1e9;

/// What the code builds on.
pub(super) struct SessionCode<'s, 'e, 'a> {
    pub(super) editor: &'e Editor<'a>,
    pub(super) job: &'s Job,
    pub(super) device: &'s DevicePlan,
    /// The parameters of the model as words.
    pub(super) params: &'s [Value],
    /// What stands for values of the original code.
    pub(super) known: &'s HashMap<Value, Value>,
    pub(super) frame: &'s Frame,
}

/// The places of a session in the frame.
pub(super) struct Places {
    estimate: Value,
    values: Value,
    table: Value,
    /// The grid of each kernel.
    grids: Vec<Value>,
    /// The values that are used behind the nest.
    pub(super) results: Vec<Value>,
}

/// Launches kernels where the host's loops come by.
struct Launches<'l> {
    device: &'l DevicePlan,
    session: Value,
    common: usize,
    places: &'l Places,
    blocks: Vec<Value>,
    /// What is known of the host's loops around each kernel.
    ranges: RefCell<Vec<Vec<Option<Interval>>>>,
}

/// The types of the places that a session needs.
pub(super) fn places(editor: &Editor<'_>, device: &DevicePlan) -> Edit<Vec<Type>> {
    let words = words(device)?;
    let word = editor.int_type(64)?;
    let mut types = vec![
        editor.array_type(word, ESTIMATE)?,
        editor.array_type(word, words)?,
        editor.array_type(editor.pointer_type()?, words)?,
    ];
    let grid = editor.array_type(editor.int_type(32)?, 3)?;
    types.extend(vec![grid; device.program.kernels.len()]);
    types.extend(device.results.iter().map(|result| result.escaping.ty()));
    Ok(types)
}

/// The number of parameters, with those of the kernel that has most.
fn words(device: &DevicePlan) -> Edit<u64> {
    let host = device.program.kernels.iter().map(|kernel| kernel.order.host.len()).max().unwrap_or(0);
    u64::try_from(Parameters::new(device).len() + host).map_err(|_| EditError::new("too many parameters"))
}

/// What the code behind the nest needs to know.
pub(super) struct Asked {
    nest: Value,
    estimate: Value,
    /// The block that leads on from the device.
    pub(super) end: Block,
    /// What is used behind the nest: original values and those that take their place after the device.
    pub(super) results: Vec<(Value, Value)>,
}

impl Asked {
    /// Tells the library at the end of `block` that the loops of the host have run, where it waits for that; the block in which the code ends.
    pub(super) fn tell(&self, editor: &Editor<'_>, block: Block) -> Edit<Block> {
        let told = editor.create_block("told", Some(block))?;
        let behind = editor.create_block("behind", Some(told))?;
        editor.at_end(block);
        let begun = editor.load(editor.int_type(64)?, at(editor, self.estimate, 8 * BEGUN)?, 8)?;
        let is_wanted = editor.icmp(IntPredicate::Ne, begun, editor.const_int(64, 0)?)?;
        editor.cond_br(is_wanted, told, behind)?;
        editor.at_end(told);
        editor.call_runtime(RuntimeFunction::HostDone, &[self.nest, self.estimate])?;
        editor.br(behind)?;
        Ok(behind)
    }
}

impl<'e, 'a> SessionCode<'_, 'e, 'a> {
    /// Builds the code from `block` on. It leads to `of_host` or to `join`. The beginning of `first`, the first block of the nest, is made to say
    /// that nobody waits for the loops of the host.
    pub(super) fn build(&self, first: Block, block: Block, of_host: Block, join: Block) -> Edit<Asked> {
        let (editor, job, device) = (self.editor, self.job, self.device);
        let ask = editor.create_block("ask", Some(block))?;
        let session_block = editor.create_block("session", Some(ask))?;
        let names = job.scop.params.iter().map(|param| param.name.as_str().into()).collect();
        let unit = AstUnit { params: names, n_iter: 0, body: Ast::Block(Vec::new()) };
        let mut sizes = Emitter::of_unit(editor, block, job, &unit, self.params, self.known)?;
        editor.at_end(block);
        let mut strides = Vec::new();
        for transfer in &device.sizes.transfers {
            let own = transfer.strides.iter().map(|stride| sizes.poly(stride, &[], &[], 64));
            strides.push(own.collect::<Edit<Vec<_>>>()?);
        }
        editor.at_end(block);
        let mut is_there = editor.has_runtime()?;
        for (transfer, strides) in device.sizes.transfers.iter().zip(&strides).filter(|(t, _)| t.needs_strides) {
            for stride in strides.iter().take(transfer.strides.len()) {
                let is_right = editor.icmp(IntPredicate::Sge, stride.value, editor.const_word(0)?)?;
                is_there = editor.both(is_there, is_right)?;
            }
        }
        for (low, high, size) in device.sizes.transfers.iter().flat_map(|transfer| &transfer.inside) {
            let (low, high) = (sizes.expr(low)?.value, sizes.expr(high)?.value);
            let size = sizes.poly(size, &[], &[], 64)?.value;
            is_there = editor.both(is_there, editor.icmp(IntPredicate::Sge, low, editor.const_word(0)?)?)?;
            is_there = editor.both(is_there, editor.icmp(IntPredicate::Slt, high, size)?)?;
        }
        for transfer in device.sizes.transfers.iter().filter(|transfer| transfer.needs_alignment) {
            let over = self.over(self.base(transfer.array)?, editor.const_word(0)?, transfer.align)?;
            is_there = editor.both(is_there, editor.icmp(IntPredicate::Eq, over, editor.const_word(0)?)?)?;
        }
        editor.cond_br(is_there, ask, of_host)?;

        let places = self.places()?;
        match first.instructions().first() {
            Some(instruction) => editor.before(*instruction)?,
            None => editor.at_end(first),
        }
        editor.store(editor.const_int(64, 0)?, self.at(places.estimate, 8 * BEGUN)?, 8)?;

        sizes.continue_in(ask);
        editor.at_end(ask);
        let transfers = device.sizes.transfers.iter().zip(&strides);
        let bytes = transfers.map(|(transfer, strides)| self.bytes(&mut sizes, (transfer, strides), &places));
        let bytes = bytes.collect::<Edit<Vec<_>>>()?;
        let mut blocks = Vec::new();
        for (number, kernel) in device.program.kernels.iter().enumerate() {
            editor.at_end(ask);
            self.grid(&mut sizes, number, places.grids[number])?;
            blocks.push(self.block_size(kernel)?);
        }
        editor.at_end(ask);
        self.estimate(&mut sizes, &bytes, places.estimate)?;
        editor.at_end(ask);
        let nest = editor.new_nest()?;
        let session = editor.call_runtime(RuntimeFunction::Begin, &[nest, places.estimate])?;
        editor.cond_br(editor.is_not_null(session)?, session_block, of_host)?;

        editor.at_end(session_block);
        let common = self.common(session, &bytes, &places)?;
        let ranges = vec![Vec::new(); device.program.kernels.len()];
        let launches = Launches { device, session, common, places: &places, blocks, ranges: RefCell::new(ranges) };
        let host = &device.program.host;
        let emitter = Emitter::of_unit(editor, session_block, job, host, self.params, self.known)?;
        let (end, _) = emitter.visited_by(&launches).run()?;
        editor.at_end(end);
        let done = editor.call_runtime(RuntimeFunction::End, &[session])?;
        let is_done = editor.icmp(IntPredicate::Ne, done, editor.const_int(32, 0)?)?;
        let ran = editor.create_block("ran", Some(end))?;
        editor.cond_br(is_done, ran, of_host)?;
        editor.at_end(ran);
        if let Some(name) = &job.trace {
            editor.write_text(&format!("tessera: {name}: device\n"))?;
        }
        let mut results = Vec::new();
        for (result, place) in device.results.iter().zip(&places.results) {
            let ty = result.escaping.ty();
            results.push((result.escaping, editor.load(ty, *place, editor.analyses().abi_align(ty).unwrap_or(1))?));
        }
        editor.br(join)?;

        let ptx = kernel::compiled(editor, job, device, &launches.ranges.borrow())?;
        let kernels = device.program.kernels.iter().map(|kernel| &*kernel.order.name).collect();
        editor.describe_nest(nest, &NestConstant { abi: ABI, name: &device.name, ptx: &ptx, kernels })?;
        Ok(Asked { nest, estimate: places.estimate, end: ran, results })
    }

    fn places(&self) -> Edit<Places> {
        let (editor, frame) = (self.editor, self.frame);
        let mut types = places(editor, self.device)?.into_iter();
        let mut next = |hint: &str| -> Edit<Value> {
            let ty = types.next().ok_or_else(|| EditError::new("fewer places than there should be"))?;
            frame.place(editor, ty, hint)
        };
        let (estimate, values, table) = (next("estimate")?, next("parameters")?, next("addresses")?);
        let grids = self.device.program.kernels.iter().map(|_| next("grid")).collect::<Edit<Vec<_>>>()?;
        let results = self.device.results.iter().map(|_| next("result")).collect::<Edit<Vec<_>>>()?;
        Ok(Places { estimate, values, table, grids, results })
    }

    /// Stores the number of blocks of a kernel: no more than have something to do.
    fn grid(&self, sizes: &mut Emitter<'_, '_, '_>, number: usize, place: Value) -> Edit<()> {
        let editor = self.editor;
        let launch = self.device.program.kernels[number].order.launch();
        let needed = &self.device.sizes.blocks[number].needed;
        for axis in 0..3 {
            // The last dimension is x.
            let dim = launch.grid.len().checked_sub(axis + 1);
            let count = match dim {
                None => editor.const_int(32, 1)?,
                Some(dim) => {
                    let most = editor.const_word(i128::from(launch.grid[dim]))?;
                    let blocks = match needed.get(dim).and_then(Option::as_ref) {
                        None => most,
                        Some(needed) => {
                            let needed = sizes.expr(needed)?.value;
                            editor.smax(editor.smin(needed, most)?, editor.const_word(1)?)?
                        }
                    };
                    editor.trunc(blocks, 32)?
                }
            };
            editor.store(count, self.at(place, 4 * axis)?, 4)?;
        }
        Ok(())
    }

    /// A constant with the size of a block.
    fn block_size(&self, kernel: &Kernel) -> Edit<Value> {
        let mut sizes = [1u32; 3];
        for (size, threads) in sizes.iter_mut().zip(kernel.order.launch().block.iter().rev()) {
            *size = u32::try_from(*threads).map_err(|_| EditError::new("a block of that size"))?;
        }
        self.editor.constant_numbers(&sizes)
    }

    /// The place so many bytes behind another.
    fn at(&self, place: Value, bytes: usize) -> Edit<Value> {
        at(self.editor, place, bytes)
    }

    /// Stores what the library is told about this execution.
    fn estimate(&self, sizes: &mut Emitter<'_, '_, '_>, bytes: &[Bytes], place: Value) -> Edit<()> {
        let (editor, device) = (self.editor, self.device);
        let mut product = |counts: &[Expr]| -> Edit<Value> {
            let mut all = editor.double(1.0)?;
            for count in counts {
                let count = sizes.expr(count)?.value;
                let count = editor.smax(count, editor.const_word(0)?)?;
                all = editor.product(all, editor.to_double(count)?)?;
            }
            Ok(all)
        };
        let zero = editor.double(0.0)?;
        let [mut operations, mut doubles, mut launches] = [zero; 3];
        for work in &device.sizes.work {
            let times = product(&work.counts)?;
            let some = |number: u32| editor.product(times, editor.double(f64::from(number))?);
            // Loads, stores and addresses are work, too.
            operations = editor.sum(operations, some(work.operations.saturating_add(1))?)?;
            doubles = editor.sum(doubles, some(work.doubles)?)?;
        }
        for blocks in &device.sizes.blocks {
            launches = editor.sum(launches, product(&blocks.launches)?)?;
        }
        let [mut bytes_in, mut bytes_out, mut bytes_touched] = [zero; 3];
        let mut copies = 0u32;
        for (transfer, bytes) in device.sizes.transfers.iter().zip(bytes).filter(|(t, _)| !t.is_of_device()) {
            let count = editor.to_double(bytes.count)?;
            bytes_touched = editor.sum(bytes_touched, count)?;
            if transfer.is_copied_in() {
                copies += 1;
            }
            bytes_in = editor.sum(bytes_in, editor.to_double(bytes.count_in)?)?;
            if transfer.is_written() {
                copies += 1;
                bytes_out = editor.sum(bytes_out, count)?;
            }
        }
        let host_seconds = if device.gpu.when == GpuUse::Always { FOREVER } else { 0.0 };
        let numbers = [
            (OPERATIONS, operations),
            (DOUBLES, doubles),
            (TRAFFIC, editor.product(editor.sum(bytes_touched, bytes_out)?, launches)?),
            (BYTES_IN, bytes_in),
            (BYTES_OUT, bytes_out),
            (LAUNCHES, launches),
            (ARRAYS, editor.double(f64::from(copies))?),
            (THREADS, zero),
            (HOST_SECONDS, editor.double(host_seconds)?),
        ];
        for (index, number) in numbers {
            editor.store(number, self.at(place, 8 * index)?, 8)?;
        }
        Ok(())
    }

    /// Brings arrays to the device and stores the parameters that all kernels have, and the table of addresses; how many they are.
    fn common(&self, session: Value, bytes: &[Bytes], places: &Places) -> Edit<usize> {
        let editor = self.editor;
        let parameters = Parameters::new(self.device);
        let mut all: Vec<Value> = self.params.to_vec();
        all.extend(parameters.values.iter().map(|value| self.known.get(value).copied().unwrap_or(*value)));
        for bytes in bytes {
            all.push(self.bring(session, bytes)?);
        }
        for (index, value) in all.iter().enumerate() {
            editor.store(*value, self.at(places.values, 8 * index)?, 8)?;
        }
        let count = words(self.device)?;
        for index in 0..usize::try_from(count).unwrap_or(usize::MAX) {
            let value = self.at(places.values, 8 * index)?;
            editor.store(value, self.at(places.table, 8 * index)?, 8)?;
        }
        Ok(all.len())
    }
}

/// The place so many bytes behind another.
fn at(editor: &Editor<'_>, place: Value, bytes: usize) -> Edit<Value> {
    let bytes = i128::try_from(bytes).map_err(|_| EditError::new("a place too far away"))?;
    if bytes == 0 { Ok(place) } else { editor.byte_offset(place, editor.const_word(bytes)?, true) }
}

impl<'e, 'a> Visitor<'e, 'a> for Launches<'_> {
    fn visit(&self, scopes: &mut Scopes<'e, 'a>, name: &str, args: &[Placed]) -> Edit<()> {
        let editor = scopes.editor;
        let kernels = &self.device.program.kernels;
        let number = kernels.iter().position(|kernel| &*kernel.order.name == name);
        let number = number.ok_or_else(|| EditError::new(format!("no kernel {name}")))?;
        let mut ranges = self.ranges.borrow_mut();
        let here: Vec<Option<Interval>> = args.iter().map(|arg| scopes.range(*arg)).collect();
        let known = &mut ranges[number];
        match known.is_empty() {
            true => *known = here,
            false => known.iter_mut().zip(here).for_each(|(known, here)| {
                *known = known.zip(here).map(|((a, b), (c, d))| (a.min(c), b.max(d)));
            }),
        }
        scopes.at_end();
        for (index, arg) in args.iter().enumerate() {
            editor.store(arg.value, at(editor, self.places.values, 8 * (self.common + index))?, 8)?;
        }
        let index = i128::try_from(number).map_err(|_| EditError::new("too many kernels"))?;
        let operands = [
            self.session,
            editor.const_int(32, index)?,
            self.places.grids[number],
            self.blocks[number],
            editor.const_int(32, 0)?,
            self.places.table,
        ];
        editor.call_runtime(RuntimeFunction::Launch, &operands)?;
        Ok(())
    }

    fn hints(&self) -> Vec<LoopHint> {
        // Copies of calls gain nothing.
        vec![LoopHint::Flag("llvm.loop.unroll.disable")]
    }
}
