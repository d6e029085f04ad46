//! A device that executes programs with kernels: the judge of the mapping to a device. It knows only the finished code, what statements
//! touch, and what CUDA promises about threads.
//!
//! A launch runs all blocks with all threads. Between two barriers any thread of any block may take the next step: here one drawn by chance
//! does. The order that comes of it is executed by the [machine](super::machine), statement by statement. Since a
//! lucky order may hide a mistake, the device also looks for *races*: two instances of a launch that touch the same place, at least one
//! of them writing, in different blocks, or in different threads of a block with the same number of barriers before both. And all
//! threads of a block have to reach the same barriers with the same values.

use std::collections::HashMap;

use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::interpret;
use tessera_polyhedral::device::{Kernel, Program};
use tessera_polyhedral::transform::Placement;

use super::budget;
use super::machine::{Instance, Location, Machine, Outcome, numbers};

/// A number below a bound, by chance.
pub(crate) type Chance<'c> = &'c mut dyn FnMut(usize) -> usize;

/// What a program computes for some values of the parameters; or what it may not do.
pub(crate) fn execute(
    machine: &Machine<'_>,
    program: &Program,
    placement: &Placement,
    params: &[i64],
    chance: Chance<'_>,
) -> Result<Outcome, String> {
    let context = machine.scop().context.space();
    let value = |name: &str| context.param_index(name).map(|position| Int::from(params[position]));
    let values: Vec<Int> = program.host.params.iter().map(|name| value(name).unwrap()).collect();
    let touched = machine.touches(placement, params);
    let mut owners = HashMap::new();
    let mut all: Vec<Instance> = Vec::new();
    for event in interpret(&program.host, &values, &budget()).unwrap() {
        let point = numbers(&event.point);
        match program.kernels.iter().find(|kernel| kernel.order.name == event.stmt) {
            Some(kernel) => {
                let blocks = launch(machine, kernel, &point, params)?;
                races(&touched, &blocks)?;
                for (block, threads) in blocks.iter().enumerate() {
                    for (thread, parts) in threads.iter().enumerate() {
                        let owner = Some((all.len(), block, thread));
                        parts.iter().flatten().try_for_each(|one| own(&mut owners, placement, &touched(one), owner))?;
                    }
                }
                all.extend(interleaved(blocks, chance));
            }
            None => {
                let instance = (event.stmt.to_string(), point);
                own(&mut owners, placement, &touched(&instance), None)?;
                all.push(instance);
            }
        }
    }
    Ok(machine.after_events(all.into_iter(), placement, params))
}

/// Launch (by what was done before), block and thread; nothing for the host.
type Owner = Option<(usize, usize, usize)>;

/// Places of buffers belong to one thread.
fn own(
    owners: &mut HashMap<Location, Owner>,
    placement: &Placement,
    touched: &[(Location, bool)],
    owner: Owner,
) -> Result<(), String> {
    for (location, _) in touched.iter().filter(|(location, _)| placement.buffer(&location.0).is_some()) {
        if *owners.entry(location.clone()).or_insert(owner) != owner {
            return Err(format!("several threads touch {location:?}, a place of a buffer"));
        }
    }
    Ok(())
}

/// The steps of one thread, in parts between barriers.
type Thread = Vec<Vec<Instance>>;

/// All points of a box.
fn points(sizes: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for size in sizes {
        all = all.iter().flat_map(|point: &Vec<i64>| (0..*size).map(|k| [&point[..], &[k]].concat())).collect();
    }
    all
}

fn launch(machine: &Machine<'_>, kernel: &Kernel, point: &[i64], params: &[i64]) -> Result<Vec<Vec<Thread>>, String> {
    let context = machine.scop().context.space();
    let mut blocks: Vec<Vec<Thread>> = Vec::new();
    for block in points(&kernel.order.launch().grid) {
        let mut threads: Vec<Thread> = Vec::new();
        let mut reached: Option<Vec<Instance>> = None;
        for thread in points(&kernel.order.launch().block) {
            let known = [(&kernel.order.host, point), (&kernel.order.blocks, &block), (&kernel.order.threads, &thread)];
            let value = |name: &str| {
                let own = known.iter().find_map(|(names, values)| {
                    names.iter().position(|known| **known == *name).map(|position| values[position])
                });
                own.unwrap_or_else(|| params[context.param_index(name).unwrap()])
            };
            let values: Vec<Int> = kernel.unit.params.iter().map(|name| Int::from(value(name))).collect();
            let (mut parts, mut barriers) = (vec![Vec::new()], Vec::new());
            for event in interpret(&kernel.unit, &values, &budget()).unwrap() {
                let instance = (event.stmt.to_string(), numbers(&event.point));
                if kernel.order.barriers.contains(&event.stmt) {
                    barriers.push(instance);
                    parts.push(Vec::new());
                } else {
                    parts.last_mut().unwrap().push(instance);
                }
            }
            if reached.as_ref().is_some_and(|reached| *reached != barriers) {
                return Err(format!("thread {thread:?} of block {block:?} reaches other barriers than others"));
            }
            reached = Some(barriers);
            threads.push(parts);
        }
        blocks.push(threads);
    }
    Ok(blocks)
}

/// Who touched a place: block, thread, the barriers before, and whether there was a write.
#[derive(Clone, Copy, PartialEq)]
struct Touch {
    block: usize,
    thread: usize,
    part: usize,
    is_write: bool,
}

fn races(touched: &dyn Fn(&Instance) -> Vec<(Location, bool)>, blocks: &[Vec<Thread>]) -> Result<(), String> {
    let mut known: HashMap<Location, Vec<Touch>> = HashMap::new();
    for (block, threads) in blocks.iter().enumerate() {
        for (thread, parts) in threads.iter().enumerate() {
            for (part, instances) in parts.iter().enumerate() {
                for instance in instances {
                    for (location, is_write) in touched(instance) {
                        let touch = Touch { block, thread, part, is_write };
                        let others = known.entry(location).or_default();
                        let conflict = others.iter().find(|other| {
                            let is_unordered = other.block != block || (other.thread != thread && other.part == part);
                            is_unordered && (other.is_write || is_write)
                        });
                        if conflict.is_some() {
                            return Err(format!("a race: {instance:?} in block {block}, thread {thread}"));
                        }
                        if !others.contains(&touch) {
                            others.push(touch);
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// One order that the device may choose.
fn interleaved(mut blocks: Vec<Vec<Thread>>, chance: Chance<'_>) -> Vec<Instance> {
    let mut all = Vec::new();
    // Steps are taken from the end.
    for thread in blocks.iter_mut().flatten() {
        thread.iter_mut().for_each(|part| part.reverse());
        thread.reverse();
    }
    blocks.retain(|threads| !threads.is_empty());
    while !blocks.is_empty() {
        let block = chance(blocks.len());
        let threads = &mut blocks[block];
        let running: Vec<usize> =
            (0..threads.len()).filter(|thread| threads[*thread].last().is_some_and(|part| !part.is_empty())).collect();
        if running.is_empty() {
            // All wait at a barrier, or have finished.
            threads.iter_mut().for_each(|thread| drop(thread.pop()));
            if threads.iter().all(Vec::is_empty) {
                blocks.swap_remove(block);
            }
            continue;
        }
        let thread = running[chance(running.len())];
        all.extend(threads[thread].last_mut().and_then(Vec::pop));
    }
    all
}
